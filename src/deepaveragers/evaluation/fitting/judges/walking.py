"""A simulator of pictures: walks over logged ones.

Nobody can draw a picture that was not seen. So a state is a logged picture. After an action, the
walk goes to what followed one of the logged pictures nearest to it in which that action was taken,
drawn by the inverse distance; that transition pays, and ends the episode if it did. This is the
compiled MDP of the held-out episodes, in a representation that no candidate has.

A walk is wrong by its jumps: from a picture to one like it. With one neighbour, a jump from a
picture always leads to the same one; with several, jumps push it about like noise. So members have
one neighbour or five, in turns: where that matters, they disagree, and the interval is wide
(docs/journal/fit.md). That gap is counted as if the members' draws of the episodes had made it,
which is cautious. Of pictures that are the same to the last pixel, one is drawn at random.

Features, if they are learnt, have seen all episodes; members differ in the transitions they know.
Nothing is believed far from the data, as with local lines (`local`). Where a member does not know
an action, the walk ends, with the least discounted return of the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from ....arrays import Array, Bool, Float64, Int64
from ....data.returns import returns_to_go
from ....kernels.bellman.problem import DISTANCE_OFFSET
from ....neighbors.duplicates import group_identical
from ....neighbors.tree import TreeIndex
from ....progress import Advance
from ....representation.dynamics import train_dynamics
from ....representation.picture_components import PictureComponents
from ..folds import Log
from .action_inputs import action_inputs, placed
from .local import DRAW_VARIANCE, NEAREST, farthest_believed
from .playing import Step, Weights
from .replaying import Joined
from .verdict import Actor, actions_of

LEARNT = "walk sources", "walk cores"
"""Names under which learnt features are kept."""
UPDATES = 1_000
"""Of the features."""
MEMBERS = 10
NEIGHBORS = (1, 5)
"""Of members in turns."""

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
    draw_variance = DRAW_VARIANCE

    def __init__(
        self, log: Log, components: PictureComponents, seed: int, learnt: Features | None = None
    ) -> None:
        data = log.data
        self._data, self._components, self._actions = data, components, action_inputs(data)
        self._worst = float(returns_to_go(data, log.gamma).min())
        self._learnt, here = learnt, components(data.observations)
        self._pictures = TreeIndex(here)
        sources, cores = learnt or (here, components(data.next_observations))
        unit = float(np.sqrt(sources.var(axis=0).mean())) or 1.0
        self._sources, self._cores = sources / unit, cores / unit
        points, kinds = placed(data, self._sources, data.actions, self._actions)
        numbers = range(int(kinds.max()) + 1)
        draws = [np.unique(draw) for draw in log.draws(MEMBERS, seed)]
        rows = [[draw[kinds[draw] == kind] for kind in numbers] for draw in draws]
        self._logged = [[_Logged(points[one], one) for one in own] for own in rows]
        self._limits = np.array([_farthest(own) for own in self._logged])

    @property
    def weights(self) -> Weights:
        """The features that were learnt."""
        return {} if self._learnt is None else dict(zip(LEARNT, self._learnt, strict=True))

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
        """Return what follows."""
        data, (rows, first) = self._data, _rows_of(states)
        features = np.where(first[:, None], self._sources[rows], self._cores[rows])
        points, kinds = placed(data, features, actions, self._actions)
        taken, gaps = np.full(len(states), -1), np.full(len(states), np.inf)
        for one, by_kind in enumerate(self._logged):
            for kind, logged in enumerate(by_kind):
                own = np.flatnonzero((member == one) & (kinds == kind))
                if len(own) and len(logged.points):
                    k = NEIGHBORS[one % len(NEIGHBORS)]
                    taken[own], gaps[own] = logged.drawn(points[own], k, draws[own])
        known = taken >= 0
        reward = np.where(known, data.rewards[taken], self._worst).astype(np.float64)
        ended = ~known | data.terminations[taken]
        after = np.where(known, taken, rows)[:, None].astype(np.float64)
        return Step(after, reward, reward, ended, gaps <= self._limits[member])


class _Logged:
    """Logged pictures in which an action was taken.

    Args:
        points: [R, P] where they lie.
        rows: [R] of the log.

    Attributes:
        points: [G, P] float32 the distinct ones.
        index: of these.
    """

    def __init__(self, points: Float64, rows: Int64) -> None:
        narrow = points.astype(np.float32)  # The same pictures may differ by rounding in float64.
        members, self._starts = group_identical(narrow)
        self._rows = rows[members]
        self.points = narrow[members[self._starts[:-1]]]
        self.index = TreeIndex(self.points)

    def drawn(self, points: Float64, k: int, draws: Float64) -> tuple[Int64, Float64]:
        """Return a row [B] among the k nearest distinct pictures, and the mean distance [B]."""
        count = min(max(k, NEAREST), len(self.points))
        found, far = self.index.query(points.astype(np.float32), count)
        shares = np.cumsum(1.0 / (far[:, :k] + DISTANCE_OFFSET), axis=1)
        picks = (shares < draws[:, :1] * shares[:, -1:]).sum(axis=1)
        group = found[np.arange(len(found)), picks]
        size = self._starts[group + 1] - self._starts[group]
        row = self._starts[group] + (draws[:, 1] * size).astype(np.int64)
        return self._rows[row], far.mean(axis=1)


def _farthest(logged: Sequence[_Logged]) -> float:
    return farthest_believed([one.points for one in logged], [one.index for one in logged])


class Remembered:
    """An actor that is asked of each picture once: walks come by the same ones again and again."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._known: dict[bytes, Any] = {}

    def act(self, observation: Any) -> Array:
        """Return [B] actions, or rows [B, Da]."""
        names = [blake2b(picture.tobytes(), digest_size=16).digest() for picture in observation]
        asked = dict.fromkeys(name for name in names if name not in self._known)
        if asked:
            first = [names.index(name) for name in asked]
            answers = actions_of(self._actor, observation[first])
            self._known.update(zip(asked, answers, strict=True))
        return np.array([self._known[name] for name in names])


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
    """Return walks by components, and by features that are learnt.

    Args:
        log: the episodes.
        components: of its pictures.
        seed: of the members' draws and of the features.
        learn: whether features are learnt.
        advance: called with each update.
        kept: `weights` of such walks on the same log; None learns.
    """
    found = [WalkSimulator(log, components, seed)]
    if kept is not None and LEARNT[0] in kept:
        here, there = (kept[name] for name in LEARNT)
        found.append(WalkSimulator(log, components, seed, (here, there)))
    elif kept is None and learn:
        encoder = train_dynamics(
            log.data, UPDATES, seed=seed, show_progress=False, watch=lambda done, steps: advance(1)
        )
        here, there = map(encoder.encode, (log.data.observations, log.data.next_observations))
        learnt = here.astype(np.float64), there.astype(np.float64)
        found.append(WalkSimulator(log, components, seed, learnt))
    return Joined(found)
