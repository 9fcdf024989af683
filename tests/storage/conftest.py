"""Small records that the tests of this folder harm."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

import deepaveragers as da

MEMORY = Path("/dev/shm")
"""Files here need not wait for a disk: a killed process loses nothing that it wrote to them."""


@pytest.fixture(scope="session")
def records():
    """A dataset, a model and a plan, small enough to be loaded thousands of times."""
    data = da.collect("CartPole-v1", steps=40, seed=0)
    mdp = da.compile(data, k=2)
    return {"transitions": data, "model": mdp, "plan": mdp.solve(gamma=0.9)}


def _arrays(thing):
    if isinstance(thing, da.Plan):
        own = {"values": thing.values, "q_values": thing.q_values}
        return {**_arrays(thing.mdp), **own, "gamma": np.array(thing.objective.gamma)}
    if isinstance(thing, da.DacMdp):
        graph = {"indices": thing.graph.indices, "distances": thing.graph.distances}
        own = {"source": thing.source_features, "core": thing.core_features}
        return {**_arrays(thing.transitions), **graph, **own}
    names = ("observations", "actions", "rewards", "next_observations", "terminations")
    columns = {name: getattr(thing, name) for name in (*names, "truncations", "episode_ids")}
    beside = ("observation_names", "observation_units", "episode_names", "times", "propensities")
    given = {name: getattr(thing, name) for name in ("action_names", *beside)}
    return {**columns, **{name: np.array(v) for name, v in given.items() if v is not None}}


def _equal(left, right):
    if type(left) is not type(right):
        return False
    ours, theirs = _arrays(left), _arrays(right)
    return all(
        ours[name].dtype == theirs[name].dtype
        and np.array_equal(np.asarray(ours[name]), np.asarray(theirs[name]))
        for name in ours
    )


@pytest.fixture(scope="session")
def equal():
    return _equal


@pytest.fixture
def swift_path(tmp_path):
    """A directory in memory where there is one: the kills fall into work, not into waiting."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as directory:
        yield Path(directory)


@pytest.fixture(scope="session")
def pair(records):
    """An old and a new dataset of different sizes."""
    old = records["transitions"]
    rows = np.tile(np.arange(len(old)), 200)
    return old, old.subset(rows)
