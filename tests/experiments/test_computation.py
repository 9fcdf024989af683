"""The computation figure: measured on a handful of frames, and its ratios."""

from __future__ import annotations

import json

import pytest
from experiments.atari.dataset import make_data
from experiments.computation import large
from experiments.computation.__main__ import main
from experiments.computation.ratios import first_run, table, training

for extra in ("torch", "safetensors", "ale_py", "cv2"):
    pytest.importorskip(extra)

FIGURES = {
    "game": "Pong",
    "transitions": 1_000,
    "encode": 3.0,
    "search": 1.5,
    "first plan": 0.5,
    "further objectives": {"one": 0.1, "another": 0.4, "a third": 0.2},
    "seconds an update": {"DQN": 0.02, "BCQ": 0.04},
}


def test_ratios_are_of_training_for_as_many_updates_as_transitions():
    assert first_run(FIGURES) == 5.0
    assert training(FIGURES, "DQN") == 20.0
    text = table(FIGURES)
    assert "| **ours, first run** | 5.00 | 4x | 8x |" in text
    assert "| **ours again, median** | 0.20 | 100x | 200x |" in text


@pytest.mark.slow
def test_everything_is_measured(tmp_path, capsys):
    make_data("Pong", "scripted", 150, 0, tmp_path / "data")
    output = tmp_path / "figures.json"
    main([str(tmp_path / "data"), "--updates-timed", "2", "--output", str(output)])
    figures = json.loads(output.read_text())
    assert figures["transitions"] == 150
    assert min(figures["encode"], figures["search"], figures["first plan"]) > 0.0
    assert len(figures["further objectives"]) == 5
    assert "ours again, median" in capsys.readouterr().out


def test_the_large_model_is_compiled_and_planned(tmp_path):
    output = tmp_path / "large.json"
    large.main(["--rows", "3000", "--output", str(output)])
    figures = json.loads(output.read_text())
    assert (figures["rows"], figures["actions"], figures["dimensions"]) == (3_000, 6, 16)
    assert figures["status"] == "optimal"
    assert {one["status"] for one in figures["further objectives"].values()} == {"optimal"}
    assert min(figures["compile"], figures["first plan"]) > 0.0
