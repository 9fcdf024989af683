"""The dynamics network: what it learns to tell apart, what it is told, and that it repeats."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import deepaveragers as da
from deepaveragers.data.returns import returns_to_go, rows_ahead
from deepaveragers.representation.dynamics_targets import Target, make_targets
from deepaveragers.representation.dynamics_training import prediction_loss
from deepaveragers.representation.network_files import load_encoder, save_encoder
from deepaveragers.storage.encoders import pack_encoder, unpack_encoder

SMALL = {"hidden": (32,), "dimensions": 4, "batch_size": 64, "show_progress": False}


def walk(size: int = 1_200, seed: int = 0) -> da.Transitions:
    """Column 0 moves by the action's direction times column 1; column 2 is noise."""
    generator = np.random.default_rng(seed)
    here = generator.uniform(-1, 1, (size, 3))
    actions = generator.integers(2, size=size)
    there = here.copy()
    there[:, 0] += np.where(actions == 1, 1.0, -1.0) * here[:, 1]
    return da.Transitions(
        observations=here,
        actions=actions,
        rewards=here[:, 2],
        next_observations=there,
        terminations=np.ones(size, dtype=bool),
    )


def explained(features, column) -> float:
    """Return the share of a column's variance that a linear function of the features explains."""
    inputs = np.column_stack([features, np.ones(len(features))]).astype(float)
    left = column - inputs @ np.linalg.lstsq(inputs, column, rcond=None)[0]
    return 1.0 - left.var() / column.var()


def test_what_has_no_influence_is_left_out():
    data = walk()
    encoder = da.train_dynamics(data, 600, **SMALL)
    features = encoder.encode(data.observations)
    assert features.shape == (len(data), 4)
    assert explained(features, data.observations[:, 1]) > 0.9
    assert explained(features, data.observations[:, 0]) < 0.3
    assert explained(features, data.observations[:, 2]) < 0.3


@pytest.mark.parametrize(("predict", "column"), [("reward", 2), ("state", 0), ("return", 2)])
def test_what_is_predicted_is_kept(predict, column):
    data = walk()
    encoder = da.train_dynamics(data, 600, predict=("change", predict), **SMALL)
    features = encoder.encode(data.observations)
    assert explained(features, data.observations[:, 1]) > 0.9
    assert explained(features, data.observations[:, column]) > 0.8


def test_pictures_are_told_apart_by_what_follows():
    generator = np.random.default_rng(0)
    side, action = generator.integers(2, size=(2, 400))
    frames = generator.integers(0, 60, (800, 12, 12), dtype=np.uint8)
    frames[:400][side == 0, :, :6] += 150
    frames[:400][side == 1, :, 6:] += 150
    frames[400:][action == side, :6] += 150
    data = da.Transitions(
        observations=frames[:400],
        actions=action,
        rewards=np.zeros(400),
        next_observations=frames[400:],
        terminations=np.ones(400, dtype=bool),
    )
    encoder = da.train_dynamics(data, 300, **SMALL)
    features = encoder.encode(data.observations)
    assert explained(features, side.astype(float)) > 0.9


def test_the_same_seed_gives_the_same_bits(rows):
    first, again, other = (da.train_dynamics(rows, 40, seed=seed, **SMALL) for seed in (1, 1, 2))
    assert all(np.array_equal(first.weights[name], again.weights[name]) for name in first.weights)
    assert any(
        not np.array_equal(first.weights[name], other.weights[name]) for name in first.weights
    )


def test_units_of_columns_and_rewards_change_nothing(rows):
    scaled = da.Transitions(
        observations=rows.observations * [1024.0, 0.125],
        actions=rows.actions,
        rewards=rows.rewards * 1024.0,
        next_observations=rows.next_observations * [1024.0, 0.125],
        terminations=rows.terminations,
    )
    settings = {**SMALL, "predict": ("change", "state", "reward", "return", "end", "action")}
    plain = da.train_dynamics(rows, 60, **settings).encode(rows.observations)
    assert np.array_equal(
        plain, da.train_dynamics(scaled, 60, **settings).encode(scaled.observations)
    )


