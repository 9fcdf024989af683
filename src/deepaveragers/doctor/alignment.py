"""Are actions and rewards in the rows that they belong to?

The change s' - s is predicted linearly from s, with one set of coefficients per action,
fitted on one half of the rows and judged on the other. If the action of the row before or
after explains the change much better than the row's own, the column is shifted. Rewards are
judged the same way.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Array, Float64
from ..data.far_values import units
from ..data.observations import is_image
from ..data.transitions import Transitions
from .findings import Finding

SAMPLE = 20_000
FEWEST = 200
WIDEST = 64


def alignment_findings(data: Transitions) -> Iterator[Finding]:
    """Yield shifted actions and rewards."""
    rows = _rows_with_both_neighbours(data)
    wide = is_image(data.observations) or data.observations[0].size > WIDEST
    if wide or len(rows) < FEWEST:
        return
    states = np.asarray(data.observations[rows], dtype=np.float64)
    following = np.asarray(data.next_observations[rows], dtype=np.float64)
    unit = units(states, following)
    states, following = np.ldexp(states, -unit), np.ldexp(following, -unit)
    if data.action_vectors or data.num_actions > 1:
        yield from _actions(data, rows, states, following)
    yield from _rewards(data, rows, states, following)


def _rows_with_both_neighbours(data: Transitions) -> Array:
    ids = data.episode_ids
    inner = np.zeros(len(data), dtype=bool)
    inner[1:-1] = (ids[1:-1] == ids[:-2]) & (ids[1:-1] == ids[2:])
    rows = np.flatnonzero(inner)
    return rows[:: max(1, len(rows) // SAMPLE)]


def _actions(data: Transitions, rows: Array, states: Array, following: Array) -> Iterator[Finding]:
    change = following - states
    plain = _explained(states, change, np.zeros(len(rows), dtype=int))
    own = _explained_by(states, change, data.actions[rows]) - plain
    for shift, word in ((-1, "before"), (1, "after")):
        gain = _explained_by(states, change, data.actions[rows + shift]) - plain
        if gain > 0.02 and gain > 3 * max(own, 0.0):
            yield Finding(
                "shifted_actions",
                f"the action of the row {word} explains the change of state (by {gain:.0%}), the "
                f"row's own hardly does ({max(own, 0.0):.0%})",
                "actions",
                "likely",
                "Actions stand one row off: the model would learn the effect of other actions.",
                "Shift the action column by one row within each episode before the import.",
            )


def _rewards(data: Transitions, rows: Array, states: Array, following: Array) -> Iterator[Finding]:
    both = np.concatenate([states, following], axis=1)
    rewards = data.rewards[:, None]
    rewards = np.ldexp(rewards, -units(rewards))
    actions = data.actions[rows]
    own = _explained_by(both, rewards[rows], actions)
    for shift, word in ((-1, "before"), (1, "after")):
        other = _explained_by(both, rewards[rows + shift], actions)
        if other > 0.3 and own < 0.5 * other:
            yield Finding(
                "shifted_rewards",
                f"states and actions explain the reward of the row {word} ({other:.0%}), and "
                f"hardly the row's own ({max(own, 0.0):.0%})",
                "rewards",
                "likely",
                "Rewards stand one row off: they would be credited to other actions.",
                "Shift the reward column by one row within each episode before the import.",
            )


def _explained_by(inputs: Array, targets: Array, actions: Array) -> float:
    """Return the share explained with the actions: one fit for each, or with rows as inputs."""
    if actions.ndim == 1:
        return _explained(inputs, targets, actions)
    rows = np.ldexp(actions.astype(np.float64), -units(actions.astype(np.float64)))
    return _explained(np.concatenate([inputs, rows], axis=1), targets, np.zeros(len(rows), int))


def _explained(inputs: Array, targets: Array, groups: Array) -> float:
    """Return the share of the targets' variance explained on held-out rows, over groups."""
    keep = targets.std(axis=0) > 0
    if not keep.any():
        return 0.0
    scaled = (targets[:, keep] - targets[:, keep].mean(axis=0)) / targets[:, keep].std(axis=0)
    deviation = inputs.std(axis=0)
    features = (inputs - inputs.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    features = np.concatenate([features, np.ones((len(features), 1))], axis=1)
    training = np.arange(len(features)) % 2 == 0
    residual: Float64 = scaled[~training].copy()
    for group in np.unique(groups):
        fit, judge = training & (groups == group), (groups == group)[~training]
        gram = features[fit].T @ features[fit] + 1e-3 * np.eye(features.shape[1])
        weights = np.linalg.solve(gram, features[fit].T @ scaled[fit])
        residual[judge] -= features[~training][judge] @ weights
    return float(1.0 - (residual**2).mean() / (scaled[~training] ** 2).mean())
