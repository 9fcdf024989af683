"""Making the policies of candidates from one part of the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...data.observations import is_image
from ...data.transitions import Transitions
from ...errors import InputError, TrainingDiverged
from ...mdp.compilation import compile
from ...mdp.model import DacMdp
from ...mdp.objective import Objective
from ...policy.policy import Policy
from ...representation.catalogue import TRAINED, encoder_by_name
from ...solvers.one_step import solve_one_step
from ...solvers.plan import Plan
from ..candidates import Candidate, by_plan
from .judges.verdict import Withheld

PICTURE_UPDATES = 1_000
"""Of a representation of pictures."""
FEWEST_UPDATES = 1_500
ROWS_PER_UPDATE = 5.0
"""Rows that ask for one more update of a representation, up to its usual number."""


class Maker:
    """Makes policies from one dataset; a representation is trained and compiled once.

    Args:
        data: what the policies are made from.
        rows: of the log that these are, for objectives that have an entry per transition.
        seed: of representations that are trained.
    """

    def __init__(self, data: Transitions, rows: Any, seed: int) -> None:
        self._data, self._rows, self._seed = data, rows, seed

    def policies(self, group: Sequence[Candidate]) -> Iterator[tuple[Candidate, Policy | Withheld]]:
        """Yield the policies of candidates that share a representation; plans are shared too."""
        try:
            mdp = self._compile(group)
        except (InputError, TrainingDiverged) as error:
            yield from ((candidate, Withheld(str(error))) for candidate in group)
            return
        for alike in by_plan(group):
            try:
                plan = _planned(mdp, self._asked(alike[0], mdp), one_step=alike[0].one_step)
            except InputError as error:
                yield from ((candidate, Withheld(str(error))) for candidate in alike)
                continue
            for candidate in alike:
                yield candidate, _policy(plan, candidate)

    def _compile(self, group: Sequence[Candidate]) -> DacMdp:
        k = min(len(self._data), max(candidate.k for candidate in group))
        encoder = group[0].encoder
        if isinstance(encoder, str):
            trained: dict[str, Any] = {}
            if encoder in TRAINED:
                trained = {
                    "show_progress": False,
                    "train_steps": _updates(encoder, self._data),
                }
            encoder = encoder_by_name(encoder, self._data, seed=self._seed, **trained)
        m = group[0].candidates
        return compile(self._data, k, encoder, candidates=m, show_progress=False)

    def _asked(self, candidate: Candidate, mdp: DacMdp) -> Objective:
        """Return the candidate's objective as one of these rows."""
        asked = candidate.objective
        per_transition: dict[str, Any] = {
            name: np.asarray(given)[self._rows]
            for name in ("rewards", "action_mask")
            if (given := getattr(asked, name)) is not None and not callable(given)
        }
        return replace(asked, k=min(candidate.k, mdp.graph.k), **per_transition)


def _updates(encoder: str, data: Transitions) -> int:
    """Return how long a representation is trained."""
    if is_image(data.observations):
        return PICTURE_UPDATES
    return min(TRAINED[encoder], max(FEWEST_UPDATES, int(len(data) / ROWS_PER_UPDATE)))


def _planned(mdp: DacMdp, asked: Objective, *, one_step: bool) -> Plan:
    """Return the plan; Ctrl-C ends all, and no candidate is judged by half a plan."""
    plan = solve_one_step(mdp, asked) if one_step else mdp.solve(asked)
    if plan.status == "interrupted":
        raise KeyboardInterrupt
    return plan


def _policy(plan: Plan, candidate: Candidate) -> Policy | Withheld:
    try:
        return plan.policy(k=candidate.k_pi, lookup=candidate.lookup)
    except InputError as error:
        return Withheld(str(error))
