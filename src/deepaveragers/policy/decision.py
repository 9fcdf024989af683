"""A decision with its evidence: comparable cases, and the exact sum behind its value."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from .case import Case


@dataclass(frozen=True)
class Evidence:
    """One logged transition behind a Q-value.

    Attributes:
        transition: its index in the data. By the lookup "nearest" it led to a state like
            this one; by "lookahead" it took the action in a state like this one.
        episode: number of its episode.
        episode_name: the log's own id of its episode.
        step: its place in the episode, from 0.
        distance: of the observation to it, in the representation.
        weight: its weight in the average, all together 1.
        action: what was done, as logged. By "nearest" that was before the state like this
            one, and says nothing of what to do there.
        reward: what was logged. By "nearest" it was earned before, and is no part of the
            Q-value.
        share: what it contributes to the Q-value; all shares together are the Q-value.
    """

    transition: int
    episode: int
    episode_name: str
    step: int
    distance: float
    weight: float
    action: str
    reward: float
    share: float


@dataclass(frozen=True)
class ImaginedStep:
    """One step of the most likely future through the data.

    Attributes:
        action: the planned action.
        transition: the logged transition that is most like taking it.
        reward: that transition's reward.
        distance: how far the imagined state is from where that transition started.
        value: planned value of the state that it leads to.
        ends: whether the logged episode ended there.
        repeats: whether the path goes on to a transition that it went through before.
    """

    action: str
    transition: int
    reward: float
    distance: float
    value: float
    ends: bool
    repeats: bool = False


@dataclass(frozen=True)
class Decision:
    """What a policy does at an observation, and why.

    `str` shows the comparable cases; `decomposition()` the exact sum: the Q-value of the best
    action is reward + future - penalty, and the sum of the shares of the evidence.

    Attributes:
        action: number of the chosen action; its numbers where actions are rows.
        action_name: its name; where actions are rows, by column, with the transition that took
            it.
        observation: the state asked about, by column; None for pictures.
        q_values: one per action or candidate; -inf where it is not available.
        q_error: certified bound on the error of each, against the exact plan.
        ties: actions that the certificate does not tell apart from the best one.
        support: in [0, 1], see `policy.support`.
        unlike: whether the observation is unlike anything in the data.
        abstained: whether the fallback acted because of thin support.
        cases: the nearest logged states in which the chosen action was taken, nearest first.
        times_taken: how often the log has the chosen action.
        alternative: name of the best other action; None where there is none.
        alternative_cases: the same for that one.
        alternative_taken: how often the log has it.
        reward: expected immediate reward, as logged.
        future: expected discounted value of what follows.
        penalty: expected price: of the distance to the data, and of the action.
        evidence: the transitions behind the Q-value of the best action, heaviest first.
        basis: what these transitions are, in a sentence; it depends on the lookup.
        similar: where the objective asks for support, how often each action was taken in the
            logged states most like this one; empty otherwise.
        network: whether the network of the representation chose the action; the Q-value is then
            what the log says of going on like that, not the network's.
    """

    action: int | tuple[float, ...]
    action_name: str
    observation: dict[str, float] | None
    q_values: dict[str, float]
    q_error: float
    ties: tuple[str, ...]
    support: float
    unlike: bool
    abstained: bool
    cases: tuple[Case, ...]
    times_taken: int
    alternative: str | None
    alternative_cases: tuple[Case, ...]
    alternative_taken: int
    reward: float
    future: float
    penalty: float
    evidence: tuple[Evidence, ...]
    basis: str
    similar: dict[str, int]
    network: bool = False

    @property
    def best(self) -> str:
        """Name of the action with the largest Q-value; the fallback may have taken another."""
        return max(self.q_values, key=lambda name: self.q_values[name])

    def summary(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        values = ", ".join(
            f"Q({name})={value:.4g}" if math.isfinite(value) else f"{name} not available"
            for name, value in self.q_values.items()
        )
        return (
            f"Decision({self.action_name!r}, {values}, support {self.support:.1%}, "
            f"{len(self.cases)} comparable cases, by {len(self.evidence):,} transitions)"
        )

    def __str__(self) -> str:
        from .decision_text import decision_text

        return decision_text(self)

    def _repr_html_(self) -> str:
        from .decision_page import decision_html

        return decision_html(self)

    def decomposition(self) -> str:
        """Return the exact sum behind the Q-value of the best action, as text."""
        from .decision_text import decomposition_text

        return decomposition_text(self)
