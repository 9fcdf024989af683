"""What a simulator gets wrong of rewards and ends, corrected by trees.

A network, or a line through neighbours, blurs a threshold: pay that begins at a charge of 85 %, a
tank that overflows. Trees are grown on what the models miss in episodes that they did not learn
from, and kept where that holds for further episodes (`boosting.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....arrays import Array, Bool, Float64, Int64
from .boosting import Boosted, boost

ARRAYS = ("column", "threshold", "leaf")
MOST_ROWS = 5_000
"""That trees are grown from, of each kind of step."""


class Outcome(NamedTuple):
    """What follows a step, besides the next state.

    Attributes:
        reward: [B] of a step after which the episode goes on.
        last_reward: [B] of a step that ends it.
        end: [B] log-odds of the end.
    """

    reward: Float64
    last_reward: Float64
    end: Float64


@dataclass(frozen=True, eq=False)
class Correction:
    """Trees for each part of an outcome, of one member of a simulator."""

    reward: Boosted
    last_reward: Boosted
    end: Boosted

    def __call__(self, inputs: Float64, said: Outcome) -> Outcome:
        """Return the outcome [B] that a model said of inputs [B, I], corrected."""
        return Outcome(
            self.reward(inputs, said.reward),
            self.last_reward(inputs, said.last_reward),
            self.end(inputs, said.end),
        )


def rows_to_correct(ends: Bool, seed: int) -> Int64:
    """Return the rows that trees are grown from: some of both kinds of steps, or all."""
    generator = np.random.default_rng((seed, 7))
    kinds = [generator.permutation(np.flatnonzero(kind))[:MOST_ROWS] for kind in (ends, ~ends)]
    return np.sort(np.concatenate(kinds))


def among(rows: Int64, draws: Sequence[Int64], count: int) -> list[Int64]:
    """Return where the rows of each draw, of `count` in all, stand among some of them."""
    place = np.full(count, -1)
    place[rows] = np.arange(len(rows))
    return [place[draw][place[draw] >= 0] for draw in draws]


def corrections(
    inputs: Float64,
    rewards: Float64,
    ends: Bool,
    said: Outcome,
    episodes: Int64,
    draws: Sequence[Int64],
    seed: int,
) -> list[Correction]:
    """Return what corrects each member of a simulator.

    Args:
        inputs: [N, I] states and actions.
        rewards: [N] in the units of `said`.
        ends: [N] whether the step ended its episode.
        said: [N] by members that did not learn from the row; nan where there is none.
        episodes: [N] the episode of each row.
        draws: the rows that each member learnt from.
        seed: of the trees.
    """
    known = np.isfinite(said.end)
    grown = [
        _grown(inputs, wanted, guess, episodes, draws, rows & known, seed, logistic)
        for wanted, guess, rows, logistic in (
            (rewards, said.reward, ~ends, False),
            (rewards, said.last_reward, ends, False),
            (ends.astype(np.float64), said.end, np.ones(len(ends), bool), True),
        )
    ]
    return [Correction(*trees) for trees in zip(*grown, strict=True)]


def _grown(
    inputs: Float64,
    wanted: Float64,
    guess: Float64,
    episodes: Int64,
    draws: Sequence[Int64],
    rows: Bool,
    seed: int,
    logistic: bool,
) -> list[Boosted]:
    """Return the trees of all draws, grown from some of the rows."""
    own = among(np.flatnonzero(rows), draws, len(rows))
    return boost(
        inputs[rows], wanted[rows], guess[rows], episodes[rows], own, seed=seed, logistic=logistic
    )


def as_arrays(corrected: Sequence[Correction]) -> dict[str, Array]:
    """Return the trees of all members by name, for a file."""
    return {
        f"{kind}_{part}": np.stack([getattr(getattr(one, kind), part) for one in corrected])
        for kind in Outcome._fields
        for part in ARRAYS
    }


def from_arrays(arrays: Mapping[str, Array]) -> list[Correction]:
    """Return what `as_arrays` was given."""
    kinds = [[arrays[f"{kind}_{part}"] for part in ARRAYS] for kind in Outcome._fields]
    return [
        Correction(*(Boosted(*(parts[member] for parts in kind)) for kind in kinds))
        for member in range(len(kinds[0][0]))
    ]


def said_of_others(parts: Sequence[Outcome], draws: Sequence[Int64]) -> Outcome:
    """Return the mean [N] of what members say of rows that they did not learn from; else nan."""
    said = np.array(parts)
    for member, draw in enumerate(draws):
        said[member][:, draw] = np.nan
    heard = np.isfinite(said[:, -1]).sum(axis=0)
    total = np.nansum(said, axis=0)
    return Outcome(*np.where(heard > 0, total / np.maximum(heard, 1), np.nan))
