"""A decision with its evidence: which logged transitions it rests on, and how much each."""

from __future__ import annotations

import math
import textwrap
from dataclasses import asdict, dataclass, field
from typing import Any

SHOWN = 51
WIDTH = 96


@dataclass(frozen=True)
class Evidence:
    """One logged transition behind a decision.

    Attributes:
        transition: its index in the data. By the lookup "nearest" it led to a state like
            this one; by "lookahead" it took the action in a state like this one.
        episode: id of its episode.
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
    """

    action: str
    transition: int
    reward: float
    distance: float
    value: float
    ends: bool


@dataclass(frozen=True)
class Decision:
    """What a policy does at an observation, and why.

    The Q-value of the chosen action is reward + future - penalty, and the sum of the shares
    of the evidence.

    Attributes:
        action: number of the chosen action.
        action_name: its name.
        q_values: one per action; -inf where it is not available.
        q_error: certified bound on the error of each, against the exact plan.
        reward: expected immediate reward, as logged.
        future: expected discounted value of what follows.
        penalty: expected price: of the distance to the data, and of the action.
        support: in [0, 1], see `policy.support`.
        unlike: whether the observation is unlike anything in the data.
        abstained: whether the fallback acted because of thin support.
        evidence: the transitions behind the Q-value of the best action, heaviest first.
        basis: what these transitions are, in a sentence; it depends on the lookup.
        cases: where the objective asks for support, how often each action was taken in the
            logged states most like this one; empty otherwise.
    """

    action: int
    action_name: str
    q_values: dict[str, float]
    q_error: float
    reward: float
    future: float
    penalty: float
    support: float
    unlike: bool
    abstained: bool
    evidence: tuple[Evidence, ...]
    basis: str
    cases: dict[str, int] = field(default_factory=dict)

    def summary(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        values = ", ".join(f"Q({name})={value:.4g}" for name, value in self.q_values.items())
        return (
            f"Decision({self.action_name!r}, {values}, support {self.support:.1%}, "
            f"by {len(self.evidence):,} transitions)"
        )

    def __str__(self) -> str:
        best = max(self.q_values, key=lambda name: self.q_values[name])
        lines = [f"action {self.action_name}" + (" (fallback)" if self.abstained else "")]
        lines += [
            f"  Q({name}) " + self._worth(name, value) + ("  <-" if name == best else "")
            for name, value in self.q_values.items()
        ]
        lines.append(
            f"  = reward {self.reward:.4g} + future {self.future:.4g} - penalty {self.penalty:.4g}"
        )
        note = ", unlike anything in the data" if self.unlike else ""
        lines.append(f"support {self.support:.1%}{note}")
        lines += ["", *textwrap.wrap(f"{self.basis} The shares add up to Q({best}).", WIDTH)]
        shown = self.evidence[:SHOWN]
        widest = max(len(word) for word in ("logged action", *(e.action for e in shown))) + 2
        lines.append(
            "transition   episode    step   distance  weight"
            f"{'logged action':>{widest}}{'its reward':>12}{'share':>12}"
        )
        lines += [
            f"{e.transition:>10}{e.episode:>10}{e.step:>8}{e.distance:>11.4g}"
            f"{e.weight:>8.1%}{e.action:>{widest}}{e.reward:>12.4g}{e.share:>12.4g}"
            for e in shown
        ]
        if len(self.evidence) > SHOWN:
            lines.append(f"and {len(self.evidence) - SHOWN:,} more")
        return "\n".join(lines)

    def _worth(self, name: str, value: float) -> str:
        """Return an action's value in words, or why it has none."""
        if self.cases and value == -math.inf:
            similar = sum(self.cases.values())
            return f"not available here: {self.cases[name]} of {similar} similar cases"
        return f"= {value:.4g} +- {self.q_error:.2g}"
