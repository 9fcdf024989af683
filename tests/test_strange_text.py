"""Names and paths that hold anything: one sentence, and nothing that a terminal obeys."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deepaveragers as da
from deepaveragers.cli import main
from deepaveragers.printable import printable

CLEAR = "\x1b[2J\x1b]0;owned\x07"
"""Clears a screen and names its window."""
LONG = "a" * 300
HALF = "x\ud800y"


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_printable_can_be_encoded_and_obeyed_by_nobody(text):
    shown = printable(text)
    shown.encode()
    assert not any(letter < " " and letter not in "\t\n" for letter in shown)
    assert not any("\x7f" <= letter <= "\x9f" for letter in shown)
    if text.isascii() and text.isprintable():
        assert shown == text


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """A plan whose action, column and episode have names that would clear a terminal."""
    rows = np.random.default_rng(0).normal(size=(40, 2))
    data = da.Transitions(
        observations=rows,
        actions=[f"{CLEAR}up", "down"] * 20,
        rewards=np.arange(40.0),
        next_observations=rows + 0.1,
        terminations=np.arange(40) % 8 == 7,
        observation_names=[f"{CLEAR}x", "y"],
        episode_ids=np.repeat([f"{CLEAR}{number}" for number in range(5)], 8),
    )
    plan = da.compile(data, k=2).solve(gamma=0.9)
    return plan, da.save(plan, tmp_path_factory.mktemp("named") / "plan")


def test_names_are_written_out_in_texts(named):
    plan, _ = named
    decision = plan.policy(3).explain(plan.mdp.transitions.observations[0])
    texts = [
        str(decision),
        decision.decomposition(),
        str(plan.compare(plan.mdp.solve(gamma=0.1))),
        da.diagnose(plan.mdp.transitions).text(),
    ]
    with pytest.raises(da.InputError) as caught:
        plan.mdp.solve(forbidden_actions=["jump"])
    for text in (*texts, str(caught.value)):
        assert "\x1b" not in text
        assert "\x07" not in text
    assert r"\x1b[2J" in str(caught.value)


@pytest.mark.parametrize(
    "command",
    [
        "explain {plan} --transition 0 --k 3 --steps 3 --details",
        "solve {plan} -o {plan}2 --forbid nobody",
        "info {plan}",
        "doctor {plan}",
        "guarantee {plan}",
        "compare {plan} {plan}",
    ],
)
def test_commands_write_names_out(named, capsys, command):
    with pytest.raises(SystemExit):
        main(command.format(plan=named[1]).split())
    output = capsys.readouterr()
    assert output.out + output.err
    assert "\x1b" not in output.out + output.err
    assert "\x07" not in output.out + output.err


@pytest.mark.parametrize("path", [LONG, HALF, f"folder/{LONG}", f"{LONG}.csv", "a" * 5000])
def test_paths_that_no_file_can_have(path, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = named[0].mdp.transitions
    (tmp_path / "folder").mkdir()
    (tmp_path / "log.csv").write_text("a,r,x\n0,1,2\n")
    for ask in (
        lambda: da.load(path),
        lambda: da.save(data, path),
        lambda: da.read(path),
        lambda: da.read(path, format="table", action="a", reward="r"),
        lambda: da.read(path, format="npz"),
        lambda: da.read(path, format="minari"),
        lambda: da.read(path, format="d4rl"),
        lambda: da.read("log.csv", mapping=path),
        lambda: da.write(data, path),
        lambda: da.append(path, data),
        lambda: da.forget(path, 0),
        lambda: da.compile(data, 1, resume_dir=path),
    ):
        with pytest.raises(da.InputError, match="must be a path") as caught:
            ask()
        assert len(str(caught.value)) < 300


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes")
@pytest.mark.parametrize(
    "command",
    [
        ["info", LONG],
        ["solve", LONG, "-o", "x"],
        ["solve", "{plan}", "-o", LONG],
        ["solve", "{plan}", "-o", "x", "--rewards", LONG],
        ["solve", "{plan}", "-o", "x", "--mask", LONG],
        ["import", LONG, "-o", "x", "--action", "a", "--reward", "r"],
        ["export", "{plan}", "-o", LONG],
        ["doctor", LONG],
        ["compile", LONG, "-o", "x"],
        ["evaluate", "{plan}", "--env", LONG],
        ["append", LONG, LONG],
    ],
)
def test_commands_say_so_in_one_sentence(named, capsys, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as leaving:
        main([word.format(plan=named[1]) for word in command])
    assert leaving.value.code == 2
    sentence = capsys.readouterr().err
    assert sentence.count("\n") == 1
    assert sentence.startswith("dac: ")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="names of files are any bytes")
def test_arguments_that_are_no_text():
    """Bytes that are no UTF-8 come in as halves of characters."""
    program = "from deepaveragers.cli import main; main()"
    command = [sys.executable, "-c", program, "info", b"\xff\xfe"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["action_names", "observation_names", "observation_units"])
def test_halves_of_characters_are_no_names(columns, name):
    given = {"observation_names": ["x", "y"], name: [HALF, "z"]}
    with pytest.raises(da.InputError, match=f"{name} must be text in whole characters"):
        da.Transitions(**{**columns, **given})


def test_nor_are_they_labels_or_episodes(columns):
    with pytest.raises(da.InputError, match="action_names must be text in whole characters"):
        da.Transitions(**{**columns, "actions": [HALF, "b"] * 3})
    with pytest.raises(da.InputError, match="episode_names must be text in whole characters"):
        da.Transitions(**columns, episode_ids=[HALF] * 6)


@pytest.mark.parametrize("nest", ["a=" + "[" * 5_000, "a=" + "{x=" * 3_000])
def test_deeply_nested_mappings(tmp_path, nest):
    (tmp_path / "log.csv").write_text("a,r,x\n0,1,2\n")
    (tmp_path / "map.toml").write_text(nest)
    with pytest.raises(da.InputError, match="mapping must be a TOML file"):
        da.read(tmp_path / "log.csv", mapping=tmp_path / "map.toml")
