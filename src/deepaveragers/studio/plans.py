"""Plans that are kept: pinned ones always, others while memory allows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Int64
from ..errors import InputError
from ..mdp.candidate_problem import candidates_of
from ..mdp.model import DacMdp
from ..solvers.plan import Plan
from .messages import PlanSummary
from .question_messages import Question

MOST_BYTES = 192 << 20
"""Of plans that are not pinned, without what they share."""
MOST_PINS = 12
MOST_QUESTIONS = 4_096
"""That are remembered by the ids of their plans; each is a few hundred bytes."""


@dataclass(frozen=True, eq=False)
class Kept:
    """A plan, and what the page says of it.

    Attributes:
        plan: the plan.
        summary: what the page says.
        planned: [N] int64, what it does in every core state; see `planned_actions`.
        own_bytes: of its own candidates and rewards, where they are not those of the session.
    """

    plan: Plan
    summary: PlanSummary
    planned: Int64
    own_bytes: int = 0

    @property
    def state(self) -> tuple[str, float]:
        """Tells it from others, and from what it was before planning went on."""
        return self.summary.id, self.plan.error

    @property
    def nbytes(self) -> int:
        """Memory in bytes, without what it shares with the session."""
        arrays = (self.plan.values, self.plan.q_values, self.planned)
        return sum(array.nbytes for array in arrays) + self.own_bytes


def own_bytes(plan: Plan, mdp: DacMdp, rewards: Any) -> int:
    """Return the memory of a plan's candidates and rewards, where they are not these.

    Args:
        plan: the plan.
        mdp: the model that plans share.
        rewards: of the objective that plans share, None for those of the data.
    """
    own = () if plan.mdp is mdp else candidates_of(plan.mdp)
    asked = plan.objective.rewards
    if asked is not rewards and isinstance(asked, np.ndarray):
        own = (*own, asked)
    return sum(array.nbytes for array in own)


class Plans:
    """Plans by id, and the questions of those that are gone; safe among threads.

    Args:
        most_bytes: of plans that are not pinned; the last one is always kept.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._plans: OrderedDict[str, Kept] = OrderedDict()
        self._questions: OrderedDict[str, Question] = OrderedDict()
        self._pins: dict[str, str] = {}
        self._lock = threading.Lock()

    def put(self, kept: Kept) -> None:
        """Keep a plan; those that were not looked at for longest give way."""
        name = kept.summary.id
        with self._lock:
            self._plans[name] = kept
            self._plans.move_to_end(name)
            self._questions[name] = kept.summary.question
            self._questions.move_to_end(name)
            self._make_room(name)

    def get(self, name: str) -> Kept | None:
        """Return a plan that is kept, and count it as looked at."""
        with self._lock:
            if name in self._plans:
                self._plans.move_to_end(name)
            return self._plans.get(name)

    def question(self, name: str) -> Question | None:
        """Return the question of a plan, even of one that is gone."""
        with self._lock:
            return self._questions.get(name)

    def pin(self, name: str, label: str) -> None:
        """Keep a plan for good, under a label."""
        with self._lock:
            if name not in self._pins and len(self._pins) >= MOST_PINS:
                raise InputError("pins", f"at most {MOST_PINS}", "one more", "Remove one first.")
            self._pins[name] = label

    def unpin(self, name: str) -> bool:
        """Let a plan go when memory is short; return whether it was pinned."""
        with self._lock:
            return self._pins.pop(name, None) is not None

    def pins(self) -> dict[str, str]:
        """Return the labels of pinned plans by id, in the order in which they were pinned."""
        with self._lock:
            return dict(self._pins)

    @property
    def nbytes(self) -> int:
        """Memory of all that are kept."""
        with self._lock:
            return sum(kept.nbytes for kept in self._plans.values())

    def _make_room(self, last: str) -> None:
        loose = [name for name in self._plans if name not in self._pins]
        taken = sum(self._plans[name].nbytes for name in loose)
        for name in loose:
            if taken <= self._most or name == last:
                break
            taken -= self._plans.pop(name).nbytes
        for name in list(self._questions)[: max(0, len(self._questions) - MOST_QUESTIONS)]:
            if name not in self._pins:
                del self._questions[name]
