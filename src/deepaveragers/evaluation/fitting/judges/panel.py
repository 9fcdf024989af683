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
from ....representation.picture_components import fit_picture_components
from ..folds import Log
from .action_inputs import agreement
from .basis import fit_basis
from .behaviour import Imitator, behaviour_parts
from .fitted_q import FittedQ, functions_for
from .fitted_row_q import FittedRowQ
from .importance import Importance
from .local import LOCAL, LocalSimulator
from .playing import Simulator, Weights, play
from .replaying import Joined, near_the_log
from .simulated import Simulated
from .verdict import Actor, Opinion, Verdict, Withheld, actions_of
from .walking import UPDATES, Remembered, walks

JUDGES = ("simulator", "fitted_q", "importance")
AGREEMENT = "agreement"
"""Beside the judges: whether a policy takes the logged actions; its value is the share."""
AGREEMENT_ROWS = 2_000
"""Held-out decisions that are looked at."""
STARTS = 60
"""Simulated episodes per policy."""
SINGLE_STEPS = 2_000
"""The same where an episode is one step."""
NO_WEIGHTS = Withheld("actions are rows of numbers, and no two of them are the same")
NO_FUNCTIONS = Withheld("it errs on pictures, often with a narrow interval")
MISSED, DOUBTED = "missed", "doubted"
"""Names under which `Panel.missed` and `Panel.doubted` are kept."""


@dataclass(frozen=True, eq=False)
class Panel:
    """The judges of one fold.

    Attributes:
        log: the held-out episodes.
        behaviour: [E] float64, what logged behaviour earned in each.
        fitted_q: judge; None of pictures, on which it errs (docs/journal/fit.md).
        importance: judge; None where actions are rows.
        simulator: judge.
        missed: how far the simulator is from what logged behaviour earned, beyond chance.
        doubted: how much less logged behaviour would earn there at worst, where it leaves the log.
        seed: of the luck in the simulator.
    """

    log: Log
    behaviour: Float64
    fitted_q: FittedQ | FittedRowQ | None
    importance: Importance | None
    simulator: Joined
    missed: float
    doubted: float
    seed: int

    @property
    def learnt(self) -> Weights:
        """What took long to learn, for another panel of the same episodes."""
        own = {MISSED: np.array(self.missed), DOUBTED: np.array(self.doubted)}
        return {**own, **self.simulator.weights}

    def opinions(self, actors: Sequence[Actor]) -> list[dict[str, Opinion]]:
        """Return what each judge says of each policy, in their order, and its agreement."""
        fitted_q, importance = self.fitted_q, self.importance
        return [
            {
                "simulator": self._verdict(simulated),
                "fitted_q": fitted_q.judge(actor) if fitted_q else NO_FUNCTIONS,
                "importance": importance.judge(actor) if importance else NO_WEIGHTS,
                AGREEMENT: self._agreement(actor),
            }
            for actor, simulated in zip(actors, self.simulated(actors), strict=True)
        ]

    def _agreement(self, actor: Actor) -> Verdict:
        data = self.log.data
        rows = np.unique(np.linspace(0, len(data) - 1, AGREEMENT_ROWS).astype(np.int64))
        taken, logged = actions_of(actor, data.observations[rows]), data.actions[rows]
        units = deviations_of(data.actions) if data.action_vectors else np.ones(0)
        share = agreement(taken, logged, units)
        return Verdict(np.array([share]), 0.0, float(len(rows)))

    def simulated(self, actors: Sequence[Actor], episodes: int = STARTS) -> list[Simulated]:
        """Return what each policy earns in the simulator, with the same luck.

        Args:
            actors: the policies.
            episodes: that each plays; more, where members would have less than two each.
        """
        episodes = max(episodes, 2 * self.simulator.members)
        if is_image(self.log.data.observations):
            actors = list(map(Remembered, actors))
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
    here, there, rows = log.data.observations, log.data.next_observations, log.data.action_vectors
    pictures = fit_picture_components(here) if is_image(here) else None
    encode = pictures or partial(_encoded, Standardize().fit(here))
    states, following = encode(here), encode(there)
    fitted_q: FittedQ | FittedRowQ | None = None
    if pictures is None:
        judge = FittedRowQ if rows else FittedQ
        fitted_q = judge(log, states, following, states[log.first], seed)
        simulator = _simulator(log, seed, learn, advance, kept)
    else:
        simulator = walks(log, pictures, seed=seed, learn=learn, advance=advance, kept=kept)
    basis = fitted_q.basis if fitted_q else fit_basis(states, functions_for(len(states)), seed)
    behaviour = behaviour_parts(log, basis, states, following)
    importance = None if rows else Importance(log, states, log.data.propensities)
    if kept is not None:
        missed, doubted = float(kept[MISSED]), float(kept[DOUBTED])
        return Panel(log, behaviour, fitted_q, importance, simulator, missed, doubted, seed)
    imitator = Imitator(states, log.data.actions, encode, seed)
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
        return UPDATES
    from .learnt import steps_for

    return steps_for(rows)


def _simulator(log: Log, seed: int, learn: bool, advance: Advance, kept: Weights | None) -> Joined:
    """Return local lines, networks, or both: those that replay the log well."""
    if not learn:
        return Joined([LocalSimulator(log, seed)])
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
