"""Coverage: how near is the data of each action to the states that are met?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Int64
from ..data.action_names import resembled, same_words
from ..data.observations import is_image
from ..data.transitions import Transitions
from ..neighbors.brute_force import BruteForceIndex
from ..neighbors.features import LARGEST_FEATURE
from ..neighbors.tree import TreeIndex
from .far_values import standardizing
from .findings import Finding

STATES = 2_000
SOURCES = 50_000
FEWEST = 200
WIDE = 64
RARE = 0.001
SLIP = 0.1
"""Share of the steps of another action below which a name that differs by a letter is a slip."""
MOST_NAMES = 200


@dataclass(frozen=True, eq=False)
class Support:
    """Distances from sampled states to the nearest transition of each action.

    Attributes:
        states: [S] int64, the core states of the sample.
        distances: [S, A] float64, inf where an action has no transitions; [S, 1], of
            whatever action, where actions are rows.
        nearest: [S] float64, over all actions.
    """

    states: Int64
    distances: Float64
    nearest: Float64

    @property
    def medians(self) -> Float64:
        """[A] float64, median distance of each action."""
        return np.median(self.distances, axis=0)


def support(data: Transitions, seed: int) -> Support | None:
    """Return the distances of a sample of states; None for pictures and tiny data."""
    living = np.flatnonzero(~data.terminations)
    if is_image(data.observations) or len(data) < FEWEST or len(living) == 0:
        return None
    random = np.random.default_rng(seed)
    # Trees of wide data are dear to build; a tenth of the sample does without.
    wide = data.observations[0].size > WIDE
    make = BruteForceIndex if wide else TreeIndex
    sources = np.sort(random.permutation(len(data))[: SOURCES // 10 if wide else SOURCES])
    states = np.sort(random.permutation(living)[: STATES // 10 if wide else STATES])
    encoder = standardizing(data.observations[sources])
    rows, actions = encoder.encode(data.observations[sources]), _groups(data)[sources]
    points = encoder.encode(data.next_observations[states])
    points = np.clip(points, -LARGEST_FEATURE, LARGEST_FEATURE)
    distances = np.full((len(states), 1 if data.action_vectors else data.num_actions), np.inf)
    for action in range(distances.shape[1]):
        own = np.flatnonzero(actions == action)
        if len(own):
            found, gaps = make(rows[own]).query(points, 2)
            # The step that follows starts in the very state: that it is near says nothing.
            successor = sources[own[found[:, 0]]] == states + 1
            distances[:, action] = np.where(successor, gaps[:, 1], gaps[:, 0])
    return Support(states, distances, distances.min(axis=1))


def action_counts(data: Transitions) -> Int64:
    """Return [A] how often each action was taken; [0] where actions are rows."""
    if data.action_vectors:
        return np.empty(0, np.int64)
    return np.bincount(data.actions, minlength=data.num_actions)


def _groups(data: Transitions) -> Array:
    return np.zeros(len(data), np.int32) if data.action_vectors else data.actions


def _constant_parts(data: Transitions) -> Iterator[Finding]:
    """Yield columns of actions that never differ."""
    constant = np.flatnonzero((data.actions == data.actions[0]).all(axis=0))
    for column in constant[:10]:
        yield Finding(
            "constant_action",
            "a column of the actions never differs",
            f"action column {data.action_names[column]!r}",
            "certain",
            "A plan can choose nothing there.",
            "Leave the column out, or collect data in which it differs.",
        )


def support_findings(data: Transitions, supported: Support | None) -> Iterator[Finding]:
    """Yield actions that are hardly taken, or only in a part of the states."""
    if data.action_vectors:
        yield from _constant_parts(data)
        return
    counts = action_counts(data)
    slips = list(_slips(data.action_names, counts))
    yield from (replace(slip, rows=_rows_of(data, slip.places)) for slip in slips)
    rare = np.flatnonzero(counts < max(1.0, RARE * len(data)))
    misspelt = [place for slip in slips for place in slip.places]
    for action in np.setdiff1d(rare, misspelt)[:10]:
        yield Finding(
            "rare_action",
            f"the action is taken in {int(counts[action]):,} of {len(data):,} steps",
            f"action {data.action_names[action]!r}",
            "certain" if counts[action] == 0 else "possible",
            "A plan knows nothing, or hardly anything, of what it does.",
            "Forbid it when solving, or collect data of it.",
            rows=np.flatnonzero(data.actions == action),
        )
    if supported is None:
        return
    usual = float(np.quantile(supported.nearest, 0.9))
    for action in np.setdiff1d(np.arange(data.num_actions), rare):
        far = supported.distances[:, action] > 3 * np.maximum(supported.nearest, usual)
        if far.mean() > 0.25:
            yield Finding(
                "unsupported_states",
                f"in {far.mean():.0%} of the states there is no data of the action nearby",
                f"action {data.action_names[action]!r}",
                "likely",
                "Its value there is a guess from far away; the cost C keeps plans from using it.",
                "Collect data of the action in those states, or keep the cost high.",
                rows=supported.states[far],
            )


def _rows_of(data: Transitions, actions: tuple[int, ...]) -> Int64:
    return np.flatnonzero(np.isin(data.actions, actions))


def _slips(names: tuple[str, ...], counts: Array) -> Iterator[Finding]:
    """Yield names that are probably another, misspelt; of many, all are numbers or made up."""
    if len(names) > MOST_NAMES:
        return
    order = np.argsort(-counts, kind="stable")
    for rank, action in enumerate(order):
        name = names[action]
        commoner = [names[other] for other in order[:rank]]
        much = [names[other] for other in order[:rank] if counts[action] < SLIP * counts[other]]
        same = next((other for other in commoner if same_words(name, other)), None)
        meant = same or resembled(name, much)
        if meant is not None:
            yield Finding(
                "similar_actions",
                f"the action looks like {meant!r}; steps that have it: {int(counts[action]):,}",
                f"action {name!r}",
                "likely" if same else "possible",
                "A misspelt action is one more action, and its steps are missing from the other.",
                f"If it is the same, write {meant!r} in those rows and import again"
                + (", or import with --fix." if same else "."),
                (int(action),),
            )
