"""The commands that ask: the same answers as the functions, as text and as JSON."""

from __future__ import annotations

import dataclasses
import json
import shlex

import pytest
import typer

import deepaveragers as da
from deepaveragers.cli import ask_commands

app = typer.Typer()
for name in ("explain", "guarantee", "compare"):
    app.command(name)(getattr(ask_commands, name))


@pytest.fixture(scope="module")
def plans(tmp_path_factory, model):
    home = tmp_path_factory.mktemp("plans")
    da.save(model.solve(gamma=0.95), home / "one")
    da.save(model.solve(gamma=0.95, cost=50.0), home / "two")
    da.save(model.transitions.subset(slice(0, 800)), home / "data")
    return home


def ask(capsys, command):
    app(shlex.split(command), standalone_mode=False)
    return capsys.readouterr().out


def test_explain(plans, capsys):
    found = json.loads(ask(capsys, f"explain {plans}/one --observation 0,0,0.1,0 --json"))
    assert sum(e["share"] for e in found["evidence"]) == pytest.approx(
        max(found["q_values"].values()), abs=1e-6
    )
    words = f"explain {plans}/one --transition 5 --steps 3 --lookup lookahead"
    found = json.loads(ask(capsys, f"{words} --json"))
    parts = found["reward"] + found["future"] - found["penalty"]
    assert parts == pytest.approx(max(found["q_values"].values()), rel=1e-5)
    assert len(found["imagined"]) == 3
    text = ask(capsys, words)
    assert "imagined action" in text
    for wrong in ("", "--observation 1,2 --transition 1", "--transition 999999"):
        with pytest.raises(da.InputError):
            ask(capsys, f"explain {plans}/one {wrong}")
    with pytest.raises(da.InputError, match="--observation"):
        ask(capsys, f"explain {plans}/one --observation up")


@pytest.fixture(scope="module")
def named_plan(tmp_path_factory, model):
    data = dataclasses.replace(
        model.transitions,
        observation_names=("position", "velocity", "angle", "spin"),
        observation_units={"angle": "rad"},
        episode_names=[f"run {number}" for number in range(model.transitions.num_episodes)],
    )
    home = tmp_path_factory.mktemp("named")
    da.save(da.compile(data, 5).solve(gamma=0.95), home / "plan")
    return home / "plan"


def test_explain_a_step_of_an_episode(named_plan, plans, model, capsys):
    rows = (model.transitions.episode_ids == model.transitions.episode_ids[40]).nonzero()[0]
    number = int(model.transitions.episode_ids[40])
    place = sorted(set(model.transitions.episode_ids.tolist())).index(number)
    for plan, episode in ((named_plan, f"run {place}"), (plans / "one", number)):
        by_step = ask(capsys, f"explain {plan} --episode '{episode}' --step 1 --json")
        assert by_step == ask(capsys, f"explain {plan} --transition {rows[1]} --json")
    for wrong, match in (
        ("'run 0' --step 9999", r"--step must be in 0\.\."),
        ("nobody", "episodes"),
        ("'run 0' --transition 1", "one of the three"),
    ):
        with pytest.raises(da.InputError, match=match):
            ask(capsys, f"explain {named_plan} --episode {wrong}")


def test_explain_by_name(named_plan, capsys):
    def answer(observation):
        words = f"explain {named_plan} --json --cases 2 --observation {shlex.quote(observation)}"
        return json.loads(ask(capsys, words))

    plain = answer("0,0.5,0.1,0")
    assert answer("spin=0, angle=0.1, velocity=0.5, position=0") == plain
    assert answer('{"angle": 0.1, "spin": 0, "position": 0, "velocity": 0.5}') == plain
    assert plain["observation"] == {"position": 0, "velocity": 0.5, "angle": 0.1, "spin": 0}
    assert len(plain["cases"]) == 2
    assert plain["cases"][0]["episode"].startswith("run ")
    text = ask(capsys, f"explain {named_plan} --observation 0,0.5,0.1,0")
    assert "angle [rad]" in text
    assert "The shares add" not in text
    assert "led to states" in ask(capsys, f"explain {named_plan} --transition 3 --details")
    for wrong, sentence in (
        ("angle=0.1", "none named 'position', 'velocity', 'spin'"),
        ("angle=0.1,angle=0.2", "each name once"),
        ("angle=0.1,0.2", "NAME=VALUE pairs"),
        ("{angle}", "NAME=VALUE pairs or JSON"),
        ("position=0,velocity=0,angle=x,spin=0", r"observation\['angle'\] must be a number"),
    ):
        with pytest.raises(da.InputError, match=sentence):
            answer(wrong)


def test_compare_draws_named_columns(named_plan, tmp_path, capsys):
    words = f"compare {named_plan} {named_plan} --picture {tmp_path}/a.svg --columns"
    ask(capsys, f"{words} angle,3")
    with pytest.raises(
        da.InputError, match=r"columns must be two numbers in 0\.\.3, or names among"
    ):
        ask(capsys, f"{words} angle,pitch")


def test_guarantee(plans, capsys):
    found = json.loads(ask(capsys, f"guarantee {plans}/one --lipschitz 2 --deterministic --json"))
    assert found["sampling"] == 0.0
    assert "lower bound" in ask(capsys, f"guarantee {plans}/one")


def test_compare(plans, capsys):
    picture = plans / "difference.png"
    found = json.loads(
        ask(capsys, f"compare {plans}/one {plans}/two --picture {picture} --columns 2,3 --json")
    )
    assert found["first_loss"]["lost"] >= -found["first_loss"]["error"]
    assert picture.exists()
    assert "different actions" in ask(capsys, f"compare {plans}/one {plans}/two")
    with pytest.raises(da.InputError, match="--columns"):
        ask(capsys, f"compare {plans}/one {plans}/two --picture {picture} --columns 2")
