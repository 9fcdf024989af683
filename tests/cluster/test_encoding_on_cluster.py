"""Observations that nodes encode have the features of one machine, whatever is killed."""

from __future__ import annotations

import logging
from functools import partial

import numpy as np
import pytest
from tests.cluster import harm

import deepaveragers as da
from deepaveragers.representation import on_cluster
from deepaveragers.representation.network_encoder import BATCH

pytest.importorskip("torch")

EPISODES, LENGTH = 12, 60


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(on_cluster, "MOST_ROWS", BATCH)


def columns(seed=0):
    random = np.random.default_rng(seed)
    size = EPISODES * LENGTH
    return random, {
        "actions": random.integers(0, 3, size),
        "rewards": random.normal(size=size),
        "terminations": np.arange(size) % LENGTH == LENGTH - 1,
        "episode_ids": np.arange(size) // LENGTH,
    }


def vectors():
    random, others = columns()
    states = random.normal(size=(EPISODES * LENGTH + 1, 6)).astype(np.float32)
    return da.Transitions(observations=states[:-1], next_observations=states[1:], **others)


def pictures():
    random, others = columns()
    frames = random.integers(0, 255, (EPISODES * (LENGTH + 1), 20, 20), dtype=np.uint8)
    here, later = da.FrameStacks.of_episodes(frames, [LENGTH] * EPISODES, size=3)
    return da.Transitions(observations=here, next_observations=later, **others)


def check_same(found, expected):
    assert np.array_equal(found.source_features, expected.source_features)
    assert np.array_equal(found.core_features, expected.core_features)
    assert np.array_equal(found.graph.indices, expected.graph.indices)


@pytest.mark.parametrize("made", [vectors, pictures])
def test_features_are_those_of_one_machine(made, cluster, tmp_path):
    data, encoder = made(), da.RandomNetwork(dimensions=16)
    expected = da.compile(data, 3, encoder)
    check_same(da.compile(data, 3, encoder, cluster="auto", work_dir=tmp_path), expected)
    (folder,) = tmp_path.glob("encoding-*")
    assert len(list(folder.glob("features/*.npy"))) == 2 * 3
    assert not (folder / "inputs").exists(), "observations are not kept twice"


def test_a_node_killed_and_a_driver_that_goes_on(cluster, tmp_path, monkeypatch, caplog):
    data, encoder = vectors(), da.RandomNetwork(dimensions=16)
    mark, work = tmp_path / "harmed", tmp_path / "work"
    monkeypatch.setattr(on_cluster, "encode_block", partial(harm.kill_encoding, str(mark)))
    expected = da.compile(data, 3, encoder)
    with caplog.at_level(logging.WARNING, "deepaveragers.cluster"):
        check_same(da.compile(data, 3, encoder, cluster="auto", work_dir=work), expected)
    assert "encoding observations: task" in caplog.text
    journal = mark.with_name("journal")
    assert len(journal.read_text().split()) == 2 * 3, "what was finished is not done again"
    # As after a kill of the driver: some blocks are there, and others are not.
    lost = sorted(work.glob("encoding-*/features/*.npy"))[1]
    lost.unlink()
    check_same(da.compile(data, 3, encoder, cluster="auto", work_dir=work), expected)
    assert journal.read_text().split()[6:] == [str(lost)]
    # Another network has another folder.
    other = da.RandomNetwork(dimensions=16, seed=1)
    check_same(
        da.compile(data, 3, other, cluster="auto", work_dir=work), da.compile(data, 3, other)
    )
    assert len(list(work.glob("encoding-*"))) == 2


def test_code_of_the_callers_runs_on_the_driver(cluster, tmp_path):
    data = vectors()
    compiled = da.compile(data, 3, lambda batch: 2 * batch, cluster="auto", work_dir=tmp_path)
    assert np.array_equal(compiled.source_features, 2 * data.observations)
    assert not list(tmp_path.glob("encoding-*"))


def test_blocks_are_whole_batches():
    assert on_cluster.rows_of_blocks(np.empty((9, 4), np.float32)) == BATCH
    large = np.empty((0, 4, 2_000, 2_000), np.uint8)
    assert on_cluster.rows_of_blocks(large) == BATCH
