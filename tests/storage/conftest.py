"""Small records that the tests of this folder harm."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da


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
    return {**columns, "names": np.array(thing.action_names)}


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
