"""Every door: bad input gets one clear sentence, and nothing is lost."""

from __future__ import annotations

import json

import gymnasium as gym
import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.cli import main


def with_nan(array):
    array = np.array(array, dtype=float)
    array.flat[3] = np.nan
    return array


BAD_TRANSITIONS = {
    "NaN observation": ({"observations": with_nan(np.zeros((6, 2)))}, "row 1, column 1"),
    "inf reward": ({"rewards": [1, 2, np.inf, 0, 0, 0]}, "rewards must be finite"),
    "NaN next observation": ({"next_observations": with_nan(np.zeros((6, 2)))}, "finite"),
    "unequal lengths": ({"rewards": [1.0, 2.0]}, "rewards must be of shape"),
    "unequal actions": ({"actions": [0, 1]}, "actions must be of shape"),
    "empty": (
        {
            "observations": np.zeros((0, 2)),
            "next_observations": np.zeros((0, 2)),
            "actions": [],
            "rewards": [],
            "terminations": [],
            "truncations": [],
        },
        "at least one transition",
    ),
    "wrong shape": ({"next_observations": np.zeros((6, 3))}, "same shape as observations"),
    "ragged": ({"observations": [[1, 2], [1], [1], [1], [1], [1]]}, "rows of equal shape"),
    "text observations": ({"observations": [["a", "b"]] * 6}, "numbers"),
    "negative action": ({"actions": [0, 1, -1, 0, 0, 0]}, "numbers >= 0"),
    "continuous action": ({"actions": [0.5, 1, 0, 0, 0, 0]}, "whole numbers"),
    "action beyond names": ({"action_names": ("a",)}, "below the 1 action_names"),
    "unknown action name": (
        {"actions": ["x", "y", "x", "x", "x", "x"], "action_names": ("x", "z")},
        "among action_names",
    ),
    "repeated names": ({"action_names": ("a", "a")}, "distinct names"),
    "flags that are not": ({"terminations": [0, 1, 2, 0, 0, 0]}, "flags"),
    "fractional episodes": ({"episode_ids": [0.5] * 6}, "whole numbers"),
    "number as dataset": ({"observations": 3.0}, "one row per transition"),
}


def test_functions_that_cannot_be_called_as_they_will_be(cartpole, model):
    with pytest.raises(da.InputError, match=r"encoder must be a function of \(observations\)"):
        da.compile(cartpole, 5, lambda observation, action: observation)
    with pytest.raises(da.InputError, match=r"policy must be a function of \(observations\)"):
        da.collect("CartPole-v1", steps=10, policy=lambda: 0)
    with pytest.raises(da.InputError, match="signal must be a function of"):
        da.solve_constrained(model, lambda rewards: rewards, budget=1.0)


@pytest.mark.parametrize("case", BAD_TRANSITIONS)
def test_transitions(case, columns):
    changes, sentence = BAD_TRANSITIONS[case]
    with pytest.raises(da.InputError, match=sentence):
        da.Transitions(**{**columns, **changes})


class Speaking(gym.Env):
    observation_space = gym.spaces.Box(0.0, 1.0, (1,))
    action_space = gym.spaces.Text(5)


