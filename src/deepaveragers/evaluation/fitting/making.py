"""Making the policies of candidates from one part of the log."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
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
from ...representation.bcq import BOTH
from ...representation.catalogue import TRAINED, encoder_by_name
from ...representation.encoder import Encoder
from ...solvers.one_step import solve_one_step
from ...solvers.own_policy import solve_own_policy
from ...solvers.plan import Plan
from ..candidates import Candidate, by_plan
from .judges.verdict import Withheld

PICTURE_UPDATES = 1_000
"""Of a representation of pictures."""
FEWEST_UPDATES = 1_500
ROWS_PER_UPDATE = 5.0
"""Rows that ask for one more update of a representation, up to its usual number."""
BCQ_UPDATES = (4_000, 10_000)
"""Of BCQ, whose batches are smaller: fewest and most."""


Q_LEARNERS = ("dqn", "bcq")
"""Encoders whose training depends on the size of rewards."""


class Maker:
    """Makes policies from one dataset; a representation is trained and compiled once.

    Args:
        data: what the policies are made from.
        rows: of the log that these are, for objectives that have an entry per transition.
        seed: of representations that are trained.
        acting: names of representations whose networks are to act by themselves too.
    """

    def __init__(
        self, data: Transitions, rows: Any, seed: int, acting: Collection[str] = ()
    ) -> None:
        self._data, self._rows, self._seed, self._acting = data, rows, seed, acting
        self._encoders: dict[str, Encoder] = {}

    def policies(self, group: Sequence[Candidate]) -> Iterator[tuple[Candidate, Policy | Withheld]]:
        """Yield the policies of candidates that share a representation; plans are shared too."""
        try:
            mdp = self._compile(group)
        except (InputError, TrainingDiverged) as error:
            yield from ((candidate, Withheld(str(error))) for candidate in group)
            return
        for alike in by_plan(group):
            try:
                plan = _planned(mdp, self._asked(alike[0], mdp), alike[0])
            except InputError as error:
                yield from ((candidate, Withheld(str(error))) for candidate in alike)
                continue
            for candidate in alike:
                yield candidate, _policy(plan, candidate)

    def _compile(self, group: Sequence[Candidate]) -> DacMdp:
        k = min(len(self._data), max(candidate.k for candidate in group))
        encoder = group[0].encoder
        if isinstance(encoder, str):
            if encoder not in self._encoders:
                self._encoders[encoder] = self._trained(encoder)
            encoder = self._encoders[encoder]
        m = group[0].candidates
        return compile(self._data, k, encoder, candidates=m, show_progress=False)

    def _trained(self, name: str) -> Encoder:
        """Return an encoder by its name; where it is to act by itself, it is able to."""
        data, training = self._data, dict[str, Any]()
        if name in TRAINED:
            training = {"show_progress": False, "train_steps": _updates(name, data)}
        if name in Q_LEARNERS:
            data = _in_own_units(data)
        if name == "bcq" and name in self._acting:
            training["representation"] = BOTH
        return encoder_by_name(name, data, seed=self._seed, **training)

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
    if encoder == "bcq":
        return int(np.clip(len(data) / ROWS_PER_UPDATE, *BCQ_UPDATES))
    return min(TRAINED[encoder], max(FEWEST_UPDATES, int(len(data) / ROWS_PER_UPDATE)))


def _in_own_units(data: Transitions) -> Transitions:
    """Return rewards in units of their root mean square: what is learnt is the same in any."""
    largest = float(np.abs(data.rewards).max())
    if largest == 0.0:
        return data
    unit = largest * float(np.sqrt(np.mean((data.rewards / largest) ** 2)))
    return replace(data, rewards=data.rewards / unit)


def _planned(mdp: DacMdp, asked: Objective, candidate: Candidate) -> Plan:
    """Return the plan; Ctrl-C ends all, and no candidate is judged by half a plan."""
    if candidate.own:
        plan = solve_own_policy(mdp, asked)
    else:
        plan = solve_one_step(mdp, asked) if candidate.one_step else mdp.solve(asked)
    if plan.status == "interrupted":
        raise KeyboardInterrupt
    return plan


def _policy(plan: Plan, candidate: Candidate) -> Policy | Withheld:
    try:
        return plan.policy(k=candidate.k_pi, lookup=candidate.lookup)
    except InputError as error:
        return Withheld(str(error))
