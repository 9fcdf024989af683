"""Parquet files by URL, as pyarrow's file systems have them; a disk stands for a store."""

from __future__ import annotations

import json

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.cli.app import run
from deepaveragers.data.tables.object_store import is_stored

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 30
COLUMNS = {"episode": "run", "time": "t", "action": "a", "reward": "r", "terminated": "end"}


@pytest.fixture
def store(tmp_path):
    """Three Parquet files of one log, and one of ours."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for part in range(3):
        step = np.arange(ROWS)
        columns = {"run": np.full(ROWS, part), "t": step, "a": step % 2, "r": step / 3.0,
                   "end": step == ROWS - 1, "x": np.sin(step + part)}  # fmt: skip
        pq.write_table(pa.table(columns), folder / f"part{part}.parquet")
    da.write(da.collect("CartPole-v1", 50, seed=0, show_progress=False), folder / "own.parquet")
    (folder / "log.csv").write_text("a,r\n1,2\n")
    return folder


def test_patterns_lists_and_files(store, same):
    expected = da.read(str(store / "part*.parquet"), **COLUMNS, observations="x")
    url = store.as_uri()
    assert len(expected) == 3 * ROWS
    same(da.read(f"{url}/part*.parquet", **COLUMNS, observations="x"), expected)
    several = [f"{url}/part{part}.parquet" for part in range(3)]
    same(da.read(several, **COLUMNS, observations="x"), expected)
    same(da.read(f"{url}/own.parquet"), da.read(store / "own.parquet"))


def test_import_in_parts(store, tmp_path, capsys):
    options = [word for name, column in COLUMNS.items() for word in (f"--{name}", column)]
    source = f"{store.as_uri()}/part?.parquet"
    command = ["import", source, *options, "-o", str(tmp_path / "data"), "--parts", "4096"]
    assert run([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["transitions"] == 3 * ROWS


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("log.csv", "source must be a Parquet or Arrow file, where it is in an object store"),
        ("none.parquet", "none.parquet cannot be read"),
        ("none*.parquet", "no file matches"),
    ],
)
def test_what_cannot_be_read_is_said(store, name, sentence):
    with pytest.raises(da.DeepAveragersError, match=sentence):
        da.read(f"{store.as_uri()}/{name}", action="a", reward="r")


def test_urls_that_are_refused():
    with pytest.raises(da.InputError, match="a pattern in its last part only"):
        da.read("s3://bucket/*/log.parquet", action="a")
    with pytest.raises(da.InputError, match="a URL without a name or password"):
        da.read("s3://key:secret@bucket/log.parquet", action="a")
    with pytest.raises(da.InputError, match="a URL without a name or password"):
        da.read(["s3://key:secret@bucket/log.parquet"], action="a")
    with pytest.raises(da.InputError, match="Download the file first"):
        da.read("https://host/log.parquet", action="a", reward="r")
    assert is_stored("s3://bucket/log.parquet")
    assert not is_stored("postgresql://host/log")
    assert not is_stored("C:\\logs\\log.parquet")
