"""What a newcomer gets wrong first, and the sentence that puts it right."""

from __future__ import annotations

import shlex
import warnings

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.cli import main


@pytest.fixture
def home(tmp_path, columns):
    data = da.Transitions(**columns)
    mdp = da.compile(data, k=1)
    for name, thing in (("data", data), ("model", mdp), ("plan", mdp.solve())):
        da.save(thing, tmp_path / name)
    (tmp_path / "log.csv").write_text("x,action\n1,a\n")
    twice = "run,t,x,action,reward,done\n0,0,1,a,0,0\n0,0,2,a,0,0\n0,1,3,b,0,1\n"
    (tmp_path / "twice.csv").write_text(twice)
    return tmp_path


COLUMNS = "--episode run --time t --observations x --action action --reward reward --done done"
COMMANDS = {
    "compile data -o new --k five": ("--k", "a whole number", "'five'"),
    "solve model -o new --gamma 0,9": ("--gamma", "a number", "'0,9'", "Write 0.9."),
    "collect CartPole-v1 -o new --steps 1e3": ("--steps", "whole number", "'1e3'", "Write 1000."),
    "compile model -o new": ("with transitions", "model, a bundle with a model", "made of"),
    "evaluate model --env CartPole-v1": ("a bundle with a plan", "`dac solve` makes a plan"),
    "explain data --transition 0": ("`dac compile` makes a model of it, and `dac solve`",),
    "doctor log.csv": ("log.csv is not", "it is a file", "`dac import log.csv -o data`"),
    f"import twice.csv {COLUMNS} -o new": ("the same time", "--duplicates first"),
    "doctor data --report nowhere/report.html": ("a folder that exists", "Make the folder"),
    "doctor data --report nowhere/report.png": ("a folder that exists", "Make the folder"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_what_was_wrong_and_what_to_do(command, home, monkeypatch, capsys):
    monkeypatch.chdir(home)
    before = sorted(home.iterdir())
    with pytest.raises(SystemExit) as leaving:
        main(shlex.split(command))
    said = capsys.readouterr().err
    assert leaving.value.code == 2
    for words in COMMANDS[command]:
        assert words in said
    assert sorted(home.iterdir()) == before


@pytest.mark.parametrize(("command", "kept"), [("evaluate", False), ("compile", True)])
def test_an_interrupt_speaks_of_bundles_only_where_one_is_written(
    command, kept, monkeypatch, capsys
):
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("deepaveragers.cli.app.run", interrupted)
    with pytest.raises(SystemExit):
        main([command, "anything"])
    assert ("half-written" in capsys.readouterr().err) == kept


def test_an_import_that_left_rows_out_does_not_say_that_nothing_was_done(tmp_path, capsys):
    rows = "\n".join(f"0,{t},{t * t % 7},{'ab'[t % 2]},{t % 3},{int(t == 29)}" for t in range(30))
    text = f"run,t,x,action,reward,done\n{rows}\n".replace("0,4,2,", "0,4,,")
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(SystemExit) as leaving:
        main(shlex.split(f"import {tmp_path}/log.csv --fix {COLUMNS} -o {tmp_path}/data"))
    said = capsys.readouterr()
    assert leaving.value.code == 0, said.err
    assert "left out" in said.out
    assert "Nothing" not in said.out


@pytest.mark.parametrize(
    ("call", "given", "meant"),
    [
        (lambda data: da.compile(data, K=5), "K", "k"),
        (lambda data: da.collect("CartPole-v1", step=5), "step", "steps"),
        (lambda data: da.Transitions(terminals=[True]), "terminals", "terminations"),
        (lambda data: da.Objective(gama=0.9), "gama", "gamma"),
        (lambda data: da.evaluate("random", "CartPole-v1", episode=1), "episode", "episodes"),
        (lambda data: da.fit(data, gammas=0.9), "gammas", "gamma"),
        (lambda data: da.guarantee(data, lipshitz=1.0), "lipshitz", "lipschitz"),
    ],
)
def test_a_misspelled_keyword_is_told_what_was_meant(call, given, meant, cartpole):
    with pytest.raises(da.InputError, match=f"received '{given}'. Did you mean '{meant}'?"):
        call(cartpole)


def test_an_encoder_by_name_is_told_the_encoders(cartpole):
    with pytest.raises(da.InputError, match=r"'standardise'.*da\.Standardize\(\).*da\.Identity"):
        da.compile(cartpole, encoder="standardise")


def test_an_observation_that_is_not_finite_is_no_matter_of_transitions(plan):
    with pytest.raises(da.InputError, match="where the observation comes from") as refused:
        plan.policy().act([np.nan] * 4)
    assert "transitions" not in str(refused.value)


def test_columns_of_a_picture(plan, model, tmp_path):
    found = plan.compare(model.solve(gamma=0.9))
    assert found.picture(tmp_path / "a.png", columns=(0.0, np.int64(1))).is_file()
    for wrong in ((True, False), (0, 4), (0.5, 1), (0,), ("0", 1)):
        with pytest.raises(da.InputError, match="columns must be"):
            found.picture(tmp_path / "b.png", columns=wrong)


def test_a_warning_about_data_points_at_the_line_that_compiles():
    rows = np.random.default_rng(0).normal(size=(200, 2))
    rows[0, 0] = 1e30
    data = da.Transitions(
        observations=rows,
        actions=[0, 1] * 100,
        rewards=np.zeros(200),
        next_observations=rows,
        terminations=np.ones(200, dtype=bool),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        da.compile(data, k=1)
    assert [one.filename for one in caught if one.category is da.DataWarning] == [__file__]
