"""The graph of all core states and actions: contents, checks at the door, choice, report."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace

import numpy as np
import pytest

from deepaveragers.errors import InputError, MissingExtraError
from deepaveragers.neighbors import choice
from deepaveragers.neighbors.features import Features
from deepaveragers.neighbors.graph import NO_NEIGHBOR
from deepaveragers.neighbors.search import build_graph
from deepaveragers.neighbors.tuning import Tuning

HAS_TORCH = importlib.util.find_spec("torch") is not None
ENGINES = [name for name in choice.EXACT if name != "torch" or HAS_TORCH]


@pytest.fixture(scope="module")
def inputs() -> dict[str, object]:
    rng = np.random.default_rng(0)
    source = np.round(rng.normal(size=(700, 4)), 1).astype(np.float32)
    core = np.concatenate([source[1:], source[:1]])
    core[100:200] = core[0]
    actions = rng.choice([0, 1, 3], size=700).astype(np.int32)
    return {
        "features": Features(source, core),
        "actions": actions,
        "num_actions": 5,
        "k": 4,
    }


@pytest.mark.parametrize("engine", ["auto", *ENGINES])
def test_neighbours_are_global_rows_of_the_right_action(inputs, engine):
    graph = build_graph(**inputs, engine=engine)
    features, actions = inputs["features"], inputs["actions"]
    source, core = features.source, features.core
    assert graph.indices.shape == graph.distances.shape == (700, 5, 4)
    assert (graph.indices.dtype, graph.distances.dtype) == (np.int32, np.float32)
    for action in (0, 1, 3):
        rows = graph.indices[:, action]
        assert (actions[rows] == action).all()
        own = np.flatnonzero(actions == action)
        squared = ((core[:, None].astype(float) - source[None, own]) ** 2).sum(axis=2)
        nearest = own[np.argsort(squared, axis=1, kind="stable")[:, :4]]
        gaps = np.linalg.norm(core[:, None].astype(float) - source[nearest], axis=2)
        np.testing.assert_allclose(graph.distances[:, action], gaps, rtol=1e-6)
    for action in (2, 4):
        assert (graph.indices[:, action] == NO_NEIGHBOR).all()
        assert np.isinf(graph.distances[:, action]).all()
    assert graph.report.exact
    assert graph.report.seconds > 0


def test_every_engine_and_thread_count_gives_the_same_bits(inputs):
    expected = build_graph(**inputs, engine="brute")
    for engine in ENGINES:
        for threads in (1, 2):
            graph = build_graph(**inputs, engine=engine, threads=threads)
            np.testing.assert_array_equal(graph.indices, expected.indices)
            np.testing.assert_array_equal(graph.distances, expected.distances)


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"core": np.zeros((700, 3))}, "core_features"),
        ({"source": np.full((700, 4), np.nan)}, "source_features"),
        ({"source": np.zeros((700, 4), dtype=int)}, "source_features"),
        ({"source": np.zeros(700)}, "source_features"),
        ({"source": np.full((700, 4), -1e200)}, "source_features"),
        ({"core": np.full((700, 4), 1e37, dtype=np.float32)}, "core_features"),
    ],
)
def test_wrong_features_are_refused(inputs, change, parameter):
    with pytest.raises(InputError) as refusal:
        replace(inputs["features"], **change)
    assert refusal.value.parameter == parameter


@pytest.mark.parametrize("change", [{"num_actions": 3}, {"actions": np.zeros(3, np.int32)}])
def test_wrong_actions_are_refused(inputs, change):
    with pytest.raises(InputError, match="actions"):
        build_graph(**{**inputs, **change})


def test_auto_times_the_exact_engines_when_the_search_is_large(inputs):
    graph = build_graph(**inputs, tuning=Tuning(trial_least_lookups=0, very_narrow=0))
    assert graph.report.engine in choice.EXACT
    assert any("projected" in note for note in graph.report.notes)


def test_auto_takes_the_tree_for_narrow_data_without_a_trial(inputs):
    narrow = inputs["features"].source.shape[1]
    report = build_graph(**inputs, tuning=Tuning(trial_least_lookups=0, very_narrow=narrow)).report
    assert report.engine == "tree"
    assert not any("projected" in note for note in report.notes)


@pytest.mark.parametrize("engine", ["tree", "brute"])
def test_a_graph_cannot_be_changed(inputs, engine):
    graph = build_graph(**inputs, engine=engine)
    for column in (graph.indices, graph.distances):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


def test_auto_says_so_when_exact_search_does_not_fit_the_budget(inputs):
    with pytest.raises(InputError, match="time projected for exact search"):
        build_graph(**inputs, time_budget=1e-9)


def test_hnsw_measures_its_recall(inputs, tmp_path):
    pytest.importorskip("faiss")
    expected = build_graph(**inputs)
    for _ in range(2):
        graph = build_graph(**inputs, engine="hnsw", resume_dir=tmp_path)
        assert not graph.report.exact
        assert graph.report.recall >= 0.99
        same = graph.distances == expected.distances
        assert same.mean() >= 0.98


def test_hnsw_where_exact_search_does_not_fit_the_budget(inputs):
    pytest.importorskip("faiss")
    graph = build_graph(**inputs, time_budget=1e-9, allow_approximate=True)
    assert graph.report.engine == "hnsw"


def test_hnsw_without_faiss_names_the_extra(inputs, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtraError, match=r"deepaveragers\[ann\]"):
        build_graph(**inputs, engine="hnsw")


def test_a_neighbour_that_an_engine_did_not_find_is_none(inputs, monkeypatch):
    class Forgetful(choice.EXACT["brute"]):
        def query(self, points, k, *, threads=1):
            rows, distances = super().query(points, k, threads=threads)
            rows[:, -1], distances[:, -1] = NO_NEIGHBOR, np.inf
            return rows, distances

    monkeypatch.setitem(choice.EXACT, "brute", Forgetful)
    graph = build_graph(**inputs, engine="brute")
    assert (graph.indices[:, :, -1] == NO_NEIGHBOR).all()
    assert (graph.indices[:, 0, :-1] != NO_NEIGHBOR).all()
