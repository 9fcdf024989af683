"""How a simulator reads states, changes and rewards, and which of them a log could have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Bool, Float64

MOST_LEVELS = 50
"""Different values up to which a column takes these only."""
LOOKED_AT = 1_000
"""Rows that tell most columns of more values at once."""

BY_CHANCE = 0.01
"""A limit to where episodes go on is one only if so many ends beyond it would be rarer than this
among states in random order, in any direction of any column."""
SHARE_BEYOND, FEWEST_BEYOND = 0.3, 3
"""Share of the ends, and their number, that lie beyond a limit. The last state of an episode is the
far end of whatever drifts in it, so that some ends lie outermost without being there for that."""
SAME = 1e-12
"""Numbers that differ by this share of the largest are the same; by more in float32 columns."""


@dataclass(frozen=True)
class RewardScale:
    """Mean, deviation, least and largest of the rewards of one kind of step."""

    mean: float
    deviation: float
    least: float
    largest: float

    @classmethod
    def of(cls, rewards: Float64) -> RewardScale:
        """Return the scale of logged rewards; of none, that of nothing but 0."""
        if len(rewards) == 0:
            return cls(0.0, 1.0, 0.0, 0.0)
        least, largest = float(rewards.min()), float(rewards.max())
        return cls(float(rewards.mean()), float(_deviation(rewards)), least, largest)

    def standardised(self, rewards: Float64) -> Float64:
        """Return rewards as a network learns them."""
        return (rewards - self.mean) / self.deviation

    def restored(self, outputs: Float64) -> Float64:
        """Return rewards, none beyond what was logged."""
        return self.clipped(outputs * self.deviation + self.mean)

    def clipped(self, rewards: Float64) -> Float64:
        """Return rewards, none beyond what was logged."""
        return np.clip(rewards, self.least, self.largest)


@dataclass(frozen=True, eq=False)
class Scales:
    """How a log is read.

    Attributes:
        mean, deviation: [D] float64, of the states.
        change_mean, change_deviation: [D] float64, of the change per step; a column that always
            changes by the same (a clock), or never (an age), has deviation 0.
        low, high: [D] float64, the box of the standardised states.
        going_low, going_high: [D] float64, the box of those from which episodes went on.
        end_low, end_high: [D] float64, the box of those at which an episode ended.
        terminal_low, terminal_high: [D] float64, limits of a column beyond which all that were
            logged had ended, and none went on; infinite where there is none.
        levels: by column of few values, these values, sorted.
        reward: of steps after which the episode goes on.
        last_reward: of steps that end it.
    """

    mean: Float64
    deviation: Float64
    change_mean: Float64
    change_deviation: Float64
    low: Float64
    high: Float64
    going_low: Float64
    going_high: Float64
    end_low: Float64
    end_high: Float64
    terminal_low: Float64
    terminal_high: Float64
    levels: dict[int, Float64]
    reward: RewardScale
    last_reward: RewardScale

    def standardised(self, states: Float64) -> Float64:
        """Return states [B, D] as networks read them."""
        return (states - self.mean) / self.deviation

    def raw(self, states: Float64) -> Float64:
        """Return standardised states in the log's units; columns of few values take one of them."""
        found = states * self.deviation + self.mean
        for column, levels in self.levels.items():
            between = (levels[1:] + levels[:-1]) / 2.0
            found[:, column] = levels[np.searchsorted(between, found[:, column])]
        return found

    @property
    def flags(self) -> Bool:
        """[D] bool: columns of two values that change at times."""
        two = [len(self.levels.get(column, ())) == 2 for column in range(len(self.mean))]
        return np.array(two) & (self.change_deviation > 0.0)

    def targets(self, states: Float64, next_states: Float64) -> Float64:
        """Return what networks learn of steps [B, D]: the change, or whether a flag is then up."""
        varied = self.change_deviation > 0.0
        changes = next_states - states - self.change_mean
        up = self.standardised(next_states) > (self.low + self.high) / 2.0
        return np.where(self.flags, up, changes / np.where(varied, self.change_deviation, 1.0))

    def moved(self, states: Float64, outputs: Float64, noise: Float64, draws: Float64) -> Float64:
        """Return standardised states after a step; they may lie beyond the box.

        Args:
            states: [B, D] before it.
            outputs: [B, D] standardised mean changes; of a flag, the log-odds that it is then up.
            noise: [B, D] standardised, on top of the changes.
            draws: [B, D] uniform numbers in [0, 1), which decide of flags.
        """
        steps = (outputs + noise) * self.change_deviation + self.change_mean
        flags = np.where(draws < chance_of(outputs), self.high, self.low)
        return np.where(self.flags, flags, states + steps / self.deviation)

    def known(self, states: Float64) -> Bool:
        """Return whether the log went on from states [B, D] like these, nearly."""
        return self._near(states, self.going_low, self.going_high)

    def terminal(self, states: Float64) -> Bool:
        """Return whether standardised states [B, D] lie beyond a limit where all had ended."""
        beyond = (states < self.terminal_low) | (states > self.terminal_high)
        return np.asarray(beyond.any(axis=1))

    def known_ends(self, states: Float64) -> Bool:
        """Return whether episodes ended at states [B, D] like these, nearly."""
        return self._near(states, self.end_low, self.end_high)

    def _near(self, states: Float64, low: Float64, high: Float64) -> Bool:
        """Return which states leave a box by at most one deviation of a column's changes.

        Columns that always change by the same (clocks) leave it whatever is done: they count not.
        """
        beyond = np.maximum(states - high, low - states) * self.deviation
        near = (beyond <= self.change_deviation) | (self.change_deviation == 0.0)
        return np.asarray(near.all(axis=1))

    def inside(self, states: Float64) -> Float64:
        """Return standardised states as the log could have them: in its box, flags as flags."""
        return self.standardised(self.raw(np.clip(states, self.low, self.high)))


