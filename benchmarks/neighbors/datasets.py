"""The data that engines are compared on; made once, and kept under a directory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import deepaveragers as da
from benchmarks.arrays import Array, Float32

from .pictures import picture_features

STEPS = 200
ACTIONS = 6


@dataclass(frozen=True, eq=False)
class Problem:
    """Source and core features [N, D] float32, actions [N], and how many actions there are."""

    source: Float32
    core: Float32
    actions: Array
    num_actions: int

    def rows(self, action: int) -> Float32:
        """Return the source features of one action."""
        return self.source[self.actions == action]


Maker = Callable[[Path], tuple[Array, Array, Array, int]]


def cart_pole(count: int, cache: Path) -> tuple[Array, Array, Array, int]:
    """(a) CartPole under random actions, as an averager would see it: 4-d, standardized."""
    data = da.collect("CartPole-v1", steps=count, seed=0)
    encoder = da.Standardize().fit(data.observations)
    source, core = (encoder.encode(o) for o in (data.observations, data.next_observations))
    return source, core, data.actions, 2


def smooth_system(count: int, cache: Path) -> tuple[Array, Array, Array, int]:
    """(b) A 16-d latent, through a random layer, of a smooth 6-d system pushed by 6 actions."""
    random = np.random.default_rng(0)
    turn = np.linalg.qr(random.normal(size=(6, 6)))[0] * 0.97 * 1.05
    push = random.normal(size=(ACTIONS, 6)) * 0.25
    inner, shift = random.normal(size=(6, 64)) * 0.7, random.normal(size=64)
    outer = random.normal(size=(64, 16)) / 8
    state = random.normal(size=(count // STEPS, 6))
    actions = random.integers(0, ACTIONS, size=(len(state), STEPS)).astype(np.int32)
    latents = np.empty((len(state), STEPS + 1, 16), dtype=np.float32)
    for step in range(STEPS + 1):
        latents[:, step] = np.tanh(state @ inner + shift) @ outer
        if step < STEPS:
            state = np.tanh(state @ turn + push[actions[:, step]])
            state += 0.02 * random.normal(size=state.shape)
    source, core = latents[:, :-1].reshape(-1, 16), latents[:, 1:].reshape(-1, 16)
    return source, core, actions.reshape(-1), ACTIONS


def gaussian(count: int, cache: Path) -> tuple[Array, Array, Array, int]:
    """(d) 16-d independent Gaussian numbers: nothing to make use of."""
    random = np.random.default_rng(0)
    numbers = random.normal(size=(2, count, 16)).astype(np.float32)
    return numbers[0], numbers[1], random.integers(0, ACTIONS, count).astype(np.int32), ACTIONS


def catalogue(quick: bool) -> dict[str, Maker]:
    """Return how each dataset is made, by name."""
    small, sizes = (5_000, (10_000, 20_000, 40_000)) if quick else (100_000, SIZES)
    smooth = {f"b-{size}": partial(smooth_system, size) for size in sizes}
    return {
        f"a-{small}": partial(cart_pole, small),
        **smooth,
        f"c-{2_000 if quick else small}": partial(picture_features, 2_000 if quick else small),
        f"d-{small}": partial(gaussian, small),
    }


SIZES = (100_000, 1_000_000, 2_500_000)
TITLES = {
    "a": "CartPole, 4-d, 2 actions",
    "b": "latent of a smooth system, 16-d, 6 actions",
    "c": "random-CNN features of SpaceInvaders frames, 512-d, 6 actions",
    "d": "iid Gaussian, 16-d, 6 actions",
}


def prepare(name: str, make: Maker, cache: Path) -> Path:
    """Make a dataset unless it is there; return its directory."""
    directory = cache / name
    if not (directory / "actions.npy").exists():
        directory.mkdir(parents=True, exist_ok=True)
        source, core, actions, num_actions = make(cache)
        np.save(directory / "source.npy", np.ascontiguousarray(source, dtype=np.float32))
        np.save(directory / "core.npy", np.ascontiguousarray(core, dtype=np.float32))
        np.save(directory / "num_actions.npy", num_actions)
        np.save(directory / "actions.npy", actions.astype(np.int32))
    return directory


def load(directory: Path) -> Problem:
    """Read a dataset."""
    names = ("source", "core", "actions", "num_actions")
    source, core, actions, count = (np.load(directory / f"{name}.npy") for name in names)
    return Problem(source, core, actions, int(count))
