"""Networks read pictures by how they differ."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.representation.architecture import design
from deepaveragers.representation.standardizing import picture_standardization

torch = pytest.importorskip("torch")


def pictures(shape: tuple[int, ...]) -> np.ndarray:
    """A bright background on which one pixel moves."""
    shown = np.full((50, *shape), 200, np.uint8)
    for i in range(50):
        shown[(i, *(0 for _ in shape[:-2]), i % shape[-2], i % shape[-1])] = 0
    return shown


@pytest.mark.parametrize("shape", [(40, 40), (3, 40, 40), (40, 40, 3)])
def test_mean_zero_and_deviation_one_as_the_network_reads_them(shape: tuple[int, ...]) -> None:
    seen = pictures(shape)
    network = design(seen, hidden=(8,), heads=("q",), outputs=2)
    found = picture_standardization(network, seen)
    read = seen.astype(np.float64) / 255.0
    if network.channels == "none":
        read = read[:, None]
    elif network.channels == "last":
        read = read.transpose(0, 3, 1, 2)
    read = (read - found["input.mean"]) * found["input.scale"]
    assert np.abs(read.mean(axis=0)).max() < 1e-4
    assert read.std() == pytest.approx(1.0, abs=1e-3)


def test_constant_pictures_are_left_in_peace() -> None:
    seen = np.full((5, 40, 40), 7, np.uint8)
    network = design(seen, hidden=(8,), heads=("q",), outputs=2)
    assert picture_standardization(network, seen)["input.scale"] == 1.0


@pytest.mark.parametrize("standardize", [True, False])
def test_trained_encoders_keep_how_they_read(tmp_path, standardize: bool) -> None:
    rng = np.random.default_rng(0)
    data = da.Transitions(
        observations=pictures((40, 40)),
        actions=rng.integers(2, size=50),
        rewards=rng.normal(size=50),
        next_observations=pictures((40, 40)),
        terminations=np.zeros(50, bool),
    )
    encoder = da.train_dqn(data, 3, standardize_pictures=standardize, batch_size=4)
    assert ("input.mean" in encoder.weights) == standardize
    again = da.load_encoder(da.save_encoder(encoder, tmp_path / "encoder.safetensors"))
    np.testing.assert_array_equal(
        again.encode(data.observations), encoder.encode(data.observations)
    )
