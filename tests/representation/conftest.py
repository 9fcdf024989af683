"""Small datasets for networks; the tests below need the extra `deep`."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import torch

from deepaveragers.data.transitions import Transitions

torch.set_num_threads(1)


def vectors(size: int = 400, seed: int = 0) -> Transitions:
    """Two random columns; action 1 in the right half earns 1, and one in ten ends it."""
    generator = np.random.default_rng(seed)
    states = generator.uniform(-1, 1, (size + 1, 2))
    actions = generator.integers(3, size=size)
    return Transitions(
        observations=states[:-1],
        actions=actions,
        rewards=((states[:-1, 0] > 0) & (actions == 1)).astype(float),
        next_observations=states[1:],
        terminations=generator.random(size) < 0.1,
        action_names=("left", "stay", "right"),
    )


@pytest.fixture
def rows() -> Transitions:
    return vectors()


@pytest.fixture
def pictures() -> Transitions:
    """Noise of 12 x 12 pixels in which the left or the right half is bright."""
    generator = np.random.default_rng(0)
    side = generator.integers(2, size=301)
    frames = generator.integers(0, 60, (301, 12, 12), dtype=np.uint8)
    frames[side == 0, :, :6] += 150
    frames[side == 1, :, 6:] += 150
    actions = generator.integers(2, size=300)
    return Transitions(
        observations=frames[:-1],
        actions=actions,
        rewards=(actions == side[:-1]).astype(float),
        next_observations=frames[1:],
        terminations=np.ones(300, dtype=bool),
    )
