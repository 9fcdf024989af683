"""One opened model: its plans, its axes, and all that is asked of it. Free of HTTP."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from ..arrays import Array, Float64
from ..data.observations import is_image
from ..errors import InputError
from ..mdp.candidate_problem import with_permitted_candidates
from ..mdp.jumps import jumps_known
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..mdp.problem import rewards_of, with_cost
from ..policy.policy import Policy
from ..solvers.plan import Plan
from ..solvers.planned_actions import others, planned_actions
from ..solvers.start_states import Starts, start_states
from .axes import Axes
from .columns import columns_of, first_axes
from .messages import Column, Model, Opening, PlanSummary
from .model_message import model_message
from .planning_watch import PLAN_SECONDS, solve_within
from .plans import Kept, Plans, own_bytes
from .question_messages import Question
from .questions import normal, objective_of, plan_id, question_of, tolerance_of
from .replanning import Overtaken
from .source import Source
from .summaries import summary_of

LIVE_STATES = 150_000
"""Up to so many a re-plan is quick enough to follow a slider."""
COMPARISONS_KEPT = 16
POLICIES_KEPT = 3
"""Each has the Q-values of its plan once more."""
Result = TypeVar("Result")
Callback = Callable[[Any], object]


class Session:
    """A model and the plans made of it.

    Args:
        source: the model.
        output: the folder that exports are written to.

    Attributes:
        first_watch: called after every sweep of the first plan.
    """

    def __init__(self, source: Source, output: Path) -> None:
        self.source, self.output = source, output
        self.mdp, self.data = source.mdp, source.mdp.transitions
        self.base = Objective() if source.plan is None else source.plan.objective
        self.first = (
            Question() if source.plan is None else question_of(source.plan.objective, self.mdp)
        )
        self.plans, self.axes = Plans(), Axes(self.mdp)
        self.first_watch: Callback | None = None
        self._closing = threading.Event()
        self._planning = threading.Lock()
        self._last: Kept | None = None
        self._restricted: tuple[Any, DacMdp] | None = None
        self._comparing = threading.Lock()
        self._compared: OrderedDict[Any, Any] = OrderedDict()
        self._acting, self._policies = threading.Lock(), list[Policy]()
        self._lock, self._locks = threading.Lock(), dict[str, threading.RLock]()
        self._made: dict[str, Any] = {}

    @cached_property
    def digest(self) -> str:
        """Tells this model from others."""
        return self.source.digest

    @cached_property
    def logged(self) -> Float64:
        """[N] float64, what "logged" rewards are: those of the data, or of the loaded plan."""
        return np.asarray(rewards_of(self.mdp, self.base), dtype=np.float64)

    @property
    def starts(self) -> Starts:
        """Where episodes begin."""
        return self.once("starts", lambda: start_states(self.mdp))

    @property
    def jumps(self) -> float:
        """How far neighbours are, in lengths of a step; 0 of a log that is too small to say so."""
        mdp, ended = self.mdp, self.data.terminations
        return self.once(
            "jumps", lambda: jumps_known(mdp.graph, mdp.source_features, mdp.core_features, ended)
        )

    @property
    def live(self) -> bool:
        """Whether re-plans follow a slider."""
        return len(self.mdp) <= LIVE_STATES

    def prepare_support(self) -> None:
        """Search what the first question about support would wait for."""
        if not self.data.action_vectors:
            _ = self.mdp.imitation.core_counts

    def prepare_drawing(self) -> None:
        """Import what draws, once: two threads that begin to at once would spoil Matplotlib."""
        self.once("drawing", lambda: import_module("matplotlib.figure"))

    @property
    def findings_count(self) -> int | None:
        """How many findings the doctor has; None until he is done."""
        found = self._made.get("diagnosis")
        return None if found is None else len(found.findings)

    @property
    def columns(self) -> tuple[Column, ...]:
        """What is known of every column."""
        return self.once("columns", lambda: columns_of(self.axes))

    @property
    def sorted_columns(self) -> list[Float64]:
        """Every column of a sample of the core states, ascending."""
        return self.once("sorted columns", lambda: list(np.sort(self.axes.sample(), axis=0).T))

    def compared(self, left: Kept, right: Kept, make: Callable[[], Result]) -> Result:
        """Return the comparison of two plans; the last ones are kept."""
        with self._comparing:
            key = left.state, right.state
            if key not in self._compared:
                self._compared[key] = make()
                while len(self._compared) > COMPARISONS_KEPT:
                    self._compared.popitem(last=False)
            return self._compared[key]

    def policy(self, plan: Plan) -> Policy:
        """Return how a plan acts: as the first one does, whose indexes are shared.

        Those of the last plans are kept.
        """
        first = self.once("policy", lambda: self.first_plan().plan.policy())
        with self._acting:
            for kept in self._policies:
                if kept.plan is plan:
                    return kept
            made = first.by(plan)
            self._policies = [made, *self._policies[: POLICIES_KEPT - 1]]
            return made

    def picture(self, state: int | None, *, before: bool = False) -> str | None:
        """Return the address of a picture of a core state, or of the state before it."""
        if state is None or not is_image(self.data.observations):
            return None
        return f"/api/states/{state}/picture.png" + ("?transition=1" if before else "")

    def once(self, name: str, make: Callable[[], Result]) -> Result:
        """Return what was made under the name; the first who asks makes it, others wait."""
        with self._lock:
            own = self._locks.setdefault(name, threading.RLock())
        with own:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]

    def first_plan(self) -> Kept:
        """Return the plan that was loaded, or that of the first question."""
        plan = self.source.plan
        if plan is None:
            return self.plan(self.first, self.first_watch, math.inf)
        name = plan_id(self.first, self.digest)
        kept = self.plans.get(name)
        if kept is None:
            kept = self._kept(plan, self.first, name)
            self.plans.put(kept)
        return kept

    def plan(
        self, question: Question, callback: Callback | None = None, seconds: float = PLAN_SECONDS
    ) -> Kept:
        """Return the plan of a question; one that is kept and finished is not made again.

        Args:
            question: what is asked.
            callback: called after every sweep; it may raise to end the solve.
            seconds: that it may take, compiling of kernels not counted.
        """
        question = normal(question)
        name = plan_id(question, self.digest)
        kept = self.plans.get(name)
        if kept is not None and kept.plan.converged:
            return kept
        objective = with_cost(self.mdp, objective_of(question, self.mdp, self.base, self.logged))
        with self._planning:
            kept = self.plans.get(name)  # someone may have asked the same meanwhile
            if kept is None or not kept.plan.converged:
                before = self._last if kept is None else kept
                plan, prepared = solve_within(
                    seconds,
                    self._model_for(objective),
                    objective,
                    tolerance=tolerance_of(question, live=self.live),
                    start=None if before is None else before.plan,
                    callback=lambda seen: self._watched(seen, callback),
                )
                kept = self._last = self._kept(plan, question, name, prepared)
                self.plans.put(kept)
        return kept

    def _kept(self, plan: Plan, question: Question, name: str, prepared: float = 0.0) -> Kept:
        planned = planned_actions(plan)
        about = question, self.source, self.starts, name
        summary = summary_of(plan, planned, *about, jumps=self.jumps, prepared=prepared)
        return Kept(plan, summary, planned, own_bytes(plan, self.mdp, self.base.rewards))

    def _model_for(self, objective: Objective) -> DacMdp:
        """Return the model to plan on: where ranges of actions are forbidden, without them.

        The last one of these is kept, so that other questions about the same ranges are quick.
        """
        if not (self.data.action_vectors and objective.forbidden_actions):
            return self.mdp
        asked = objective.forbidden_actions
        if self._restricted is None or self._restricted[0] != asked:
            if self._restricted is not None and self._restricted[1] is not self.mdp:
                self._restricted[1].release()
            self._restricted = asked, with_permitted_candidates(self.mdp, objective)
        return self._restricted[1]

    def close(self) -> None:
        """Have plans that are being made end; none is made any more."""
        self._closing.set()

    def _watched(self, seen: Any, callback: Callback | None) -> None:
        if self._closing.is_set():
            raise Overtaken
        if callback is not None:
            callback(seen)

    def known(self, name: str) -> Kept | None:
        """Return a plan by its id; one that is gone is made again by its question."""
        kept = self.plans.get(name)
        if kept is not None:
            return kept
        question = self.plans.question(name)
        if question is None:
            return None
        first = name == plan_id(normal(self.first), self.digest)
        return self.first_plan() if first else self.plan(question)

    def summary(self, kept: Kept, against: Kept | None = None) -> PlanSummary:
        """Return the figures of a plan, beside another."""
        changed = None
        if against is not None:
            here, there = kept.planned, against.planned
            living = here >= 0
            differs = others(self.data, here[living], there[living])
            changed = float(differs.mean()) if living.any() else 0.0
        return msgspec.structs.replace(
            kept.summary, changed_share=changed, pinned=self.plans.pins().get(kept.summary.id)
        )

    def model(self) -> Model:
        """Return what the page shows first."""
        return model_message(self)

    def opening(self) -> Opening:
        """Return the first plan, once it is made."""
        first = self.first_plan()
        axes = self.once("first axes", lambda: first_axes(self.axes, first.plan.values))
        return Opening(self.summary(first), axes)

    def state(self, number: int) -> int:
        """Return the number of a core state, checked."""
        if not 0 <= number < len(self.mdp):
            raise InputError("state", f"in 0..{len(self.mdp) - 1}", number)
        return number

    def observation(self, state: int) -> Array:
        """Return the observation of a core state."""
        return np.asarray(self.data.next_observations[self.state(state)])
