"""All judges of one fold, in one place: they are made from the held-out episodes only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ....arrays import Array, Float64
from ....data.observations import is_image
from ....data.returns import returns_to_go
from ....data.transitions import Transitions
from ....errors import MissingExtraError
from ....mdp.permission import deviations_of
from ....progress import Advance
from ....representation.encoder import Encoder, Standardize
from ....representation.picture_components import picture_components
from ..folds import Log
from .action_inputs import agreement
from .behaviour import Imitator, behaviour_parts
from .fitted_q import FittedQ
from .fitted_row_q import FittedRowQ
from .importance import Importance
from .local import LOCAL, LocalSimulator
from .playing import Simulator, Weights, play
from .replaying import Joined, near_the_log
from .simulated import Simulated
from .verdict import Actor, Opinion, Verdict, Withheld, actions_of

JUDGES = ("simulator", "fitted_q", "importance")
AGREEMENT = "agreement"
"""Beside the judges: whether a policy takes the logged actions; its value is the share."""
AGREEMENT_ROWS = 2_000
"""Held-out decisions that are looked at."""
STARTS = 60
"""Simulated episodes per policy."""
SINGLE_STEPS = 2_000
"""The same where an episode is one step."""
NO_WEIGHTS = "actions are rows of numbers, and no two of them are the same"
MISSED, DOUBTED = "missed", "doubted"
"""Names under which `Panel.missed` and `Panel.doubted` are kept."""


@dataclass(frozen=True, eq=False)
class Panel:
    """The judges of one fold.

    Attributes:
        log: the held-out episodes.
        behaviour: [E] float64, what logged behaviour earned in each.
        fitted_q: judge.
        importance: judge; None where actions are rows.
        simulator: None where there is none, as for pictures.
        missed: how far the simulator is from what logged behaviour earned, beyond chance.
        doubted: how much less logged behaviour would earn there at worst, where it leaves the log.
        seed: of the luck in the simulator.
    """

    log: Log
    behaviour: Float64
    fitted_q: FittedQ | FittedRowQ
    importance: Importance | None
    simulator: Simulator | None
    missed: float
    doubted: float
    seed: int

    @property
    def learnt(self) -> Weights:
        """What took long to learn, for another panel of the same episodes."""
        weights = {} if self.simulator is None else self.simulator.weights
        own = {MISSED: np.array(self.missed), DOUBTED: np.array(self.doubted)}
        return {**own, **weights}

    def opinions(self, actors: Sequence[Actor]) -> list[dict[str, Opinion]]:
        """Return what each judge says of each policy, in their order, and its agreement."""
        simulated = self._simulated(actors)
        return [
            {
                "simulator": simulated[place],
                "fitted_q": self.fitted_q.judge(actor),
                "importance": self._weighed(actor),
                AGREEMENT: self._agreement(actor),
            }
            for place, actor in enumerate(actors)
        ]

    def _agreement(self, actor: Actor) -> Verdict:
        data = self.log.data
        rows = np.unique(np.linspace(0, len(data) - 1, AGREEMENT_ROWS).astype(np.int64))
        taken, logged = actions_of(actor, data.observations[rows]), data.actions[rows]
        units = deviations_of(data.actions) if data.action_vectors else np.ones(0)
        share = agreement(taken, logged, units)
        return Verdict(np.array([share]), 0.0, float(len(rows)))

    def _weighed(self, actor: Actor) -> Opinion:
        return Withheld(NO_WEIGHTS) if self.importance is None else self.importance.judge(actor)

    def _simulated(self, actors: Sequence[Actor]) -> list[Opinion]:
        if self.simulator is None:
            return [Withheld("it cannot draw pictures for policies to act on")] * len(actors)
        return [self._verdict(one) for one in self.simulated(actors)]

    def simulated(self, actors: Sequence[Actor], episodes: int = STARTS) -> list[Simulated]:
        """Return what each policy earns in the simulator, which is there, with the same luck.

        Args:
            actors: the policies.
            episodes: that each plays; more, where members would have less than two each.
        """
        assert self.simulator is not None
        episodes = max(episodes, 2 * self.simulator.members)
        played = _play(self.simulator, actors, self.log, self.seed, episodes)
        return [replace(one, doubted=self.doubted) for one in played]

    def _verdict(self, played: Simulated) -> Verdict:
        spread = float(np.hypot(played.error, self.missed))
        value = np.full(len(self.log), played.value)
        return Verdict(value, spread, float(len(self.log)), played.doubt)


def make_panel(
    log: Log,
    *,
    seed: int,
    learn: bool,
    advance: Advance,
    kept: Weights | None = None,
) -> Panel:
    """Return the judges of the held-out episodes; pictures are read by their main components.

    Args:
        log: the held-out episodes.
        seed: of networks and luck.
        learn: whether to learn networks too; else the simulator is local and linear.
        advance: called with each update of the networks.
        kept: `Panel.learnt` of a panel with the same arguments; None learns.
    """
    here, there = log.data.observations, log.data.next_observations
    standard = None if is_image(here) else Standardize().fit(here)
    if standard is None:
        states, following = picture_components(here, there)
    else:
        states, following = _encoded(standard, here), _encoded(standard, there)
    rows = log.data.action_vectors
    fitted_q = (FittedRowQ if rows else FittedQ)(log, states, following, states[log.first], seed)
    behaviour = behaviour_parts(log, fitted_q.basis, states, following)
    importance = None if rows else Importance(log, states, log.data.propensities)
    if standard is None:
        return Panel(log, behaviour, fitted_q, importance, None, 0.0, 0.0, seed)
    simulator = _simulator(log, seed, learn, advance, kept)
    if kept is not None:
        missed, doubted = float(kept[MISSED]), float(kept[DOUBTED])
        return Panel(log, behaviour, fitted_q, importance, simulator, missed, doubted, seed)
    imitator = Imitator(states, log.data.actions, partial(_encoded, standard), seed)
    imitated = _play(simulator, [imitator], log, seed)[0]
    chance = np.hypot(imitated.error, behaviour.std() / np.sqrt(len(log)))
    away = imitated.value - float(behaviour.mean())
    missed = float(np.sqrt(max(0.0, away**2 - chance**2)))
    return Panel(log, behaviour, fitted_q, importance, simulator, missed, imitated.doubt, seed)


def can_learn() -> bool:
    """Whether networks can be learnt here."""
    try:
        from . import learnt  # noqa: F401
    except MissingExtraError:
        return False
    return True


@contextmanager
def one_thread_each(learn: bool) -> Iterator[None]:
    """Let networks be learnt side by side, each in one thread of its own."""
    if not learn:
        yield
        return
    from ....representation.networks import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def learning_steps(data: Transitions, rows: int) -> int:
    """Return how many updates the networks of a panel take, for this many rows of the data."""
    if is_image(data.observations):
        return 0
    from .learnt import steps_for

    return steps_for(rows)


def _simulator(
    log: Log, seed: int, learn: bool, advance: Advance, kept: Weights | None
) -> Simulator:
    """Return local lines, networks, or both: those that replay the log well."""
    if not learn:
        return LocalSimulator(log, seed)
    from .learnt import LearntSimulator

    if kept is None:
        learnt = LearntSimulator(log, seed=seed, advance=advance)
        return Joined(near_the_log((LocalSimulator(log, seed), learnt), log, seed))
    weights = {name: array for name, array in kept.items() if name not in (MISSED, DOUBTED)}
    local = weights.pop(LOCAL, None) is not None
    found: list[Simulator] = [LocalSimulator(log, seed)] if local else []
    if weights:
        found.append(LearntSimulator(log, seed=seed, advance=advance, weights=weights))
    return Joined(found)


def _play(
    simulator: Simulator, actors: Sequence[Actor], log: Log, seed: int, episodes: int = STARTS
) -> list[Simulated]:
    """Return what policies earn from starts of the log, with the same luck."""
    generator = np.random.default_rng(seed)
    count = SINGLE_STEPS if log.data.terminations.all() else episodes
    picks = generator.choice(len(log), count, replace=len(log) < count)
    starts = log.data.observations[log.first[picks]]
    worst = float(returns_to_go(log.data, log.gamma).min())
    returns, at_worst = play(simulator, actors, starts, gamma=log.gamma, worst=worst, seed=seed)
    return [
        Simulated(*own, simulator.members, simulator.draws, simulator.draw_variance)
        for own in zip(returns, at_worst, strict=True)
    ]


def _encoded(encoder: Encoder, observations: Array) -> Float64:
    return np.asarray(encoder.encode(observations), dtype=np.float64)