BAD_CALLS = {
    "k too large": (lambda data: da.compile(data, k=7), "k must be at most"),
    "k zero": (lambda data: da.compile(data, k=0), "k must be a whole number >= 1"),
    "k fraction": (lambda data: da.compile(data, k=2.5), "k must be"),
    "data of another type": (lambda data: da.compile([1, 2]), "data must be Transitions"),
    "encoder class": (lambda data: da.compile(data, encoder=da.Identity), "an instance"),
    "encoder of another type": (lambda data: da.compile(data, encoder=3), "encoder must be"),
    "encoder giving NaN": (
        lambda data: da.compile(data, encoder=lambda rows: rows * np.nan),
        "finite",
    ),
    "unknown engine": (lambda data: da.compile(data, k=1, neighbors="magic"), "must be"),
    "gamma one": (
        lambda data: da.compile(data, k=1).solve(gamma=1.0),
        r"gamma .* \[0, 0.9999999\]",
    ),
    "gamma NaN": (lambda data: da.compile(data, k=1).solve(gamma=float("nan")), "gamma"),
    "gamma text": (lambda data: da.compile(data, k=1).solve(gamma="high"), "gamma"),
    "negative cost": (lambda data: da.compile(data, k=1).solve(cost=-1.0), "cost"),
    "infinite cost": (lambda data: da.compile(data, k=1).solve(cost=np.inf), "cost"),
    "unknown weighting": (lambda data: da.compile(data, k=1).solve(weighting="x"), "weighting"),
    "k beyond compiled": (lambda data: da.compile(data, k=1).solve(k=2), "k must be"),
    "negative tolerance": (lambda data: da.compile(data, k=1).solve(tolerance=-1), "tolerance"),
    "objective and fields": (
        lambda data: da.compile(data, k=1).solve(da.Objective(), gamma=0.5),
        "not both",
    ),
    "policy k": (lambda data: da.compile(data, k=1).solve().policy(k=0), "k must be"),
    "policy lookup": (lambda data: da.compile(data, k=1).solve().policy(lookup="x"), "lookup"),
    "policy epsilon": (lambda data: da.compile(data, k=1).solve().policy(epsilon=2), "epsilon"),
    "unknown environment": (lambda data: da.collect("NoSuchGame-v0", 10), "env must be"),
    "actions without numbers": (lambda data: da.collect(Speaking, 10), "action"),
    "no steps": (lambda data: da.collect("CartPole-v1", 0), "steps must be"),
    "unknown policy": (lambda data: da.collect("CartPole-v1", 9, policy="best"), "policy"),
    "epsilon beyond one": (lambda data: da.collect("CartPole-v1", 9, epsilon=1.5), "epsilon"),
    "no episodes": (lambda data: da.evaluate("random", "CartPole-v1", 0), "episodes must be"),
    "saving a number": (lambda data: da.save(3, "nowhere"), "thing must be"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_library(case, columns):
    call, sentence = BAD_CALLS[case]
    with pytest.raises(da.InputError, match=sentence):
        call(da.Transitions(**columns))


def test_one_transition_is_enough(columns):
    one = da.Transitions(**columns).subset([0])
    plan = da.compile(one, k=1).solve()
    assert plan.converged
    assert plan.policy().act(one.observations[0]) == 0


def test_all_terminal(columns):
    data = da.Transitions(**{**columns, "terminations": [True] * 6})
    plan = da.compile(data, k=2).solve()
    assert (plan.values == 0).all()
    assert (plan.lower == 0).all()
    with pytest.raises(da.InputError, match="lookahead"):
        plan.policy(lookup="nearest")
    assert plan.policy().lookup == "lookahead"
    assert plan.policy().act(data.observations[3]) == 1


@pytest.fixture
def saved(columns, tmp_path):
    data = da.Transitions(**columns)
    mdp = da.compile(data, k=1)
    for name, thing in (("data", data), ("model", mdp), ("plan", mdp.solve())):
        da.save(thing, tmp_path / name)
    (tmp_path / "file").write_text("not a bundle")
    return tmp_path


BAD_COMMANDS = {
    "no such bundle": "compile {0}/nothing -o {0}/new",
    "a file": "info {0}/file",
    "a foreign directory": "info {0}",
    "wrong kind": "compile {0}/plan -o {0}/new",
    "k too large": "compile {0}/data -o {0}/new --k 99",
    "k not a number": "compile {0}/data -o {0}/new --k many",
    "unknown encoder": "compile {0}/data -o {0}/new --encoder magic",
    "unknown engine": "compile {0}/data -o {0}/new --neighbors magic",
    "gamma one": "solve {0}/model -o {0}/new --gamma 1",
    "negative cost": "solve {0}/model -o {0}/new --cost -3",
    "a path that cannot be written": "solve {0}/model -o {0}/file/new",
    "a target that is a file": "solve {0}/model -o {0}/file",
    "a target that is not a bundle": "solve {0}/model -o {0}",
    "unknown environment": "evaluate {0}/plan --env NoSuchGame-v0",
    "environment of another shape": "evaluate {0}/plan --env CartPole-v1",
    "fewer steps than none": "explain {0}/plan --transition 0 --steps -1",
    "no output": "compile {0}/data",
    "unknown option": "info {0}/data --colour",
    "unknown command": "dance",
}


@pytest.mark.slow
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("case", BAD_COMMANDS)
def test_command_line(case, as_json, saved, capsys):
    before = {file: file.read_bytes() for file in saved.rglob("*") if file.is_file()}
    arguments = BAD_COMMANDS[case].format(saved).split()
    with pytest.raises(SystemExit) as leaving:
        main([*arguments, "--json"] if as_json else arguments)
    output = capsys.readouterr()
    assert leaving.value.code == 2
    assert output.err.startswith("dac: ")
    assert output.err.count("\n") == 1
    assert "Traceback" not in output.err
    if as_json:
        assert set(json.loads(output.out)) == {"error"}
    else:
        assert output.out == ""
    assert {file: file.read_bytes() for file in saved.rglob("*") if file.is_file()} == before
