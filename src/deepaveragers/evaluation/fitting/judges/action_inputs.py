"""Actions as the numbers that a judge reads: marks of numbered ones, units of rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....arrays import Array, Float64, Int64
from ....data.transitions import Transitions
from ....mdp.permission import WIDTH, deviations_of

SHIFTS = 15
"""Ways in which actions are matched with those of other states."""
ActionInputs = Callable[[Array], Float64]
"""From actions [B], or rows [B, Da], to numbers [B, I]."""


def action_inputs(data: Transitions) -> ActionInputs:
    """Return how the actions of a log are read.

    Numbered ones have a mark each; rows are standardised columns.
    """
    if not data.action_vectors:
        marks = np.eye(data.num_actions)
        return lambda actions: marks[np.asarray(actions, dtype=np.int64)]
    mean = data.actions.mean(axis=0, dtype=np.float64)
    deviations = deviations_of(data.actions)
    return lambda actions: (actions - mean) / deviations


def placed(
    data: Transitions, states: Float64, actions: Array, inputs: ActionInputs
) -> tuple[Float64, Int64]:
    """Return where states and actions lie among the log's [B, P], and kinds of actions [B].

    Neighbours are looked for among transitions of the same kind: with the same action; rows of
    numbers are all of one kind, and stand beside the state.
    """
    if data.action_vectors:
        return np.column_stack((states, inputs(actions))), np.zeros(len(actions), dtype=np.int64)
    return states, np.asarray(actions, dtype=np.int64)


def agreement(taken: Array, logged: Array, deviations: Float64) -> float:
    """Return how well actions agree: the share that is the same; of rows, that is nearly so.

    Rows agree by exp(-|u - u'|^2 / (2 h^2 Da)), u in deviations of a column, as for support. What
    they would agree by chance, with the logged actions of other states, is taken off: the middle
    of the range is near everything, and predicts nothing.

    Args:
        taken: [B] or [B, Da].
        logged: the same of the log.
        deviations: [Da] of the columns; not used for numbered actions.
    """
    if logged.ndim == 1:
        return float((taken == logged).mean())
    apart = max(1, len(logged) // (SHIFTS + 1))
    shifted = [np.roll(logged, step * apart, axis=0) for step in range(1, SHIFTS + 1)]
    chance = np.mean([_closeness(taken, other, deviations) for other in shifted])
    return _closeness(taken, logged, deviations) - float(chance)


def _closeness(taken: Array, logged: Array, deviations: Float64) -> float:
    gaps = np.square((taken - logged) / deviations).sum(axis=1)
    return float(np.exp(-gaps / (2.0 * WIDTH**2 * logged.shape[1])).mean())
