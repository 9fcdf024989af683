"""import, export, append and forget on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import deepaveragers as da
from deepaveragers.cli import data_commands
from deepaveragers.cli.import_command import import_data
from deepaveragers.data.mapping import TableMapping
from deepaveragers.data.reading import read_reported
from deepaveragers.errors import DeepAveragersError

app = typer.Typer()
app.command("import")(import_data)
app.command("export")(data_commands.export_data)
app.command()(data_commands.doctor)
app.command()(data_commands.append)
app.command()(data_commands.forget)

LOG = """run,t,x,v,act,rew,end,cut
a,0,0.5,1,left,1,0,0
a,1,0.6,2,right,1,0,0
b,0,1.5,1,left,0,0,0
a,2,0.7,3,left,1,1,0
b,1,1.6,2,right,2,0,0
b,2,1.7,2,right,2,0,1
"""
OPTIONS = (
    "--episode run --time t --observations x,v --action act --reward rew --terminated end "
    "--truncated cut"
)


def run(command):
    result = CliRunner().invoke(app, [str(part) for part in command.split()])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


@pytest.mark.slow
def test_import_export_append_forget(tmp_path):
    (tmp_path / "log.csv").write_text(LOG)
    data = tmp_path / "data"
    out = json.loads(run(f"import {tmp_path / 'log.csv'} {OPTIONS} -o {data} --json"))
    assert out["transitions"] == 5
    assert out["format"] == "table"
    assert out["actions"] == ["left", "right"]
    loaded = da.load(data)
    assert loaded.next_observations.tolist() == [
        [0.6, 2], [0.7, 3], [0.7, 3], [1.6, 2], [1.7, 2],
    ]  # fmt: skip
    assert loaded.terminations.tolist() == [False, False, True, False, False]
    text = run(f"import {tmp_path / 'log.csv'} {OPTIONS} -o {data}")
    assert "Read as table" in text
    assert "left out" in text
    found = json.loads(run(f"doctor {data} --report {tmp_path / 'r.html'} --json"))
    assert found["facts"]["transitions"] == 5
    assert (tmp_path / "r.html").exists()
    assert "5 transitions, 2 episodes" in run(f"doctor {data}")
    run(f"export {data} -o {tmp_path / 'data.npz'}")
    run(f"import {tmp_path / 'data.npz'} -o {tmp_path / 'again'}")
    assert np.array_equal(da.load(tmp_path / "again").observations, loaded.observations)
    grown = json.loads(run(f"append {data} {tmp_path / 'again'} --json"))
    assert grown["transitions"] == 10
    shrunk = json.loads(run(f"forget {data} --episodes a -o {tmp_path / 'less'} --json"))
    assert shrunk["transitions"] == 4
    assert len(da.load(data)) == 10
    (tmp_path / "log.csv").write_text(LOG.replace("left", "lift"))
    run(f"import {tmp_path / 'log.csv'} {OPTIONS} -o {tmp_path / 'other'}")
    with pytest.raises(da.InputError, match="unknown 'lift'"):
        run(f"append {data} {tmp_path / 'other'}")
    run(f"append {data} {tmp_path / 'other'} --new-actions")
    assert da.load(data).action_names == ("left", "right", "lift")


def test_import_with_a_mapping_file(tmp_path):
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "m.toml").write_text(
        'episode = "run"\ntime = "t"\nobservations = ["x", "v"]\naction = "act"\nreward = "rew"\n'
    )
    out = json.loads(
        run(
            f"import {tmp_path / 'log.csv'} --mapping {tmp_path / 'm.toml'} --terminated end "
            f"-o {tmp_path / 'd'} --json"
        )
    )
    assert out["transitions"] == 5


def test_import_looks_before_it_asks(tmp_path):
    (tmp_path / "log.csv").write_text(LOG)
    text = run(f"import {tmp_path / 'log.csv'}")
    assert "8 columns, all 6 rows looked at" in text
    assert "act" in text
    assert "left, right" in text
    found = json.loads(run(f"import {tmp_path / 'log.csv'} --json"))
    assert found["guess"]["episode"] == "run"
    assert found["guess"]["time"] == "t"
    assert found["guess"]["terminated"] == "end"
    assert found["command"].startswith("dac import ")
    assert [one["name"] for one in found["columns"]] == LOG.splitlines()[0].split(",")
    (tmp_path / "log.csv").write_text("x;y\n1,5;14.08.2024\n2,5;15.08.2024\n")
    found = json.loads(run(f"import {tmp_path / 'log.csv'} --json"))
    assert found["guess"]["decimal"] == ","
    assert found["guess"]["action"] == "COLUMN"
    assert found["columns"][1]["kind"] == "date"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("import {0}/log.csv --action act --reward rew", "--output must be given"),
        ("import {0}/none.csv -o {0}/d", "does not exist"),
        ("import {0}/log.csv -o {0}/d", "action and reward must be the name of a column"),
        ("import {0}/log.csv --action q --reward rew -o {0}/d", "action must be a column: run"),
        ("import {0}/log.csv --format excel -o {0}/d", "format must be"),
        ("export {0}/none -o {0}/x.npz", "does not exist"),
        ("forget {0}/none --episodes x", "does not exist"),
    ],
)
def test_errors_are_one_clear_sentence(tmp_path, command, message):
    (tmp_path / "log.csv").write_text(LOG)
    with pytest.raises(DeepAveragersError, match=message):
        run(command.format(tmp_path))


def test_columns_named_like_roles_are_not_overlooked():
    columns = {"Episode": [0, 0, 1], "step": [0, 1, 0], "x": [1.0, 2.0, 3.0], "done": [0, 1, 1]}
    columns |= {"a": [0, 1, 0], "r": [0.0, 1.0, 0.0]}
    asked = {"action": "a", "reward": "r"}
    for given, named in (
        ({}, {"'Episode'", "'step'", "'done'"}),
        ({"episode": "Episode", "time": "step"}, {"'done'"}),
        ({"episode": "Episode", "time": "step", "terminated": "done"}, set()),
        ({"observations": ["x", "done"]}, set()),
    ):
        notes = read_reported(columns, mapping=TableMapping.of({**asked, **given})).notes
        told = [note for note in notes if "is taken for an observation" in note]
        assert {note.split()[1] for note in told} == named


def test_costs_as_rewards(tmp_path):
    (tmp_path / "log.csv").write_text(LOG.replace(",rew,", ",cost,"))
    options, data = OPTIONS.replace("--reward rew", "--reward cost"), tmp_path / "data"
    run(f"import {tmp_path / 'log.csv'} {options} --reward-scale -1 -o {data}")
    assert da.load(data).rewards.max() == 0
    assert da.load(data).rewards.min() < 0