def scales_of(
    states: Float64, next_states: Float64, rewards: Float64, ends: Bool, same: float = SAME
) -> Scales:
    """Return how the log is read.

    Args:
        states: [N, D].
        next_states: [N, D]; where an episode ended, tables repeat the state before.
        rewards: [N].
        ends: [N] whether the step ended its episode.
        same: share of a column's largest value by which equal changes may differ.
    """
    mean, deviation = states.mean(axis=0), _deviation(states)
    going, ended = ends if ends.all() else ~ends, states[ends] if ends.any() else states
    changes, both = (next_states - states)[going], np.concatenate((states, next_states))
    change_mean = changes.mean(axis=0)
    rounding = max(SAME, same) * np.abs(both).max(axis=0)
    varied = np.abs(changes - change_mean).max(axis=0) > rounding
    went_on = np.concatenate((states, next_states[~ends]))
    terminal_high, terminal_low = (
        _limit(sign * went_on, sign * next_states[ends], len(ended) / len(states), rounding) * sign
        for sign in (1.0, -1.0)
    )
    return Scales(
        mean,
        deviation,
        change_mean,
        np.where(varied, changes.std(axis=0), 0.0),
        (both.min(axis=0) - mean) / deviation,
        (both.max(axis=0) - mean) / deviation,
        (went_on.min(axis=0) - mean) / deviation,
        (went_on.max(axis=0) - mean) / deviation,
        (ended.min(axis=0) - mean) / deviation,
        (ended.max(axis=0) - mean) / deviation,
        (terminal_low - mean) / deviation,
        (terminal_high - mean) / deviation,
        {
            column: np.unique(values)
            for column, values in enumerate(both.T)
            if _few(values[:LOOKED_AT]) and _few(values)
        },
        RewardScale.of(rewards[~ends]),
        RewardScale.of(rewards[ends]),
    )


def _limit(went_on: Float64, terminal: Float64, share: float, rounding: Float64) -> Float64:
    """Return [D], above which all states had ended: half-way to the first; inf for no such limit.

    Args:
        went_on: [N, D] states from which, or at which, episodes went on.
        terminal: [E, D] those at which they ended.
        share: of states at which an episode ended.
        rounding: [D] by how much equal numbers may differ.
    """
    largest = went_on.max(axis=0)
    above = terminal > largest + rounding
    number = above.sum(axis=0)
    first = np.where(above, terminal, np.inf).min(axis=0, initial=np.inf)
    rare = 2 * len(largest) * share**number <= BY_CHANCE
    common = number >= max(FEWEST_BEYOND, SHARE_BEYOND * len(terminal))
    return np.where(rare & common, (largest + first) / 2.0, np.inf)


def chance_of(log_odds: Float64) -> Float64:
    """Return the chance that log-odds stand for."""
    return 1.0 / (1.0 + np.exp(-np.clip(log_odds, -50.0, 50.0)))


def _few(values: Float64) -> bool:
    return len(np.unique(values)) <= MOST_LEVELS


def _deviation(columns: Float64) -> Float64:
    found = columns.std(axis=0)
    return np.where(found <= SAME * np.abs(columns.mean(axis=0)), 1.0, found)
