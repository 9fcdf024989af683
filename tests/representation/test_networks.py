"""Networks with given weights: shapes, seeds, batches, storage."""

from __future__ import annotations

import numpy as np
import pytest

from deepaveragers.errors import InputError
from deepaveragers.representation.architecture import Architecture, design
from deepaveragers.representation.network_encoder import BATCH, NetworkEncoder
from deepaveragers.representation.random_network import RandomNetwork
from deepaveragers.storage.encoders import pack_encoder, unpack_encoder


def pictures(shape: tuple[int, ...], count: int = 3) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (count, *shape), dtype=np.uint8)


def test_the_papers_layers():
    network = design(pictures((4, 84, 84)), hidden=(512, 16), heads=("q",), outputs=6)
    assert network.layers() == {
        "trunk.0": (32, 4, 8, 8),
        "trunk.1": (64, 32, 4, 4),
        "trunk.2": (64, 64, 3, 3),
        "q.0": (512, 3136),
        "q.1": (16, 512),
        "q.output": (6, 16),
    }
    assert Architecture.from_json(network.to_json()) == network


@pytest.mark.parametrize("shape", [(84, 84), (84, 84, 3), (4, 84, 84), (12, 12, 3), (4, 60, 80)])
def test_pictures_of_any_layout(shape):
    batch = pictures(shape)
    features = RandomNetwork(dimensions=32).fit(batch).encode(batch)
    assert features.shape == (3, 32)
    assert features.dtype == np.float32
    assert len(np.unique(features, axis=0)) == 3


def test_channels_first_and_last_see_the_same_picture():
    first = pictures((3, 84, 84))
    last = np.moveaxis(first, 1, -1)
    encoder = RandomNetwork(dimensions=32)
    assert np.allclose(encoder.fit(first).encode(first), encoder.fit(last).encode(last), atol=1e-6)


def test_the_seed_decides():
    rows = np.random.default_rng(0).normal(size=(50, 4))
    one, again, other = (
        RandomNetwork(dimensions=8, seed=s).fit(rows).encode(rows) for s in (1, 1, 2)
    )
    assert np.array_equal(one, again)
    assert not np.allclose(one, other)


def test_vectors_are_standardised_first():
    rows = np.random.default_rng(0).normal(size=(200, 3))
    scaled = rows * [1.0, 1e3, 1e-3] + 5.0
    encoder = RandomNetwork(dimensions=8)
    assert np.allclose(
        encoder.fit(rows).encode(rows), encoder.fit(scaled).encode(scaled), atol=1e-4
    )


def test_batches_do_not_matter_and_out_is_written(tmp_path):
    batch = pictures((36, 36), BATCH + 5)
    encoder = RandomNetwork(dimensions=16).fit(batch)
    out = np.lib.format.open_memmap(tmp_path / "features.npy", "w+", np.float32, (len(batch), 16))
    whole = encoder.encode(batch, out)
    assert whole is out
    rows = np.concatenate([encoder.encode(batch[i : i + 1]) for i in range(0, len(batch), 50)])
    assert np.allclose(whole[::50], rows, atol=1e-6)


def test_blur_averages_over_the_neighbourhood():
    chequers = np.indices((42, 42)).sum(axis=0) % 2 * 255
    batch = np.stack([chequers, 255 - chequers]).astype(np.uint8)
    sharp = RandomNetwork(dimensions=16).fit(batch).encode(batch)
    soft = RandomNetwork(dimensions=16, blur=5).fit(batch).encode(batch)
    assert np.linalg.norm(np.subtract(*soft)) < 0.5 * np.linalg.norm(np.subtract(*sharp))


def test_networks_are_stored_as_plain_arrays():
    batch = pictures((84, 84, 3))
    encoder = RandomNetwork(dimensions=16).fit(batch)
    again = unpack_encoder(*pack_encoder(encoder))
    assert isinstance(again, NetworkEncoder)
    assert np.array_equal(again.encode(batch), encoder.encode(batch))


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="blur"):
        RandomNetwork(blur=4).fit(pictures((84, 84)))
    with pytest.raises(InputError, match="architecture"):
        RandomNetwork(architecture="vgg").fit(pictures((84, 84)))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'mlp' for vector"):
        RandomNetwork(architecture="nature_cnn").fit(np.zeros((5, 4)))
    with pytest.raises(InputError, match="a batch of shape"):
        RandomNetwork().fit(pictures((84, 84))).encode(pictures((84, 80)))
    with pytest.raises(InputError, match="fitted"):
        RandomNetwork().encode(pictures((84, 84)))
