"""Datasets and models that grow and shrink equal those made afresh, bit for bit."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepaveragers as da
from deepaveragers.data.editing import joined
from deepaveragers.mdp.updating import extended, without
from deepaveragers.neighbors.features import Features
from deepaveragers.neighbors.graph import NO_NEIGHBOR
from deepaveragers.neighbors.search import build_graph
from deepaveragers.storage.editing import append, forget


def fresh_graph(mdp, engine="tree"):
    """Search the model's own features from scratch."""
    data = mdp.transitions
    source, core = (mdp.encoder.encode(o) for o in (data.observations, data.next_observations))
    assert np.array_equal(source, mdp.source_features)
    assert np.array_equal(core, mdp.core_features)
    features, k = Features(source, core), mdp.graph.k
    return build_graph(features, data.actions, data.num_actions, k, engine=engine)


def check_equals_fresh(mdp, engine="tree"):
    fresh = fresh_graph(mdp, engine)
    assert np.array_equal(fresh.indices, mdp.graph.indices)
    assert np.array_equal(fresh.distances, mdp.graph.distances)
    assert mdp.graph.indices.dtype == np.int32
    assert mdp.graph.distances.dtype == np.float32


def grid_data(random, size, actions, episodes=4):
    """Observations on a coarse grid: many equal distances and identical rows."""
    return da.Transitions(
        observations=random.integers(0, 4, size=(size, 2)).astype(np.float32),
        actions=random.integers(0, actions, size=size),
        rewards=np.zeros(size),
        next_observations=random.integers(0, 4, size=(size, 2)).astype(np.float32),
        terminations=np.zeros(size, dtype=bool),
        episode_ids=np.sort(random.integers(0, episodes, size=size)),
        action_names=[str(a) for a in range(actions)],
    )


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    size=st.integers(2, 60),
    added=st.integers(1, 30),
    k=st.integers(1, 6),
    actions=st.integers(1, 4),
)
def test_updates_with_ties_equal_a_fresh_search(seed, size, added, k, actions):
    random = np.random.default_rng(seed)
    mdp = da.compile(grid_data(random, size, actions), min(k, size), da.Identity())
    larger = extended(mdp, grid_data(random, added, actions))
    check_equals_fresh(larger)
    ids = np.unique(larger.transitions.episode_ids)
    gone = random.choice(ids, size=int(random.integers(1, len(ids))), replace=False)
    check_equals_fresh(without(larger, gone))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    size=st.integers(30, 60),
    steps=st.lists(st.sampled_from(["append", "forget"]), min_size=2, max_size=5),
)
def test_one_update_after_another_equals_a_fresh_search(seed, size, steps):
    random = np.random.default_rng(seed)
    mdp = da.compile(grid_data(random, size, 3, episodes=12), 4, da.Identity())
    for step in steps:
        if step == "append":
            mdp = extended(mdp, grid_data(random, int(random.integers(1, 9)), 3))
        else:
            mdp = without(mdp, [int(random.choice(mdp.transitions.episode_ids))])
        check_equals_fresh(mdp)


def test_neighbours_that_are_all_forgotten_are_replaced():
    """Of 100 rows, those of one episode are the nearest of every state."""
    middle = np.zeros((15, 2), np.float32)
    around = np.random.default_rng(0).normal(5.0, 1.0, size=(85, 2)).astype(np.float32)
    data = da.Transitions(
        observations=np.concatenate([middle, around]),
        actions=np.zeros(100, int),
        rewards=np.zeros(100),
        next_observations=np.zeros((100, 2), np.float32),
        terminations=np.zeros(100, dtype=bool),
        episode_ids=np.repeat([0, 1], [15, 85]),
    )
    mdp = da.compile(data, 3, da.Identity())
    assert (mdp.graph.indices < 15).all()
    check_equals_fresh(without(mdp, [0]))


