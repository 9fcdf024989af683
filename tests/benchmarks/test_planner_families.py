"""The planner's benchmark: what its families promise."""

import numpy as np
import pytest
from benchmarks.planner.families import FAMILIES, folder, load, states

MADE_UP = [
    name for name, family in FAMILIES.items() if family.make.__module__ != "benchmarks.planner.logs"
]
SIZE = 2_000


@pytest.mark.parametrize("stage", ["development", "report"])
@pytest.mark.parametrize("name", MADE_UP)
def test_every_action_of_every_state_has_all_its_neighbors(name, stage, cache):
    mdp = load(name, SIZE, stage, cache)
    assert len(mdp) == SIZE
    assert mdp.graph.indices.min() >= 0
    assert np.unique(mdp.transitions.actions).size == mdp.transitions.num_actions


@pytest.mark.parametrize("name", MADE_UP)
def test_what_is_reported_was_not_developed_on(name, cache):
    developed, reported = (load(name, SIZE, stage, cache) for stage in ("development", "report"))
    shapes = developed.graph.indices.shape, reported.graph.indices.shape
    assert shapes[0] != shapes[1] or (developed.graph.indices != reported.graph.indices).any()
    assert FAMILIES[name].development != FAMILIES[name].report


def test_an_mdp_is_compiled_once(cache):
    load("grid", SIZE, "report", cache)
    written = {path: path.stat().st_mtime_ns for path in cache.rglob("*.npy")}
    load("grid", SIZE, "report", cache)
    assert written == {path: path.stat().st_mtime_ns for path in cache.rglob("*.npy")}


def test_other_parameters_have_another_folder(cache, monkeypatch):
    before = folder("grid", SIZE, "report", cache)
    monkeypatch.setitem(FAMILIES["grid"].report, "width", 61)
    assert folder("grid", SIZE, "report", cache) != before


def test_sizes_are_read_as_people_write_them():
    assert [states(size) for size in ("300k", "1M", "2.5m", 20_000)] == [
        300_000,
        1_000_000,
        2_500_000,
        20_000,
    ]
