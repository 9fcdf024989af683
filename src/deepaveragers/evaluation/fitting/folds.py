"""Which episodes a candidate is made from, and which judge it.

Episodes are never split. Where a log has too few of them (one long series), it is cut into
blocks of time first: a block is cut off at its end, and its first state counts as a start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64, Int64
from ...data.transitions import Transitions
from ...errors import InputError

FEWEST_EPISODES = 20
"""With fewer episodes than this, a log is cut into blocks of time."""
BLOCKS = 40
SHORTEST_BLOCK = 10
"""Transitions."""


@dataclass(frozen=True, eq=False)
class Log:
    """Episodes as the judges read them.

    Attributes:
        data: the transitions.
        first: [E] int64, the first row of each episode.
        last: [E] int64, its last row.
        number: [N] int64, the episode of each row.
        step: [N] int64, how many steps of its episode came before.
        gamma: discount.
    """

    data: Transitions
    first: Int64
    last: Int64
    number: Int64
    step: Int64
    gamma: float

    def __len__(self) -> int:
        return len(self.first)

    def discounted(self) -> Float64:
        """Return [E] float64, the discounted return of each episode as far as it was logged."""
        return self.per_episode(self.data.rewards * self.gamma**self.step)

    def draws(self, count: int, seed: int) -> list[Int64]:
        """Return `count` bootstrap samples of the episodes, as rows."""
        generator = np.random.default_rng((seed, 3))
        episodes = generator.integers(len(self), size=(count, len(self)))
        rows = [np.arange(f, t + 1) for f, t in zip(self.first, self.last, strict=True)]
        return [np.concatenate([rows[one] for one in drawn]) for drawn in episodes]

    def per_episode(self, values: Float64) -> Float64:
        """Return [E] sums of [N] values."""
        return np.bincount(self.number, values, minlength=len(self)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Fold:
    """One part of the log, and the rest of it.

    Attributes:
        made_from: rows of the log that candidates are made from.
        judged_on: the other rows.
    """

    made_from: Int64
    judged_on: Int64


def as_log(data: Transitions, gamma: float) -> Log:
    """Return the episodes of a dataset."""
    slices = list(data.episodes())
    first = np.array([one.start for one in slices], dtype=np.int64)
    last = np.array([one.stop - 1 for one in slices], dtype=np.int64)
    number = np.repeat(np.arange(len(slices)), last - first + 1)
    return Log(data, first, last, number, np.arange(len(data)) - first[number], gamma)


def in_blocks(data: Transitions) -> tuple[Transitions, bool]:
    """Return the data with enough episodes to be divided, and whether they had to be cut."""
    if data.num_episodes >= FEWEST_EPISODES:
        return data, False
    length = max(SHORTEST_BLOCK, len(data) // BLOCKS)
    step = as_log(data, 0.0).step
    starts = step % length == 0
    ids = np.cumsum(starts)
    if ids[-1] < 2:
        raise InputError(
            "data",
            f"of two episodes, or of {2 * SHORTEST_BLOCK} transitions, at least",
            f"{len(data)} transitions in {data.num_episodes} episode",
        )
    cut = data.truncations | (np.append(starts[1:], False) & ~data.terminations)
    return replace(data, truncations=cut, episode_ids=ids, episode_names=None), True


def folds(data: Transitions, count: int, seed: int) -> tuple[Fold, ...]:
    """Return random folds of whole episodes, their transitions balanced."""
    slices = list(data.episodes())
    owner = np.zeros(len(slices), dtype=np.int64)
    sizes = np.zeros(count)
    for episode in np.random.default_rng(seed).permutation(len(slices)):
        owner[episode] = np.argmin(sizes)
        sizes[owner[episode]] += slices[episode].stop - slices[episode].start
    lengths = [one.stop - one.start for one in slices]
    part = np.repeat(owner, lengths)
    return tuple(
        Fold(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(count)
    )