def test_saved_and_loaded(rows, tmp_path):
    encoder = da.train_dynamics(rows, 5, **SMALL)
    mdp = da.compile(rows, 3, encoder)
    da.save(mdp, tmp_path / "model")
    for again in (
        load_encoder(save_encoder(encoder, tmp_path / "encoder.safetensors")),
        unpack_encoder(*pack_encoder(encoder)),
        da.load(tmp_path / "model").encoder,
    ):
        assert type(again) is da.DynamicsEncoder
        assert np.array_equal(again.encode(rows.observations), encoder.encode(rows.observations))


def test_targets_by_hand():
    data = da.Transitions(
        observations=np.array([0.0, 1.0, 4.0, 0.0, 2.0]),
        actions=[0, 1, 0, 1, 1],
        rewards=[1.0, 2.0, 4.0, 8.0, 16.0],
        next_observations=np.array([1.0, 4.0, 9.0, 2.0, 8.0]),
        terminations=[False, False, True, False, False],
        truncations=[False, False, False, False, True],
        episode_ids=[0, 0, 0, 1, 1],
    )
    assert rows_ahead(data, 1).tolist() == [1, 2, -1, 4, -1]
    assert rows_ahead(data, 0).tolist() == [0, 1, 2, 3, 4]
    assert returns_to_go(data, 0.5).tolist() == [3.0, 4.0, 4.0, 16.0, 16.0]
    two, end = make_targets(data, ("change", "end"), (2,), 0.5)
    assert two.known.tolist() == [True, True, False, True, False]
    change = np.array([4.0, 8.0, 8.0])
    expected = (change - change.mean()) / change.std()
    assert np.allclose(two.values[two.known, 0], expected)
    assert end.values[:, 0].tolist() == [0, 0, 1, 0, 0]


def test_the_loss_by_hand(rows):
    generator = np.random.default_rng(0)
    known = generator.random(len(rows)) < 0.5
    square = Target("change", "squared", generator.normal(size=(len(rows), 2)).astype("f4"), known)
    every = np.ones(len(rows), dtype=bool)
    ends = rows.terminations[:, None].astype("f4")
    chosen = rows.actions[:, None].astype("f4")
    targets = [
        square,
        Target("end", "logistic", ends, every),
        Target("action", "choice", chosen, every, per_action=False),
    ]
    batch = np.arange(20)
    outputs = generator.normal(size=(20, 6 + 3 + 3))
    action = rows.actions[batch]
    change = outputs[:, :6].reshape(20, 3, 2)[batch, action] - square.values[batch]
    expected = (change**2).mean(axis=1)[known[batch]].mean()
    logit = outputs[:, 6:9][batch, action]
    expected += np.mean(np.log1p(np.exp(logit)) - logit * ends[batch, 0])
    logits = outputs[:, 9:]
    expected += np.mean(np.log(np.exp(logits).sum(axis=1)) - logits[batch, action])
    found = prediction_loss(torch.tensor(outputs), targets, rows, batch)
    assert float(found) == pytest.approx(expected, rel=1e-6)


def test_divergence_stops_it(rows):
    with pytest.raises(da.TrainingDiverged, match="learning rate"):
        da.train_dynamics(rows, 300, **{**SMALL, "learning_rate": 1e30})


def test_rows_of_actions_are_predicted_with():
    """Column 0 moves by the action times column 1, as in `walk`; the rest is noise."""
    generator = np.random.default_rng(0)
    data = walk()
    actions = generator.uniform(-2, 2, (len(data), 2))
    there = data.observations.copy()
    there[:, 0] += actions[:, 1] * data.observations[:, 1]
    rows = da.Transitions(
        observations=data.observations,
        actions=actions,
        rewards=data.rewards,
        next_observations=there,
        terminations=data.terminations,
    )
    encoder = da.train_dynamics(rows, 600, predict=("change", "action"), **SMALL)
    features = encoder.encode(rows.observations)
    assert explained(features, rows.observations[:, 1]) > 0.9
    assert explained(features, rows.observations[:, 2]) < 0.3
    again = da.train_dynamics(rows, 600, predict=("change", "action"), **SMALL)
    np.testing.assert_array_equal(again.encode(rows.observations), features)
