"""Random walks through the rooms, cached on disk.

A walk is a bundle of transitions whose observations are poses (x, z, heading). The picture
at a pose is always the same, so each is drawn once and lies beside the bundle: frame i is
what the agent saw at step i, and one more frame ends every episode.

A walk is made in chunks; a chunk that is there already is not made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import deepaveragers as da

from .rooms import ACTION_NAMES, EPISODE_STEPS, PIXELS, ROOMS, Look, NavigationRoom

CHUNK = 10_000
FRAMES = "frames.npy"
BUNDLE = "poses"


@dataclass(frozen=True)
class Walk:
    """Where a random walk lies, and how it was made.

    Attributes:
        room: a key of ROOMS.
        seed: of the walk.
        steps: its length.
        look: of the room.
        directory: of all walks.
        drawn: whether pictures are kept; a walk of poses alone is much quicker.
    """

    room: str
    seed: int
    steps: int
    look: Look
    directory: Path
    drawn: bool = True

    @property
    def chunks(self) -> list[Path]:
        """The directories of its chunks."""
        count = -(-self.steps // CHUNK)
        look = f"{self.look.floor}-{self.look.field_of_view:.0f}"
        look += "-coloured" if self.look.coloured_walls else ""
        look += "-any-heading" if self.look.any_heading else ""
        look += "" if self.drawn else "-poses"
        home = self.directory / self.room / look / f"seed-{self.seed}"
        return [home / f"chunk-{number:02d}" for number in range(count)]

    def make(self) -> Iterator[int]:
        """Make the chunks that are missing; yield the number of steps there are so far."""
        room: NavigationRoom | None = None
        done = 0
        for number, path in enumerate(self.chunks):
            size = min(CHUNK, self.steps - done)
            if not _is_made(path, size):
                room = room or ROOMS[self.room](self.look)
                room.drawing = self.drawn
                _make_chunk(room, path, size, (self.seed, number))
                room.drawing = True
            done += size
            yield done

    def transitions(self) -> da.Transitions:
        """Return the walk with poses [N, 3] as observations."""
        parts = [da.load(path / BUNDLE) for path in self.chunks]
        ids = np.cumsum([0] + [int(part.episode_ids.max()) + 1 for part in parts])
        columns = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in (
                "observations",
                "actions",
                "rewards",
                "next_observations",
                "terminations",
                "truncations",
            )
        }
        episode_ids = [part.episode_ids + first for part, first in zip(parts, ids, strict=False)]
        return da.Transitions(
            **columns, episode_ids=np.concatenate(episode_ids), action_names=ACTION_NAMES
        )

    def frames(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield per chunk: frames [F, 84, 84, 3] uint8, and the frames of s and of s' [n]."""
        for path in self.chunks:
            part = da.load(path / BUNDLE)
            sources = np.arange(len(part)) + part.episode_ids
            yield np.load(path / FRAMES, mmap_mode="r"), sources, sources + 1


def _is_made(path: Path, size: int) -> bool:
    return (path / BUNDLE).exists() and len(da.load(path / BUNDLE)) == size


def _make_chunk(room: NavigationRoom, path: Path, size: int, seed: tuple[int, int]) -> None:
    generator = np.random.default_rng(seed)
    frames = np.empty((size + size // 2, PIXELS, PIXELS, 3), dtype=np.uint8)
    poses = np.empty((len(frames), 3))
    actions, rewards, ends, episode_ids = [], [], [], []
    used = 0
    while len(actions) < size:
        number = len(ends)
        observation, info = room.reset(seed=int(generator.integers(2**31)))
        frames[used], poses[used] = observation, info["pose"]
        used += 1
        terminated = False
        for _ in range(min(EPISODE_STEPS, size - len(actions))):
            action = int(generator.integers(len(ACTION_NAMES)))
            observation, reward, terminated, _, info = room.step(action)
            frames[used], poses[used] = observation, info["pose"]
            used += 1
            actions.append(action)
            rewards.append(reward)
            episode_ids.append(number)
            if terminated:
                break
        ends.append(terminated)
    ids = np.array(episode_ids)
    last = np.append(ids[1:] != ids[:-1], True)
    terminations = last & np.array(ends)[ids]
    sources = np.arange(size) + ids
    path.mkdir(parents=True, exist_ok=True)
    if room.drawing:
        np.save(path / FRAMES, frames[:used])
    walk = da.Transitions(
        observations=poses[sources],
        actions=actions,
        rewards=rewards,
        next_observations=poses[sources + 1],
        terminations=terminations,
        truncations=last & ~terminations,
        episode_ids=ids,
        action_names=ACTION_NAMES,
    )
    da.save(walk, path / BUNDLE)
