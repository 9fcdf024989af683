"""Without Ray, or with nonsense for a cluster: one sentence that says what to do."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest

import deepaveragers as da
from deepaveragers.cli.app import run
from deepaveragers.cluster import heartbeat
from deepaveragers.cluster.heartbeat import MOST_LOOKS, Pulse


def test_the_install_line(cartpole, model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    line = r"Ray, .* is not installed. Install it with: pip install 'deepaveragers\[cluster\]'"
    with pytest.raises(da.MissingExtraError, match=line):
        da.compile(cartpole, cluster="auto", work_dir=tmp_path)
    with pytest.raises(da.MissingExtraError, match=line):
        model.solve(cluster="auto", work_dir=tmp_path)
    with pytest.raises(da.MissingExtraError, match=line):
        da.fit(cartpole, cluster="auto", work_dir=tmp_path)


def test_the_command_says_it_too(cartpole, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    data = str(da.save(cartpole, tmp_path / "data"))
    where = ["--cluster", "auto", "--work-dir", str(tmp_path / "work")]
    assert run(["compile", data, "-o", str(tmp_path / "model"), *where, "--json"]) == 2
    assert "pip install 'deepaveragers[cluster]'" in json.dumps(capsys.readouterr())


def test_local_work_imports_no_ray():
    code = (
        "import sys, deepaveragers as da, numpy as np; x = np.zeros((9, 2)); "
        "data = da.Transitions(observations=x, actions=[0] * 9, rewards=x[:, 0], "
        "next_observations=x, terminations=[True] * 9); "
        "da.compile(data, k=1).solve(); da.fit, da.Candidate; assert 'ray' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_address_where_nobody_answers(cartpole, tmp_path):
    pytest.importorskip("ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(da.InputError, match="cluster must be the address of a Ray cluster"):
        da.compile(cartpole, cluster=address, work_dir=tmp_path)


@pytest.mark.parametrize(
    "asked",
    [
        {"neighbors": "dense"},
        {"time_budget": 1.0},
        {"allow_approximate": True},
        {"threads": 1},
        {"resume_dir": "there"},
    ],
)
def test_options_of_one_machine_are_refused(asked, cartpole, tmp_path):
    pytest.importorskip("ray")
    with pytest.raises(da.InputError, match=f"{next(iter(asked))} must be left alone"):
        da.compile(cartpole, cluster="auto", work_dir=tmp_path, **asked)


def test_a_pulse_counts_looks_not_seconds(tmp_path):
    file, alive = tmp_path / "beat", {"node"}
    pulse = Pulse(file)
    assert not any(pulse.hangs(alive) for _ in range(3 * MOST_LOOKS)), "it has not begun"
    file.write_text("node 1")
    assert [pulse.hangs(alive) for _ in range(MOST_LOOKS)] == [False] * MOST_LOOKS
    file.write_text("node 2")
    assert not pulse.hangs(alive)
    assert [pulse.hangs(alive) for _ in range(MOST_LOOKS)][-1]
    assert pulse.hangs(alive=set()), "its node is gone"
    assert MOST_LOOKS * heartbeat.LOOK_SECONDS < 10.0
