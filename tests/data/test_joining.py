"""JSON lines as tables, and decisions joined with what came of them."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.data.tables.sources import open_table

LINES = [
    {"id": 1, "input": {"x": 0.5, "y": 1}, "action": "left", "q": {"left": 1.0, "right": 0.5}},
    {"id": 2, "input": {"x": 0.7, "y": None}, "action": "right", "q": {"left": 1.0, "right": 2}},
    {"id": 3, "input": {"x": 0.9, "y": 3}, "action": "left", "other": {"x": 1}},
]


def write(path, lines):
    text = "\n\n".join(json.dumps(line) for line in lines)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt") as file:
        file.write(text)
    return path


@pytest.mark.parametrize("name", ["log.jsonl", "log.ndjson", "log.jsonl.gz"])
def test_columns_of_json_lines(name, tmp_path):
    table = open_table(write(tmp_path / name, LINES))
    assert table.names == ("id", "input.x", "y", "action", "left", "right", "other.x")
    (chunk,) = table.chunks(table.names)
    assert chunk["input.x"].tolist() == [0.5, 0.7, 0.9]
    assert chunk["y"].tolist() == [1, None, 3]
    assert chunk["left"].tolist() == [1.0, 1.0, None]


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"a": NaN}', "\n\n", "x", "[" * 100_000])
def test_what_is_no_json_is_refused(text, tmp_path):
    (tmp_path / "log.jsonl").write_text(text)
    with pytest.raises(da.InputError, match="one JSON object a line"):
        open_table(tmp_path / "log.jsonl")


def test_decisions_and_what_came_of_them(tmp_path):
    lines = [
        {
            "id": f"d{step}",
            "time": step,
            "observation": {"x": step / 10.0},
            "action": "ab"[step % 2],
        }
        for step in range(10)
    ]
    write(tmp_path / "audit.jsonl", lines)
    known = [step for step in range(10) if step != 4]
    rows = [f"d{step},e{step // 5},{step * 2},{int(step % 5 == 4)}" for step in reversed(known)]
    (tmp_path / "outcomes.csv").write_text("\n".join(["id,episode,reward,done", *rows]))
    data = da.read(
        tmp_path / "audit.jsonl",
        join=str(tmp_path / "outcomes.csv"),
        observations="x",
        action="action",
        reward="reward",
        episode="episode",
        time="time",
        terminated="done",
    )
    assert data.observation_names == ("x",)
    assert data.rewards.tolist() == [0, 2, 4, 10, 12, 14, 16, 18]
    assert np.allclose(data.observations[:, 0], [0.0, 0.1, 0.2, 0.5, 0.6, 0.7, 0.8, 0.9])


def test_tables_that_cannot_be_joined(tmp_path):
    write(tmp_path / "a.jsonl", [{"id": 1, "a": "x", "r": 1.0}])
    asked = {"action": "a", "reward": "r", "each_row_ends": True}
    for text, sentence in (("key\n1", "a column of the first"), ("id,z\n1,2\n1,3", "twice")):
        (tmp_path / "b.csv").write_text(text)
        with pytest.raises(da.InputError, match=sentence):
            da.read(tmp_path / "a.jsonl", join=str(tmp_path / "b.csv"), **asked)