def test_an_action_that_is_wholly_forgotten_is_not_searched_for_in_vain():
    """Its 300 rows are the nearest of all states, and all of them go."""
    size, gone = 3_000, 300
    random = np.random.default_rng(0)
    data = da.Transitions(
        observations=random.normal(size=(size, 2)).astype(np.float32),
        actions=np.arange(size) < gone,
        rewards=np.zeros(size),
        next_observations=random.normal(size=(size, 2)).astype(np.float32),
        terminations=np.zeros(size, dtype=bool),
        episode_ids=(np.arange(size) >= gone).astype(int),
        action_names=["0", "1"],
    )
    mdp = da.compile(data, 3, da.Identity())
    shorter = without(mdp, [0])
    assert (shorter.graph.indices[:, 1] == NO_NEIGHBOR).all()
    check_equals_fresh(shorter)


def as_loaded(mdp):
    """Return the model as it comes from a bundle: without indexes."""
    return replace(mdp, graph=replace(mdp.graph))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    size=st.integers(30, 400),
    threads=st.integers(1, 3),
    steps=st.lists(
        st.tuples(st.sampled_from(["append", "forget"]), st.booleans()), min_size=2, max_size=4
    ),
)
def test_updates_of_loaded_models_equal_a_fresh_search(seed, size, threads, steps):
    random = np.random.default_rng(seed)
    mdp = da.compile(grid_data(random, size, 3, episodes=20), 4, da.Identity())
    for step, loaded in steps:
        mdp = as_loaded(mdp) if loaded else mdp
        if step == "append":
            new = grid_data(random, int(random.integers(1, 20)), 4)
            mdp = extended(mdp, new, new_actions=True, threads=threads)
        else:
            gone = [int(random.choice(mdp.transitions.episode_ids))]
            mdp = without(mdp, gone, threads=threads)
        check_equals_fresh(mdp)


def test_a_loaded_model_keeps_the_indexes_of_what_is_left(cartpole):
    mdp = as_loaded(da.compile(cartpole, 5))
    assert mdp.graph.index_cache.indexes is None
    shorter = without(mdp, [int(cartpole.episode_ids[0])])
    kept = shorter.graph.index_cache.indexes
    assert sum(index.size for index in kept.indexes) == len(shorter) == kept.covered
    check_equals_fresh(without(shorter, [int(cartpole.episode_ids[-1])]))
    check_equals_fresh(extended(shorter, da.collect("CartPole-v1", steps=50, seed=1)))


def test_indexes_are_taken_over_by_longer_graphs_only(cartpole):
    mdp = da.compile(cartpole, 5)
    kept = mdp.graph.index_cache.indexes
    longer = extended(mdp, da.collect("CartPole-v1", steps=50, seed=1))
    assert longer.graph.index_cache.indexes is kept
    gone = [int(cartpole.episode_ids[0])]
    assert without(mdp, gone).graph.index_cache.indexes is None
    assert without(longer, gone).graph.index_cache.indexes is not kept


def test_indexes_are_released_and_not_copied(cartpole):
    graph = da.compile(cartpole, 5).graph
    assert graph.index_cache.indexes is not None
    assert copy.deepcopy(graph).index_cache.indexes is None
    graph.release()
    assert graph.index_cache.indexes is None


@pytest.mark.parametrize("environment", ["CartPole-v1", "Acrobot-v1", "FrozenLake-v1"])
def test_updates_of_real_data(environment):
    data = da.collect(environment, steps=3000, seed=1)
    new = da.collect(environment, steps=40, seed=2)
    mdp = da.compile(data, k=4)
    larger = extended(mdp, new)
    check_equals_fresh(larger)
    check_equals_fresh(without(larger, [0, 3, int(larger.transitions.episode_ids[-1])]))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["tree", "dense", "brute"])
