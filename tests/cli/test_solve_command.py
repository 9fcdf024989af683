"""`dac solve` asks what `mdp.solve` asks; `dac collect` acts by what was saved."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.cli import main
from deepaveragers.solvers import planner


@pytest.fixture(scope="module")
def home(tmp_path_factory, model):
    path = tmp_path_factory.mktemp("solve")
    da.save(model, path / "model")
    size = len(model)
    rewards = -np.abs(model.transitions.next_observations[:, 0]).astype(float)
    mask = model.transitions.next_observations[:, [0, 0]] * [1, -1] < 0.05
    np.save(path / "rewards.npy", rewards)
    np.save(path / "mask.npy", mask)
    lines = [f"{i},{float(rewards[i])!r},{int(mask[i, 0])},{int(mask[i, 1])}" for i in range(size)]
    (path / "table.csv").write_text("row,centre,0,1\n" + "\n".join(lines) + "\n")
    (path / "only.csv").write_text("centre\n" + "\n".join(map(repr, rewards.tolist())) + "\n")
    (path / "empty.npy").touch()
    (path / "cut.npy").write_bytes((path / "rewards.npy").read_bytes()[:-8])
    np.savez(path / "archive.npz", rewards=rewards)
    (path / "archive.npz").rename(path / "archive.npy")
    return path


def run(capsys, command):
    with pytest.raises(SystemExit) as leaving:
        main([*shlex.split(command), "--json"])
    return leaving.value.code or 0, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("--action-penalty 0=0.25", {"action_penalties": {0: 0.25}}),
        ("--rewards {0}/rewards.npy", {"rewards": "rewards"}),
        ("--rewards {0}/only.csv", {"rewards": "rewards"}),
        ("--rewards {0}/table.csv --reward-column centre", {"rewards": "rewards"}),
        ("--mask {0}/mask.npy", {"action_mask": "mask"}),
        ("--mask {0}/table.csv", {"action_mask": "mask"}),
    ],
)
def test_the_same_question_by_words(home, model, capsys, words, fields):
    code, _ = run(capsys, f"solve {home}/model -o {home}/plan {words.format(home)}")
    assert code == 0
    asked = {
        name: np.load(home / f"{given}.npy") if isinstance(given, str) else given
        for name, given in fields.items()
    }
    plan, found = model.solve(**asked), da.load(home / "plan")
    assert np.array_equal(found.q_values, plan.q_values)
    assert not np.array_equal(found.q_values, model.solve().q_values)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--action-penalty 0", "ACTION=PRICE"),
        ("--action-penalty jump=1", "action_penalties"),
        ("--reward-column centre", "--rewards"),
        ("--rewards {0}/table.csv", "columns row, centre, 0, 1. Choose one"),
        ("--rewards {0}/table.csv --reward-column edge", "'edge'"),
        ("--rewards {0}/mask.npy", "rewards"),
        ("--mask {0}/rewards.npy", "flags"),
        ("--mask {0}/only.csv", "'0'"),
        ("--rewards {0}/nothing.npy", "cannot be read"),
        ("--rewards {0}/empty.npy", "cannot be read"),
        ("--rewards {0}/cut.npy", "cannot be read"),
        ("--mask {0}/archive.npy", "cannot be read"),
    ],
)
def test_wrong_words_are_refused_in_one_sentence(home, capsys, words, sentence):
    code, said = run(capsys, f"solve {home}/model -o {home}/plan {words.format(home)}")
    assert code == 2
    assert sentence in said["error"]


def test_an_interrupted_solve_leaves_a_finished_plan_alone(home, capsys, monkeypatch):
    def stopped(mdp, objective, **options):
        return solve(mdp, objective, **{**options, "callback": lambda seen: True})

    path = home / "kept"
    words = f"solve {home / 'model'} -o {path} --tolerance 1e-9"
    assert not path.exists()
    solve, module = planner.solve, "deepaveragers.solvers.planner.solve"
    monkeypatch.setattr(module, stopped)
    assert run(capsys, words)[0] == 130
    assert da.load(path).status == "interrupted"
    assert run(capsys, f"{words} --gamma 0.5")[0] == 130
    assert da.load(path).objective.gamma == 0.5
    monkeypatch.setattr(module, solve)
    assert run(capsys, words)[0] == 0
    monkeypatch.setattr(module, stopped)
    code, said = run(capsys, words)
    assert code == 130
    assert f"{path} keeps the finished plan" in said["error"]
    assert da.load(path).status == "optimal"


def test_running_out_of_time_leaves_a_finished_plan_alone(home, capsys):
    path = home / "timed"
    words = f"solve {home / 'model'} -o {path}"
    assert run(capsys, words)[0] == 0
    code, said = run(capsys, f"{words} --gamma 0.9999 --tolerance 1e-9 --time-budget 1e-9")
    assert code == 1
    assert f"{path} keeps the finished plan" in said["error"]
    assert da.load(path).status == "optimal"


def test_an_action_is_meant_by_its_name_before_its_number(home, model, capsys):
    data = replace(model.transitions, action_names=("1", "300"))
    da.save(da.compile(data), home / "numbered")
    for word, best in (("1", 1), ("300", 0), ("0", 1)):
        words = f"solve {home}/numbered -o {home}/plan --forbid {word}"
        assert run(capsys, words)[0] == 0
        plan = da.load(home / "plan")
        assert (plan.q_values[~data.terminations].argmax(axis=1) == best).all()


def test_a_solve_that_starts_from_a_plan(home, model, capsys):
    usual = da.save(model.solve(gamma=0.98), home / "usual")
    words = f"solve {home}/model -o {home}/plan --gamma 0.99"
    cold, warm = run(capsys, words)[1], run(capsys, f"{words} --start {usual}")[1]
    assert warm["status"] == cold["status"] == "optimal"
    expected = model.solve(gamma=0.99, start=da.load(usual))
    assert np.array_equal(da.load(home / "plan").q_values, expected.q_values)
    assert not np.array_equal(expected.q_values, model.solve(gamma=0.99).q_values)
    da.save(da.compile(model.transitions.subset(slice(0, 500))).solve(), home / "small")
    for wrong, sentence in (("model", "a bundle with a plan"), ("small", "as this MDP has")):
        code, said = run(capsys, f"{words} --start {home}/{wrong}")
        assert code == 2
        assert sentence in said["error"]


def test_bounds_hold_whatever_plan_of_that_size_was_the_start(home, model, capsys):
    other = da.compile(da.collect("CartPole-v1", steps=len(model), seed=7), k=5)
    start = da.save(other.solve(), home / "other")
    exact = model.solve(gamma=0.99, tolerance=1e-9)
    code, told = run(capsys, f"solve {home}/model -o {home}/plan --gamma 0.99 --start {start}")
    assert code == 0
    assert told["status"] == "optimal"
    plan = da.load(home / "plan")
    assert (plan.lower <= exact.upper).all()
    assert (plan.upper >= exact.lower).all()
    with pytest.raises(SystemExit):
        main(["solve", "--help"])
    assert "of this model, or of one of the same size" in " ".join(
        capsys.readouterr().out.replace("│", " ").split()
    )


def test_collecting_by_a_plan_is_acting_by_it(home, model, capsys):
    da.save(model.solve(), home / "actor")
    collect = f"collect CartPole-v1 -o {home}/data --steps 600 --policy {home}/actor"
    code, told = run(capsys, f"{collect} --k 3 --lookup lookahead")
    assert code == 0
    found = da.load(home / "data")
    policy = model.solve().policy(k=3, lookup="lookahead")
    assert np.array_equal(found.actions, policy.act(found.observations))
    assert told["transitions"] == 600
    run(capsys, f"{collect} --epsilon 1")
    noisy = da.load(home / "data")
    assert 0.3 < np.mean(noisy.actions == model.solve().policy().act(noisy.observations)) < 0.7
    for wrong in ("--epsilon lots", "--epsilon 2", f"--policy {home}/model"):
        assert run(capsys, f"{collect} {wrong}")[0] == 2


def test_data_are_compiled_first(home, model, capsys):
    da.save(model.transitions, home / "data")
    code, result = run(capsys, f"solve {home}/data -o {home}/from-data --k 3 --gamma 0.9")
    assert code == 0
    expected = da.compile(model.transitions, 3).solve(gamma=0.9)
    assert np.array_equal(da.load(home / "from-data").values, expected.values)
    assert result["status"] == expected.status
