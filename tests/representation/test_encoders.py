from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.representation.encoder import as_encoder


def test_standardize_gives_unit_variance_and_drops_constants():
    rows = np.random.default_rng(0).normal(1e6, 3.0, (500, 3))
    rows[:, 1] = 1e6 / 3
    features = da.Standardize().fit(rows).encode(rows)
    assert features.dtype == np.float32
    assert np.allclose(features[:, [0, 2]].mean(axis=0), 0, atol=1e-5)
    assert np.allclose(features[:, [0, 2]].std(axis=0), 1, atol=1e-5)
    assert (features[:, 1] == 0).all()


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
