"""A simulator without networks: local linear dynamics of the log.

The state z (standardised observations) moves continuously. While the episode goes on,

    (z' - z, r) = b(z, a) + e

b is a locally weighted linear regression of the logged steps (z'_j - z_j, r_j) on z_j over the
nearest transitions of the action, of which those that ended an episode do not count, with tricube
weights and a slight ridge; e is the residual of one of the nearest few, drawn by weight. Their sum
stays between the least and the largest of these transitions: lines may run beyond all that was
seen. Columns that leave the box of the log, and the reward then, are those of the drawn transition.
Where actions are rows, their standardised columns stand beside z, in the regression and in what
is near.

The episode ends with the weighted share of ended ones among the nearest transitions; its last
reward is their mean. Rewards and ends are corrected by trees (`correction.py`).

Each member has its own draw of the episodes, and knows each of them once: that is a sample of
63 %, between which estimates vary less than between bootstrap samples (`draw_variance`).

Nothing is believed far from the data: where the mean distance to the nearest transitions is
more than `TRUST` times the largest among left-out states of the data. At worst, the episode is
worth the least discounted return of the log from there on.

References: Atkeson, Moore, Schaal, Locally weighted learning, 1997; Kidambi et al., MOReL,
2020 (unknown states, at worst).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....arrays import Array, Bool, Float64, Floats, Int64
from ....neighbors.tree import TreeIndex
from ..folds import Log
from .action_inputs import action_inputs, placed
from .correction import Outcome, among, corrections, rows_to_correct, said_of_others
from .playing import Step, Weights, ends_of, step_of
from .scales import Scales, chance_of, scales_of

LOCAL = "local"
"""Name under which it is kept that this simulator was used."""
MEMBERS = 5
DRAWN = 1.0 - math.exp(-1.0)
"""Share of the episodes that a member knows: those drawn at least once."""
DRAW_VARIANCE = (1.0 - DRAWN) / DRAWN
"""Between such members, as a share of what it is between bootstrap samples."""
REGRESSED = 25
"""Transitions in a regression, or three per dimension where that is more."""
NEAREST = 5
"""Transitions of which one gives its residual, and whose mean distance is looked at."""
RIDGES = (1e-5, 1e-3)
"""On the slopes of a line, in units of the mean square of a column: that which follows left-out
steps better. Where columns of a small log go together, a large one lets states stand still;
where outcomes are noisy, a small one makes lines wild (docs/journal/fit.md)."""
TRUST = 2.0
"""Largest distance that is believed, in units of the largest in the data."""
SAMPLE = 2_000
"""Transitions that tell the largest distance in the data."""
LEAST_CHANCE = 1e-3
"""Of an end, and of going on, where all neighbours did the other."""


class Move(NamedTuple):
    """What neighbours say of steps.

    Attributes:
        change: [B, D] of the state.
        outcome: [B] rewards and end.
        least, largest: [B] rewards of the transitions nearby.
        gap: [B] mean distance to the nearest transitions.
    """

    change: Float64
    outcome: Outcome
    least: Float64
    largest: Float64
    gap: Float64


class LocalSimulator:
    """Local linear dynamics of one log with vector observations."""

    members = draws = MEMBERS
    draw_variance = DRAW_VARIANCE

    def __init__(self, log: Log, seed: int) -> None:
        data = log.data
        sources = data.observations.reshape(len(data), -1).astype(np.float64)
        cores = data.next_observations.reshape(len(data), -1).astype(np.float64)
        ends = data.terminations
        self._data, self._ends = data, ends_of(ends)
        self._scales = scales = scales_of(sources, cores, data.rewards, ends)
        self._actions = action_inputs(data)
        states = scales.standardised(sources)
        points, kinds = placed(data, states, data.actions, self._actions)
        steps = np.column_stack((scales.standardised(cores) - states, data.rewards))
        draws = [np.unique(draw) for draw in log.draws(MEMBERS, seed)]
        self._members = [
            _Member(points[draw], kinds[draw], steps[draw], ends[draw], scales) for draw in draws
        ]
        rows = rows_to_correct(ends, seed)
        own = among(rows, draws, len(data))
        changes = np.where(ends[rows, None], np.nan, steps[rows, :-1])
        self._ridge, moves = self._followed(points[rows], kinds[rows], changes, own)
        self._corrections = corrections(
            self._inputs(states[rows], data.actions[rows]),
            data.rewards[rows].astype(np.float64),
            ends[rows],
            said_of_others([move.outcome for move in moves], own),
            log.number[rows],
            own,
            seed,
        )

    def _followed(
        self, points: Float64, kinds: Int64, changes: Float64, own: Sequence[Int64]
    ) -> tuple[float, list[Move]]:
        """Return the ridge by which members best follow steps that they did not learn from.

        And what they then say of all steps, with logged changes [B, D]; NaN where one ended.
        """
        found = []
        for ridge in RIDGES:
            moves = [one.move(points, kinds, None, ridge) for one in self._members]
            errors = [
                np.delete(np.square(move.change - changes), learnt, axis=0)
                for move, learnt in zip(moves, own, strict=True)
            ]
            found.append((float(np.nansum(np.concatenate(errors))), ridge, moves))
        _, ridge, moves = min(found, key=lambda one: one[0])
        return ridge, moves

    @property
    def weights(self) -> Weights:
        """Only that there are members, which are the log itself; trees are quickly grown again."""
        return {LOCAL: np.ones(1)}

    def states(self, observations: Array) -> Float64:
        """Return z [B, D]."""
        flat = np.asarray(observations, dtype=np.float64).reshape(len(observations), -1)
        return self._scales.standardised(flat)

    def observations(self, states: Float64) -> Array:
        """Return observations [B, ...] as in the data."""
        shape = (len(states), *self._data.observation_shape)
        return self._scales.raw(states).reshape(shape).astype(self._data.observations.dtype)

    def step(self, states: Float64, actions: Array, member: Int64, draws: Float64) -> Step:
        """Return what follows."""
        points, kinds = placed(self._data, states, actions, self._actions)
        inputs, scales = self._inputs(states, actions), self._scales
        after, near = np.empty_like(states), np.zeros(len(states), dtype=bool)
        outcome = np.zeros((3, len(states)))
        for one, model in enumerate(self._members):
            own = np.flatnonzero(member == one)
            if len(own):
                said = model.move(points[own], kinds[own], draws[own, 0], self._ridge)
                after[own], near[own] = states[own] + said.change, said.gap <= model.limit
                corrected = self._corrections[one](inputs[own], said.outcome)
                reward = np.clip(corrected.reward, said.least, said.largest)
                outcome[:, own] = corrected._replace(reward=reward)
        corrected = Outcome(*outcome)
        ended = self._ends(draws[:, -1] < chance_of(corrected.end))
        last = scales.last_reward.clipped(corrected.last_reward)
        found = step_of(scales, states, after, ended, corrected.reward, last)
        return found._replace(believed=found.believed & near)

    def _inputs(self, states: Float64, actions: Array) -> Float64:
        return np.column_stack((states, self._actions(actions)))


def farthest_believed(points: Sequence[Floats], indexes: Sequence[TreeIndex]) -> float:
    """Return the distance beyond which nothing is believed, for the points of each kind."""

    def largest_gap(own: Floats, index: TreeIndex) -> float:
        if len(own) < 2:
            return 0.0
        picks = np.random.default_rng(0).permutation(len(own))[:SAMPLE]
        _, gaps = index.query(own[picks], min(NEAREST + 1, len(own)))
        return float(gaps[:, 1:].mean(axis=1).max())

    return TRUST * max(map(largest_gap, points, indexes))


class _Member:
    """Regressions over some of the transitions."""

    def __init__(
        self, points: Float64, kinds: Int64, steps: Float64, ends: Bool, scales: Scales
    ) -> None:
        self._points, self._steps, self._ends, self._scales = points, steps, ends, scales
        self._last = float(steps[ends, -1].mean()) if ends.any() else 0.0
        numbers = range(int(kinds.max()) + 1)
        self._rows = [np.flatnonzero(kinds == number) for number in numbers]
        self._indexes = [TreeIndex(points[rows]) for rows in self._rows]
        #: Distance beyond which nothing is believed.
        self.limit = farthest_believed([points[rows] for rows in self._rows], self._indexes)

    def move(self, points: Float64, kinds: Int64, luck: Float64 | None, ridge: float) -> Move:
        """Return what follows [B] steps; one whose action was never logged has gap inf.

        Args:
            points: [B, P].
            kinds: [B] of the actions.
            luck: [B] uniform numbers, which draw the residuals; None leaves residuals out.
            ridge: on the slopes.
        """
        size = self._steps.shape[1]
        moved, gap = np.zeros((len(points), size)), np.full(len(points), np.inf)
        least, largest = np.zeros(len(points)), np.zeros(len(points))
        last, share = np.full(len(points), self._last), np.zeros(len(points))
        for kind, rows in enumerate(self._rows):
            own = np.flatnonzero(kinds == kind)
            if not len(own) or not len(rows):
                continue
            count = min(max(REGRESSED, 3 * (points.shape[1] + 1)), len(rows))
            found, gaps = self._indexes[kind].query(points[own], count)
            near, ended = rows[found], self._ends[rows[found]]
            weights = (1.0 - (gaps / (1.0001 * gaps[:, -1:] + 1e-12)) ** 3) ** 3
            share[own] = (weights * ended).sum(axis=1) / weights.sum(axis=1)
            of_ends = (weights * ended * self._steps[near, -1]).sum(axis=1)
            some = ended.any(axis=1)
            last[own[some]] = of_ends[some] / (weights * ended).sum(axis=1)[some]
            gap[own] = gaps[:, :NEAREST].mean(axis=1)
            # Where all nearby ended, the steps themselves are all that is known.
            going = np.where(ended.all(axis=1, keepdims=True), weights, weights * ~ended)
            paid = self._steps[near, -1]
            least[own] = np.where(going > 0.0, paid, np.inf).min(axis=1)
            largest[own] = np.where(going > 0.0, paid, -np.inf).max(axis=1)
            drawn = None if luck is None else luck[own]
            moved[own] = self._regressed(points[own], near, going, drawn, ridge)
        odds = np.clip(share, LEAST_CHANCE, 1.0 - LEAST_CHANCE)
        outcome = Outcome(moved[:, -1], last, np.log(odds / (1.0 - odds)))
        return Move(moved[:, :-1], outcome, least, largest, gap)

    def _regressed(
        self, points: Float64, near: Int64, weights: Float64, luck: Float64 | None, ridge: float
    ) -> Float64:
        """Return steps and rewards [B, D + 1] by the lines through weighted transitions [B, C]."""
        size = points.shape[1]
        inputs = np.ones((*near.shape, size + 1))
        inputs[:, :, 1:] = self._points[near] - points[:, None]
        weighted = (inputs * weights[:, :, None]).transpose(0, 2, 1)
        matrix = weighted @ inputs
        diagonal = np.arange(1, size + 1)
        slopes = np.trace(matrix[:, 1:, 1:], axis1=1, axis2=2)[:, None] / size
        matrix[:, diagonal, diagonal] += ridge * slopes + 1e-12
        known = self._steps[near]
        fit = np.linalg.solve(matrix, weighted @ known)
        counted = weights > 0.0
        low = np.where(counted[:, :, None], known, np.inf).min(axis=1)
        high = np.where(counted[:, :, None], known, -np.inf).max(axis=1)
        if luck is None:
            return np.clip(fit[:, 0], low, high)
        first = counted & (np.cumsum(counted, axis=1) <= NEAREST)
        shares = np.cumsum(weights * first, axis=1)
        drawn = (shares < luck[:, None] * shares[:, -1:]).sum(axis=1)
        which = np.arange(len(points)), drawn
        fitted = np.einsum("bd,bde->be", inputs[which], fit)
        moved = np.clip(fit[:, 0] + known[which] - fitted, low, high)
        columns = moved.shape[1] - 1
        after = points[:, :columns] + moved[:, :-1]
        beyond = np.zeros(moved.shape, dtype=bool)
        beyond[:, :columns] = (after < self._scales.low) | (after > self._scales.high)
        beyond[self._scales.terminal(after)] = False
        varied = self._scales.change_deviation > 0.0
        beyond[:, -1] = beyond[:, :columns][:, varied].any(axis=1)
        return np.where(beyond, known[which], moved)
