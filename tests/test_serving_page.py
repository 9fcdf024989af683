"""docs/serving.md as a reader follows it: every block runs as written, against one server."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import deepaveragers as da

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "serving.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, flags=re.DOTALL)
DAC = f'#!/bin/sh\nexec "{sys.executable}" -c "from deepaveragers.cli import main; main()" "$@"\n'
PORT = "8080"
"""As the page has it; the test takes a free one."""


def blocks(language):
    return [text for found, text in BLOCKS if found == language]


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A folder with the examples, and `dac` and `python` on the path."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dac").write_text(DAC)
    (tmp_path / "bin" / "dac").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    return tmp_path


def table(path):
    return list(csv.DictReader(Path(path).read_text().splitlines()))


def shell(text):
    return subprocess.run(
        ["sh", "-ec", text], capture_output=True, text=True, check=True, timeout=120
    ).stdout


@pytest.fixture
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def test_the_page_runs_from_the_log_to_the_log(house, port):
    install, data, policy_file, act, piped, serve, _, joined = blocks("sh")
    assert "deepaveragers[serve]" in install
    (house / "new.jsonl").write_text('{"inside": 18.5, "outside": -3.0}\n')
    for block in (data, policy_file, act, piped):
        shell(block)
    policy = da.load("policy")
    log, decided = table("examples/heating.csv"), table("decisions.csv")
    rows = np.array([[float(row["inside"]), float(row["outside"])] for row in log])
    wanted = policy.decide(rows)
    assert [row["action"] for row in decided] == wanted.names
    for place, name in enumerate(wanted.action_names):
        assert [float(row[f"q_{name}"]) for row in decided] == wanted.q_values[:, place].tolist()
    loading, asking = blocks("python")
    exec(compile(loading, "serving.md", "exec"), {})

    server = subprocess.Popen(
        ["dac", *serve.replace(PORT, port).split()[1:]], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout.readline() == f"Serving at http://127.0.0.1:{port}\n"
        curls, javascript = blocks("curl"), blocks("js")[0]
        check_curl(curls[0].replace(PORT, port), policy)
        answers = [shell(one) for one in re.split(r"\n(?=curl)", curls[1].replace(PORT, port))]
        assert [type(json.loads(one)) for one in answers] == [dict] * 4
        assert json.loads(answers[0])["decisions"][1]["q"] == named(policy, [21.0, 4.5])
        exec(compile(asking.replace(PORT, port), "serving.md", "exec"), {})
        check_javascript(javascript.replace(PORT, port), policy, house)
    finally:
        server.terminate()
        assert server.wait(60) == 0

    lines = [json.loads(line) for line in Path("audit.jsonl").read_text().splitlines()]
    assert lines[0]["id"] == "day-41-step-7"
    with open("outcomes.csv", "w") as file:
        file.write("id,day,step,comfort\n")
        file.writelines(f"{line['id']},41,{step},0.5\n" for step, line in enumerate(lines))
    shell(joined)
    assert len(da.load("heating-served")) == len(lines) - 1


def named(policy, observation):
    return dict(zip(policy.action_names, policy.q_values([observation])[0].tolist()))


def check_curl(command, policy):
    answer = json.loads(shell(command))
    (decision,) = answer["decisions"]
    assert decision["q"] == named(policy, [18.5, -3.0])
    assert decision["index"] == policy.act([18.5, -3.0])
    assert answer["plan"] == policy.digest
    shown = json.loads(blocks("json")[0])
    assert shown.keys() == answer.keys()
    assert shown["decisions"][0].keys() == decision.keys()


def check_javascript(code, policy, folder):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node.js here")
    (folder / "ask.mjs").write_text(code)
    done = subprocess.run([node, "ask.mjs"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    action = policy.action_names[policy.act([18.5, -3.0])]
    assert done.stdout.split()[0] == action
    assert done.stdout.split()[-1] == policy.digest


def test_the_server_beyond_this_machine(house, port):
    (token,) = (text for text in blocks("sh") if "--token-file" in text)
    shell(blocks("sh")[1])
    shell(blocks("sh")[2])
    make, command = token.replace(PORT, port).strip().splitlines()
    shell(make if shutil.which("openssl") else "echo 0123456789abcdef0123456789abcdef > token")
    server = subprocess.Popen(["dac", *command.split()[1:]], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout.readline().startswith("Serving at")
        asked = f"curl -s -o /dev/null -w '%{{http_code}}' http://127.0.0.1:{port}"
        assert shell(f"{asked}/v1/policy") == "401"
        assert shell(f'{asked}/v1/policy -H "Authorization: Bearer $(cat token)"') == "200"
        assert shell(f"{asked}/health/live") == "200"
    finally:
        server.terminate()
        server.wait(60)
