"""Modules and transformers of the caller's as encoders."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import deepaveragers as da


class Centre:
    """A transformer as scikit-learn's are: fitted in place, without its base class."""

    mean = None

    def fit(self, rows):
        self.mean = rows.mean(axis=0)
        return self

    def transform(self, rows):
        return rows - self.mean


def module() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout(0.5))


def test_a_module_is_an_encoder(rows, tmp_path):
    network = module()
    mdp = da.compile(rows, 2, network)
    with torch.no_grad():
        expected = network[0](torch.tensor(rows.observations, dtype=torch.float32)).numpy()
    assert np.allclose(mdp.source_features, expected, atol=1e-6)
    assert network.training, "the mode is left as it was"
    in_parts = da.TorchEncoder(network, batch_size=7).encode(rows.observations)
    assert np.allclose(in_parts, expected, atol=1e-6)

    da.save(mdp, tmp_path / "model")
    again = da.load(tmp_path / "model", encoder=network)
    assert np.allclose(again.encoder.encode(rows.observations), expected, atol=1e-6)
    with pytest.raises(da.InputError, match="encoder"):
        da.load(tmp_path / "model")


def test_pictures_reach_a_module_between_0_and_1(pictures):
    features = da.TorchEncoder(torch.nn.Identity()).encode(pictures.observations)
    assert features.shape == (300, 144)
    assert np.allclose(features, pictures.observations.reshape(300, -1) / 255.0)


def test_a_transformer_is_fitted_as_a_copy(rows, pictures, tmp_path):
    given = Centre()
    mdp = da.compile(rows, 2, given)
    assert given.mean is None
    assert np.allclose(mdp.source_features.mean(axis=0), 0.0, atol=1e-6)
    assert da.compile(pictures, 2, Centre()).core_features.shape == (300, 144)

    da.save(mdp, tmp_path / "model")
    again = da.load(tmp_path / "model", encoder=mdp.encoder)
    assert np.array_equal(again.encoder.encode(rows.observations), mdp.source_features)


def test_a_fitted_transformer_can_be_kept(rows):
    fitted = Centre().fit(np.full((3, 2), 5.0))
    mdp = da.compile(rows, 2, da.TransformerEncoder(fitted, refit=False))
    assert np.allclose(mdp.source_features, rows.observations - 5.0)


def test_wrong_objects_are_refused(rows):
    with pytest.raises(da.InputError, match="transform"):
        da.TransformerEncoder(object())
    with pytest.raises(da.InputError, match=r"torch\.nn\.Module"):
        da.TorchEncoder(lambda batch: batch)
    with pytest.raises(da.InputError, match="encoder"):
        da.compile(rows, 2, 3)
