from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.representation.encoder import as_encoder


def test_standardize_gives_unit_variance_and_drops_constants():
    rows = np.random.default_rng(0).normal(1e6, 3.0, (500, 3))
    rows[:, 1] = 1e6 / 3
    features = da.Standardize().fit(rows).encode(rows)
    assert features.dtype == np.float64
    assert np.allclose(features[:, [0, 2]].mean(axis=0), 0, atol=1e-5)
    assert np.allclose(features[:, [0, 2]].std(axis=0), 1, atol=1e-5)
    assert (features[:, 1] == 0).all()


def test_standardized_features_are_as_precise_as_the_data():
    rows = np.random.default_rng(0).normal(size=(50, 2))
    for kind in (np.float32, np.float64):
        encoder = da.Standardize().fit(rows.astype(kind))
        for asked in (np.float32, np.float64):
            assert encoder.encode(rows.astype(asked)).dtype == kind


def test_what_float64_tells_apart_is_told_apart(tmp_path):
    """Rows a billionth apart, of numbers near 1: float32 features would be equal."""
    rng = np.random.default_rng(0)
    rows = 1.0 + 1e-9 * rng.permutation(400)[:, None]
    rows = np.concatenate([rows, [[0.0], [2.0]]])
    data = da.Transitions(
        observations=rows[:-1],
        actions=np.zeros(401, int),
        rewards=np.zeros(401),
        next_observations=rows[1:],
        terminations=np.zeros(401, bool),
    )
    mdp = da.compile(data, k=3)
    gaps = np.abs(data.next_observations - data.observations.T)
    expected = np.lexsort((np.broadcast_to(np.arange(401), gaps.shape), gaps), axis=1)[:, :3]
    found = np.take_along_axis(gaps, mdp.graph.indices[:, 0].astype(int), axis=1)
    assert np.allclose(found, np.take_along_axis(gaps, expected, axis=1), atol=1e-12)
    loaded = da.load(da.save(mdp, tmp_path / "model"))
    assert loaded.encoder.encode(rows).dtype == np.float64
    assert loaded.core_features.dtype == np.float64


def test_updates_keep_the_precision_of_a_model():
    rng = np.random.default_rng(0)

    def some(size, kind):
        rows = rng.normal(size=(size + 1, 2)).astype(kind)
        flags = np.zeros(size, bool)
        parts = {"actions": np.arange(size) % 2, "rewards": np.ones(size), "terminations": flags}
        return da.Transitions(observations=rows[:-1], next_observations=rows[1:], **parts)

    for old, new in ((np.float64, np.float64), (np.float32, np.float64), (np.float64, np.float32)):
        first, second = some(40, old), some(10, new)
        longer = da.append(da.compile(first, k=2), second)
        assert longer.source_features.dtype == old
        fresh = longer.encoder.encode(longer.transitions.observations)
        assert np.array_equal(fresh, longer.source_features)


def test_fitting_leaves_the_encoder_as_it_was():
    encoder = da.Standardize()
    encoder.fit(np.eye(3))
    assert encoder.mean is None


def test_identity_keeps_precision():
    rows = np.array([[1e9 + 0.25]])
    assert da.Identity().encode(rows)[0, 0] == 1e9 + 0.25


def test_functions_are_encoders(cartpole):
    mdp = da.compile(cartpole, k=2, encoder=lambda rows: rows[:, 2:])
    assert mdp.core_features.shape == (len(cartpole), 2)


def test_a_function_of_wrong_shape_is_refused(cartpole):
    with pytest.raises(da.InputError, match="encoder must be a function that returns"):
        da.compile(cartpole, encoder=lambda rows: rows[:, 0])


def test_the_data_fit_the_encoder(cartpole):
    encoder = as_encoder(None, cartpole.observations).fit(cartpole.observations)
    mdp = da.compile(cartpole)
    assert np.array_equal(encoder.encode(cartpole.observations), mdp.source_features)