def test_updates_of_wide_data_with_rare_actions(engine):
    random = np.random.default_rng(3)
    shares = [0.6, 0.3, 0.09, 0.008, 0.002]
    data = da.Transitions(
        observations=random.normal(size=(900, 150)).astype(np.float32),
        actions=random.choice(5, size=900, p=shares),
        rewards=np.zeros(900),
        next_observations=random.normal(size=(900, 150)).astype(np.float32),
        terminations=np.zeros(900, dtype=bool),
        episode_ids=np.arange(900) // 30,
        action_names=list("abcde"),
    )
    mdp = da.compile(data.subset(slice(0, 800)), 4, da.Identity(), neighbors=engine)
    larger = extended(mdp, data.subset(slice(800, None)), threads=2)
    check_equals_fresh(larger)
    check_equals_fresh(without(larger, [0, 7, 29], threads=2))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::deepaveragers.DataWarning")
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31), size=st.integers(30, 300), share=st.sampled_from([0.01, 0.2]))
@pytest.mark.parametrize("engine", ["tree", "dense"])
def test_updates_with_rows_far_out_equal_a_fresh_search(engine, seed, size, share):
    random = np.random.default_rng(seed)
    data = grid_data(random, size, 2, episodes=10)
    columns = {}
    for name in ("observations", "next_observations"):
        columns[name] = getattr(data, name) + random.normal(size=(size, 2)).astype(np.float32)
        far = random.random(size) < share
        columns[name][far] = np.round(columns[name][far]) * np.float32(
            10.0 ** random.integers(3, 9)
        )
    data = replace(data, **columns)
    old, middle = data.subset(slice(0, size // 2)), data.subset(slice(size // 2, size * 3 // 4))
    mdp = da.compile(old, 3, da.Identity(), neighbors=engine)
    mdp = extended(extended(mdp, middle), data.subset(slice(size * 3 // 4, None)))
    check_equals_fresh(mdp, "brute")
    check_equals_fresh(without(mdp, mdp.transitions.episode_ids[:1]), "brute")


def test_new_actions_and_wider_numbers():
    random = np.random.default_rng(0)
    mdp = da.compile(grid_data(random, 30, 2), 3, da.Identity())
    new = da.Transitions(
        observations=random.normal(size=(6, 2)),
        actions=["jump", "1", "jump", "0", "jump", "1"],
        rewards=np.zeros(6),
        next_observations=random.normal(size=(6, 2)),
        terminations=np.zeros(6, dtype=bool),
    )
    with pytest.raises(da.InputError, match="the actions '0', '1'; received unknown 'jump'"):
        append(mdp, new)
    larger = append(mdp, new, new_actions=True)
    assert larger.transitions.action_names == ("0", "1", "jump")
    assert larger.transitions.actions[-6:].tolist() == [2, 1, 2, 0, 2, 1]
    check_equals_fresh(larger)


def test_removing_all_transitions_of_an_action():
    data = da.Transitions(
        observations=np.arange(8.0),
        actions=[0, 0, 0, 1, 1, 1, 1, 0],
        rewards=np.zeros(8),
        next_observations=np.arange(8.0) + 1,
        terminations=np.zeros(8, dtype=bool),
        episode_ids=[0, 0, 0, 1, 1, 1, 1, 2],
    )
    smaller = without(da.compile(data, 2), 1)
    check_equals_fresh(smaller)
    assert (smaller.graph.indices[:, 1] == -1).all()


def test_joined_ids_and_names(columns):
    old = da.Transitions(**columns, episode_ids=[4, 4, 4, 9, 9, 9])
    both = joined(old, old)
    assert both.episode_ids.tolist() == [4, 4, 4, 9, 9, 9, 10, 10, 10, 11, 11, 11]
    apart = da.Transitions(**columns, episode_ids=[5, 5, 5, 6, 6, 6])
    assert joined(old, apart).episode_ids[6:].tolist() == [5, 5, 5, 6, 6, 6]
    with pytest.raises(da.InputError, match="observations of shape"):
        joined(old, da.collect("CartPole-v1", steps=5))


def test_append_and_forget_at_a_path(tmp_path, cartpole, model):
    new = da.collect("CartPole-v1", steps=50, seed=9)
    for thing in (cartpole, model):
        path = da.save(thing, tmp_path / type(thing).__name__)
        append(path, new)
        assert len(da.load(path)) == len(cartpole) + 50
        loaded = da.load(path)
        data = loaded.transitions if isinstance(loaded, da.DacMdp) else loaded
        first = int(data.episode_ids[len(cartpole)])
        forget(path, range(first, int(data.episode_ids[-1]) + 1))
        again = da.load(path)
        if isinstance(again, da.DacMdp):
            assert np.array_equal(again.graph.indices, model.graph.indices)
            assert np.array_equal(again.graph.distances, model.graph.distances)
            again = again.transitions
        assert np.array_equal(again.observations, cartpole.observations)
    path = da.save(new, tmp_path / "new")
    assert len(append(cartpole, path)) == len(cartpole) + 50


@pytest.mark.parametrize("kind", [set, frozenset, tuple, iter, np.array, dict.fromkeys])
def test_episodes_to_forget_in_any_collection(cartpole, kind):
    left = np.unique(forget(cartpole, kind([2, 0])).episode_ids)
    assert np.array_equal(left, np.setdiff1d(cartpole.episode_ids, [0, 2]))


def test_nothing_of_a_forgotten_episode_is_left(tmp_path, cartpole):
    data = cartpole.subset(slice(0, 400))
    gone = int(data.episode_ids[200])
    rows = data.episode_ids == gone
    mdp = da.compile(data, k=3)
    path = da.save(mdp, tmp_path / "bundle")
    forget(path, gone, refit=True)
    stored = [file.read_bytes() for file in path.iterdir()]
    kept = data.subset(~rows)
    for name in ("observations", "next_observations"):
        others = {row.tobytes() for row in getattr(kept, name)}
        for row in getattr(data, name)[rows]:
            if row.tobytes() not in others:
                assert not any(row.tobytes() in content for content in stored)
    fresh = da.compile(kept, k=3)
    loaded = da.load(path)
    assert np.array_equal(loaded.encoder.mean, fresh.encoder.mean)
    assert np.array_equal(loaded.graph.distances, fresh.graph.distances)


def test_refusals(tmp_path, cartpole, plan):
    with pytest.raises(da.InputError, match="ids of episodes in the data"):
        forget(cartpole, 10**9)
    with pytest.raises(da.InputError, match="fewer than all"):
        forget(cartpole, np.unique(cartpole.episode_ids))
    with pytest.raises(da.InputError, match="one or more episode ids"):
        forget(cartpole, [])
    with pytest.raises(da.InputError, match="one or more episode ids"):
        forget(cartpole, "12")
    with pytest.raises(da.InputError, match="new must be Transitions"):
        append(cartpole, 3)
    path = da.save(plan, tmp_path / "plan")
    with pytest.raises(da.InputError, match="made again from the updated model"):
        append(path, cartpole)


@pytest.mark.parametrize("column", ["observations", "next_observations"])
def test_new_rows_too_far_for_the_features_are_refused(column):
    """As `compile` refuses them: standardised, they are beyond the largest float32."""
    data = grid_data(np.random.default_rng(0), 40, 2)
    near = {name: getattr(data, name) / 1000 for name in ("observations", "next_observations")}
    mdp = da.compile(replace(data, **near), 3)
    far = np.full_like(data.observations, 3e38)
    with pytest.raises(da.InputError, match=r"features of the new rows must be within"):
        append(mdp, replace(data, **{column: far}))


def test_refitting_leaves_nothing_in_a_transformer(cartpole):
    class Centre:
        def fit(self, rows):
            self.mean = rows.mean(axis=0)

        def transform(self, rows):
            return rows - self.mean

    mdp = da.compile(cartpole, 3, da.TransformerEncoder(Centre()))
    shorter = forget(mdp, [0, 1, 2], refit=True)
    left = shorter.transitions.observations.mean(axis=0)
    np.testing.assert_array_equal(shorter.encoder.transformer.mean, left)


@pytest.mark.slow
def test_refitting_a_random_network_and_refusing_a_trained_one(cartpole):
    pytest.importorskip("torch")
    mdp = da.compile(cartpole, 3, da.RandomNetwork(dimensions=4))
    shorter = forget(mdp, [0, 1, 2], refit=True)
    left = shorter.transitions.observations.mean(axis=0, dtype=np.float64)
    np.testing.assert_allclose(shorter.encoder.weights["input.mean"], left, rtol=1e-6)
    trained = da.compile(cartpole, 3, da.train_dqn(cartpole, 2))
    with pytest.raises(da.InputError, match="refit"):
        forget(trained, [0], refit=True)
