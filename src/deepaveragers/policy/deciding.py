"""Decisions on a batch: from Q-values and support to actions, ties and abstentions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bool, Float64, Floats
from ..data.action_vectors import text_of_action
from ..errors import InputError
from ..neighbors.features import LARGEST_FEATURE, in_words
from ..representation.encoder import Encoder


@dataclass(frozen=True, eq=False)
class Decisions:
    """What a policy does at a batch of observations.

    Attributes:
        action_names: of all A actions; of their Da columns, where actions are rows.
        actions: [B] int64, what is done; [B, Da] where actions are rows.
        q_values: [B, A] float64; -inf for an action that is not available. Where actions are
            rows, [B, m] of the candidates, nearest first.
        support: [B] float64 in [0, 1], how well the data support each observation.
        abstained: [B] bool, whether the fallback acted because of thin support.
        ties: [B, A] bool, actions that the certificate does not tell apart from the best one.
    """

    action_names: tuple[str, ...]
    actions: Array
    q_values: Float64
    support: Float64
    abstained: Bool
    ties: Bool

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def names(self) -> list[str]:
        """The names of the actions that are taken; rows in words."""
        if self.actions.ndim == 1:
            return [self.action_names[action] for action in self.actions.tolist()]
        return [text_of_action(self.action_names, action) for action in self.actions]

    @property
    def values(self) -> Float64:
        """[B] float64, planned values of the best actions."""
        return self.q_values.max(axis=1, initial=-np.inf)


def no_decisions(
    action_names: tuple[str, ...], actions: Array | None = None, choices: int | None = None
) -> Decisions:
    """Return the decisions on no observation.

    Args:
        action_names: of the policy.
        actions: [0, Da] where they are rows; None where they are numbered.
        choices: Q-values of an observation; None where every action has one.
    """
    nothing = np.empty(0)
    wide = np.empty((0, len(action_names) if choices is None else choices))
    none = np.empty(0, np.int64) if actions is None else actions
    return Decisions(action_names, none, wide, nothing, nothing.astype(bool), wide.astype(bool))


def tied_with_best(q_values: Float64, slack: float) -> Bool:
    """Return [B, A] bool: which actions are within the slack of the best one, itself left out.

    Each Q-value is at most `below` too large and `above` too small, so that a difference beyond
    both together, the slack, is proved.
    """
    best = np.argmax(q_values, axis=1)[:, None]
    highest = np.take_along_axis(q_values, best, axis=1)
    with np.errstate(invalid="ignore"):  # -inf - -inf, where there is no action
        tied = highest - q_values <= slack
    np.put_along_axis(tied, best, False, axis=1)
    return tied


def encode_within(encoder: Encoder, batch: Array) -> Floats:
    """Return features [B, D] of observations; what has no distance to the data is refused."""
    features = encoder.encode(batch)
    largest = np.abs(features).max()
    if not largest <= LARGEST_FEATURE:
        raise InputError(
            "observation",
            f"within +-{LARGEST_FEATURE:g} when encoded, so that distances are numbers",
            f"{in_words(largest)} as a feature",
            "Nothing in the data is like it: look at where it comes from.",
        )
    return features
