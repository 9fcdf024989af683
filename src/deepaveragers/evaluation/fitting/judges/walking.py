"""A simulator of pictures: walks over logged ones.

Nobody can draw a picture that was not seen. So a state is a logged picture. After an action, the
walk goes to what followed one of the logged pictures nearest to it in which that action was taken,
drawn by the inverse distance; that transition pays, and ends the episode if it did. This is the
compiled MDP of the held-out episodes, in a representation that no candidate has.

A walk is wrong by its jumps: from a picture to one like it. With one neighbour every visit takes
the same way, so that luck is believed for ever; with several, jumps push it about like noise. So
members have one neighbour or five, in turns: where that matters, they disagree, and the interval is
wide (docs/journal/fit.md). Each member has its own draw of the episodes.

Nothing is believed far from the data, as with local lines (`local`).
"""

from __future__ import annotations

import numpy as np

from ....arrays import Array, Bool, Float64, Int64
from ....neighbors.tree import TreeIndex
from ....progress import Advance
from ....representation.dynamics import train_dynamics
from ....representation.picture_components import PictureComponents
from ..folds import Log
from .action_inputs import action_inputs, kinds_of, points_of
from .local import DRAWN, farthest_believed
from .playing import Step, Weights
from .replaying import Joined, near_the_log

WALK, LEARNT = "walk", ("walk sources", "walk cores")
"""Names under which it is kept that there is a walk, and the features of a learnt one."""
UPDATES = 1_000
"""Of the features."""
MEMBERS = 10
NEIGHBORS = (1, 5)
"""Of members in turns."""
SMALLEST_DISTANCE = 1e-5
"""Added to distances, as in a plan's weights."""

Features = tuple[Float64, Float64]
"""[N, W] of pictures, and of those that followed."""


class WalkSimulator:
    """Walks over the pictures of one log.

    Args:
        log: the episodes.
        components: by which a picture is found among the logged ones.
        seed: of the members' draws.
        learnt: [N, W] features of the pictures, and of those that followed; None takes components.
    """

    members = draws = MEMBERS
    draw_variance = (1.0 - DRAWN) / DRAWN

    def __init__(
        self, log: Log, components: PictureComponents, seed: int, learnt: Features | None = None
    ) -> None:
        data = log.data
        self._data, self._components, self._actions = data, components, action_inputs(data)
        self._learnt, here = learnt, components(data.observations)
        self._pictures = TreeIndex(here)
        sources, cores = learnt or (here, components(data.next_observations))
        unit = float(np.sqrt(sources.var(axis=0).mean())) or 1.0
        self._cores, self._sources = cores / unit, sources / unit
        points, kinds = self._placed(self._sources, data.actions)
        numbers = range(int(kinds.max()) + 1)
        draws = [np.unique(draw) for draw in log.draws(MEMBERS, seed)]
        self._rows = [[draw[kinds[draw] == kind] for kind in numbers] for draw in draws]
        drawn = [[points[rows] for rows in own] for own in self._rows]
        self._indexes = [list(map(TreeIndex, own)) for own in drawn]
        self._limits = np.array(list(map(farthest_believed, drawn, self._indexes)))

    @property
    def weights(self) -> Weights:
        """The features that were learnt; else only that there is such a walk."""
        return {WALK: np.ones(1)} if self._learnt is None else dict(zip(LEARNT, self._learnt))

    def states(self, observations: Array) -> Float64:
        """Return where logged pictures [B, ...] stand: -1 - the row that they are of [B, 1]."""
        found, _ = self._pictures.query(self._components(observations), 1)
        return -1.0 - found.astype(np.float64)

    def observations(self, states: Float64) -> Array:
        """Return the pictures [B, ...]."""
        rows, first = _rows_of(states)
        pictures: Array = np.array(self._data.next_observations[rows])
        pictures[first] = self._data.observations[rows[first]]
        return pictures

    def step(self, states: Float64, actions: Array, member: Int64, draws: Float64) -> Step:
        """Return what follows; after an action that was never logged, the same at the least pay."""
        rows, first = _rows_of(states)
        features = np.where(first[:, None], self._sources[rows], self._cores[rows])
        points, kinds = self._placed(features, actions)
        taken, gaps = np.full(len(states), -1), np.full(len(states), np.inf)
        for one, logged in enumerate(self._rows):
            for kind, choices in enumerate(logged):
                own = np.flatnonzero((member == one) & (kinds == kind))
                if len(own) and len(choices):
                    k = min(NEIGHBORS[one % len(NEIGHBORS)], len(choices))
                    found, far = self._indexes[one][kind].query(points[own], k)
                    shares = np.cumsum(1.0 / (far + SMALLEST_DISTANCE), axis=1)
                    picks = (shares < draws[own, :1] * shares[:, -1:]).sum(axis=1)
                    taken[own] = choices[found[np.arange(len(own)), picks]]
                    gaps[own] = far[:, 0]
        data, known = self._data, taken >= 0
        reward = np.where(known, data.rewards[taken], data.rewards.min()).astype(np.float64)
        after = np.where(known[:, None], taken[:, None].astype(np.float64), states)
        ended = known & data.terminations[taken]
        return Step(after, reward, reward, ended, gaps <= self._limits[member])

    def _placed(self, features: Float64, actions: Array) -> tuple[Float64, Int64]:
        """Return where pictures and actions lie among the log's [B, P], and the actions' kinds."""
        points = points_of(self._data, features, actions, self._actions)
        return points, kinds_of(self._data, actions)


def _rows_of(states: Float64) -> tuple[Int64, Bool]:
    """Return the rows that states are of, and whether of their first picture."""
    numbers = states[:, 0].astype(np.int64)
    first = numbers < 0
    return np.where(first, -1 - numbers, numbers), first


def walks(
    log: Log,
    components: PictureComponents,
    *,
    seed: int,
    learn: bool,
    advance: Advance,
    kept: Weights | None,
) -> Joined:
    """Return walks by components, by features that are learnt, or both: those near to the log.

    Args:
        log: the episodes.
        components: of its pictures.
        seed: of the members' draws and of the features.
        learn: whether features are learnt.
        advance: called with the updates that were made.
        kept: `weights` of such walks on the same log; None learns.
    """
    if kept is not None:
        learnt = (kept[LEARNT[0]], kept[LEARNT[1]]) if LEARNT[0] in kept else None
        ways = [None] * (WALK in kept) + [learnt] * (learnt is not None)
        return Joined([WalkSimulator(log, components, seed, way) for way in ways])
    found = [WalkSimulator(log, components, seed)]
    if learn:
        encoder = train_dynamics(log.data, UPDATES, seed=seed, show_progress=False)
        here, there = map(encoder.encode, (log.data.observations, log.data.next_observations))
        learnt = here.astype(np.float64), there.astype(np.float64)
        found.append(WalkSimulator(log, components, seed, learnt))
        advance(UPDATES)
    return Joined(near_the_log(found, log, seed))
