"""DQN and BCQ on the same walks, with the settings of the paper's Table 4."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from .cases import CASES
from .planning import REPORT_SEED
from .representations import shrink
from .results import Row, figures_of
from .rollouts import play, starts
from .rooms import ROOMS, Look
from .study import Scale
from .walks import Walk

TRAINERS: dict[str, Callable[..., Any]] = {"DQN": da.train_dqn, "BCQ": da.train_bcq}


@dataclass(frozen=True, eq=False)
class Pictures:
    """One picture a step, without a copy for each time it is used.

    Attributes:
        frames: [F, H, W, 3] uint8.
        places: [N] int64, each step's frame.
    """

    frames: np.ndarray
    places: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape, rows first."""
        return (len(self.places), *self.frames.shape[1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of a pixel."""
        return self.frames.dtype

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, rows: Any) -> np.ndarray:
        picked: np.ndarray = self.frames[self.places[rows]]
        return picked


@dataclass(frozen=True, eq=False)
class PictureWalk:
    """A walk as training reads it; the fields are those of `da.Transitions`."""

    observations: Pictures
    next_observations: Pictures
    actions: np.ndarray
    rewards: np.ndarray
    terminations: np.ndarray
    num_actions: int

    def __len__(self) -> int:
        return len(self.actions)

    @classmethod
    def of(cls, walk: Walk, average: int = 1) -> PictureWalk:
        """Return a walk with all its frames in memory, averaged over squares of pixels."""
        parts, sources, targets, first = [], [], [], 0
        for frames, source, target in walk.frames():
            parts.append(frames if average == 1 else shrink(frames, average))
            sources.append(source + first)
            targets.append(target + first)
            first += len(frames)
        frames, data = np.concatenate(parts), walk.transitions()
        return cls(
            observations=Pictures(frames, np.concatenate(sources)),
            next_observations=Pictures(frames, np.concatenate(targets)),
            actions=data.actions,
            rewards=data.rewards,
            terminations=data.terminations,
            num_actions=data.num_actions,
        )


def run_baseline(
    baseline: str, name: str, seed: int, scale: Scale, directory: Path
) -> Iterator[Row]:
    """Yield the row of one baseline, on one walk of a room and its first case.

    `plan_seconds` is the processor time of the training, and `sweeps` the number of updates.
    """
    case = next(case for case in CASES if case.room == name)
    walk = Walk(name, seed, scale.steps, Look(), directory)
    for done in walk.make():
        print(f"{name}, walk {seed}: {done:,} of {scale.steps:,} steps", flush=True)
    data = PictureWalk.of(walk)
    room = ROOMS[name](Look())
    began = time.process_time()
    network = TRAINERS[baseline](
        data, scale.updates, preset="navigation", gamma=case.objective.gamma, seed=seed
    )
    seconds = time.process_time() - began
    resets = starts(scale.episodes[name], REPORT_SEED)
    played = play(room, network.policy().act, resets, steps=case.steps)
    print(f"{name}, {baseline}: {played.returns.mean():.3f} after {seconds:.0f} s", flush=True)
    yield Row(
        room=name,
        case=case.name,
        representation=baseline,
        seed=seed,
        policy_k=0,
        encode_seconds=0.0,
        search_seconds=0.0,
        plan_seconds=seconds,
        sweeps=scale.updates,
        behavior=float(walk.transitions().episode_returns().mean()),
        **figures_of(case, played),
    )
