"""Atari datasets, written step by step: every frame once, read as `da.FrameStacks` of four.

    dataset/
      frames.npy          [F, side, side] uint8, episode after episode; an episode of T steps
                          has T + 1 frames
      places.npy          [N] int64, the frame of each transition's s
      starts.npy          [N] int64, the first frame of its episode
      actions.npy  rewards.npy  terminations.npy  truncations.npy
      about.json          how it was made

A dataset of N transitions takes 7 KB each instead of 56 KB, with sides of
84 pixels. Arrays are memory-mapped.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from .games import STACK

COLUMNS = ("places", "starts", "actions", "rewards", "terminations", "truncations")


@dataclass(frozen=True, eq=False)
class FrameData:
    """Transitions of a game; what `train_dqn` and `train_bcq` read.

    Attributes:
        observations: [N, 4, side, side] uint8 s.
        next_observations: [N, 4, side, side] uint8 s'.
        actions: [N] int32.
        rewards: [N] float64, the game's own.
        terminations: [N] bool, game over.
        truncations: [N] bool.
        about: how it was made.
    """

    observations: da.FrameStacks
    next_observations: da.FrameStacks
    actions: np.ndarray
    rewards: np.ndarray
    terminations: np.ndarray
    truncations: np.ndarray
    about: dict[str, Any]

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def num_actions(self) -> int:
        """Number of actions."""
        return len(self.about["action_names"])

    def distinct(self) -> tuple[da.FrameStacks, np.ndarray, np.ndarray]:
        """Return every stack once, and the rows of s and of s' among them.

        Most s' are the next transition's s: encoding these takes half the time.
        """
        places = np.stack([self.observations.places, self.next_observations.places])
        unique, first, rows = np.unique(places, return_index=True, return_inverse=True)
        starts = np.tile(self.observations.starts, 2)[first]
        now, later = rows.reshape(places.shape)
        return da.FrameStacks(self.observations.frames, unique, starts, STACK), now, later

    def transitions(self) -> da.Transitions:
        """Return the same as `da.Transitions`, for what does not take other records."""
        return da.Transitions(
            observations=self.observations,
            actions=self.actions,
            rewards=self.rewards,
            next_observations=self.next_observations,
            terminations=self.terminations,
            truncations=self.truncations,
            action_names=tuple(self.about["action_names"]),
        )

    @classmethod
    def open(cls, directory: Path) -> FrameData:
        """Open a dataset; its frames stay on the disk."""
        frames = np.load(directory / "frames.npy", mmap_mode="r")
        columns = {name: np.load(directory / f"{name}.npy") for name in COLUMNS}
        places, starts = columns.pop("places"), columns.pop("starts")
        return cls(
            observations=da.FrameStacks(frames, places, starts, STACK),
            next_observations=da.FrameStacks(frames, places + 1, starts, STACK),
            about=json.loads((directory / "about.json").read_text()),
            **columns,
        )


class Recorder:
    """Writes a dataset step by step; memory stays small whatever its size.

    Args:
        directory: where it goes.
        steps: number of transitions that it will have, at most.
        most_episodes: number of episodes that it will have, at most.
        side: of a picture.
    """

    def __init__(self, directory: Path, steps: int, most_episodes: int, side: int) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._file = directory / "frames.npy.part"
        shape = (steps + most_episodes, side, side)
        self._frames = np.lib.format.open_memmap(self._file, "w+", np.uint8, shape)
        self._count = 0
        self._start = 0
        self._columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}

    def __len__(self) -> int:
        return len(self._columns["actions"])

    def begin(self, frame: np.ndarray) -> None:
        """Begin an episode with its first frame."""
        self._start = self._count
        self._add(frame)

    def step(self, action: int, reward: float, frame: np.ndarray, ended: tuple[bool, bool]) -> None:
        """Record an action, what it earned, the frame it led to, and how the episode ended."""
        row = (self._count - 1, self._start, action, reward, *ended)
        for name, value in zip(COLUMNS, row, strict=True):
            self._columns[name].append(value)
        self._add(frame)

    def _add(self, frame: np.ndarray) -> None:
        self._frames[self._count] = frame
        self._count += 1

    def finish(self, about: dict[str, Any]) -> None:
        """Write what remains; about.json last, so that a dataset that has it is whole."""
        types = (np.int64, np.int64, np.int32, np.float64, bool, bool)
        for name, dtype in zip(COLUMNS, types, strict=True):
            np.save(self._directory / f"{name}.npy", np.array(self._columns[name], dtype=dtype))
        np.save(self._directory / "frames.npy", self._frames[: self._count])
        del self._frames
        self._file.unlink()
        text = json.dumps(about, indent=1)
        part = self._directory / "about.json.part"
        part.write_text(text)
        part.replace(self._directory / "about.json")
