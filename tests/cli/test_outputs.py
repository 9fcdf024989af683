"""Commands look at the place that they will write to before the work, and change nothing there."""

from __future__ import annotations

import os

import pytest

import deepaveragers as da
from deepaveragers.cli import main
from deepaveragers.errors import StorageError
from deepaveragers.outputs import check_file, check_folder

COMMANDS = {
    "collect": ("collect CartPole-v1 -o {target}", "deepaveragers.data.collecting.collect"),
    "import": ("import {home}/log.csv -o {target}", "deepaveragers.data.reading.read_reported"),
    "export": ("export {home}/data -o {target}.npz", "deepaveragers.storage.records.load_as"),
    "doctor": (
        "doctor {home}/data --report {target}.html",
        "deepaveragers.doctor.diagnosing.diagnose",
    ),
    "append": (
        "append {home}/model {home}/data -o {target}",
        "deepaveragers.storage.editing.append",
    ),
    "forget": (
        "forget {home}/model --episodes 0 -o {target}",
        "deepaveragers.storage.editing.forget",
    ),
    "train": (
        "train {home}/data -o {target}.safetensors",
        "deepaveragers.representation.catalogue.train_by_name",
    ),
    "compile": ("compile {home}/data -o {target}", "deepaveragers.mdp.compilation.compile"),
    "solve": ("solve {home}/model -o {target}", "deepaveragers.solvers.planner.solve"),
    "fit": ("fit {home}/data -o {target}", "deepaveragers.evaluation.fitting.fit.fit"),
    "compare": (
        "compare {home}/plan {home}/plan --picture {target}.png",
        "deepaveragers.evaluation.comparing.compare",
    ),
    "report": ("report {home}/plan -o {target}.html", "deepaveragers.reporting.report.report"),
    "quickstart": ("quickstart -o {target}", "deepaveragers.collect"),
}


@pytest.fixture
def home(columns, tmp_path):
    data = da.Transitions(**columns)
    mdp = da.compile(data, k=1)
    for name, thing in (("data", data), ("model", mdp), ("plan", mdp.solve())):
        da.save(thing, tmp_path / name)
    (tmp_path / "file").write_text("not a folder")
    return tmp_path


def contents(folder):
    return {
        file: (file.stat().st_mtime_ns, file.read_bytes() if file.is_file() else None)
        for file in [folder, *folder.rglob("*")]
    }


def refuse(words, work, monkeypatch, capsys):
    """Run a command that is to be refused before its work, and return what it says."""

    def begun(*given, **options):
        raise AssertionError("the work was begun")

    monkeypatch.setattr(work, begun)
    with pytest.raises(SystemExit) as leaving:
        main(words.split())
    assert leaving.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("dac: ")
    assert said.count("\n") == 1
    return said


@pytest.mark.parametrize("command", COMMANDS)
def test_a_place_below_a_file(command, home, monkeypatch, capsys):
    words, work = COMMANDS[command]
    before = contents(home)
    said = refuse(words.format(home=home, target=home / "file" / "new"), work, monkeypatch, capsys)
    assert "cannot be written" in said
    assert contents(home) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_without_permission(command, home, monkeypatch, capsys):
    words, work = COMMANDS[command]
    before, allowed = contents(home), os.access

    def access(path, mode, **options):
        return not mode & os.W_OK and allowed(path, mode, **options)

    monkeypatch.setattr(os, "access", access)
    said = refuse(words.format(home=home, target=home / "new"), work, monkeypatch, capsys)
    assert "may not be written to" in said
    assert contents(home) == before


@pytest.mark.parametrize("verb", ["append {0}/model {0}/data", "forget {0}/model --episodes 0"])
def test_an_update_in_place(verb, home, monkeypatch, capsys):
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    work = {"append": "extended", "forget": "without"}[verb.split()[0]]
    before = contents(home)
    said = refuse(verb.format(home), f"deepaveragers.storage.editing.{work}", monkeypatch, capsys)
    assert "may not be written to" in said
    assert contents(home) == before


def test_places_that_can_be_written(tmp_path):
    (tmp_path / "file").touch()
    before = contents(tmp_path)
    for path in (tmp_path / "file", tmp_path / "new", tmp_path / "some" / "where" / "new"):
        check_file(path)
    for path in (tmp_path, tmp_path / "new", tmp_path / "some" / "where"):
        check_folder(path)
    assert contents(tmp_path) == before


def test_names_that_no_file_can_have(tmp_path):
    with pytest.raises(StorageError, match="cannot be written: "):
        check_folder(tmp_path / ("x" * 300))
    with pytest.raises(StorageError, match="is a directory"):
        check_file(tmp_path)
