"""Candidates: ways to plan and act, among which `fit` chooses."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from ..arguments import (
    choice,
    flag,
    instance,
    known_keywords,
    optional,
    several,
    shown,
    whole_number,
)
from ..arrays import Array
from ..errors import InputError
from ..mdp.objective import Objective
from ..policy.policy import LookupName
from ..representation.catalogue import NAMES
from ..representation.encoder import Encoder


@dataclass(frozen=True)
class Candidate:
    """One way to plan and act.

    Attributes:
        objective: what is planned for; its own `k` stays None.
        k: neighbours in the MDP.
        k_pi: neighbours that a decision averages.
        lookup: "nearest", "lookahead", or "auto" as in `Policy`; "network" does what the network
            of the representation would do (`solve_own_policy`).
        encoder: the representation; None standardises vectors. A name ("dynamics", "bcq" and
            the others of `dac compile --encoder`) is trained on the part of the log that the
            candidate is made from; a ready encoder may have seen the episodes that judge it.
        candidates: where actions are rows, the logged transitions among whose actions a state
            chooses; None: as `compile` has it.
        one_step: one step of improvement on logged returns (`solve_one_step`), not a whole plan.
        name: what it is called in tables; None describes it.
    """

    objective: Objective = field(default_factory=Objective)
    k: int = 5
    k_pi: int = 11
    lookup: LookupName = "auto"
    encoder: Encoder | Callable[[Array], Any] | str | None = None
    candidates: int | None = None
    one_step: bool = False
    name: str | None = None

    def __post_init__(self) -> None:
        instance("objective", self.objective, Objective, "an Objective")
        for name in ("k", "k_pi"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
        choice("lookup", self.lookup, get_args(LookupName))
        if isinstance(self.encoder, str):
            choice("encoder", self.encoder, NAMES)
        object.__setattr__(
            self, "candidates", optional(whole_number, "candidates", self.candidates)
        )
        flag("one_step", self.one_step)
        if self.one_step and self.own:
            raise InputError("one_step", "False where the network acts", True)
        if self.name is not None and not (isinstance(self.name, str) and self.name):
            raise InputError("name", "some text, or None", shown(self.name))
        if self.objective.k is not None:
            raise InputError("objective", "without k, which the candidate has", self.objective.k)

    @property
    def asked(self) -> Objective:
        """The objective, with the candidate's k."""
        return replace(self.objective, k=self.k)

    @property
    def own(self) -> bool:
        """Whether the network of the representation acts."""
        return self.lookup == "network"

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        asked = self.objective
        words = [
            "one step" if self.one_step else "",
            _representation(self.encoder),
            f"k={self.k}",
            "" if asked.cost is None else f"C={asked.cost:g}",
            f"support={asked.support:g}" if asked.support else "",
            "" if self.candidates is None else f"candidates={self.candidates}",
            f"k_pi={self.k_pi}",
            "" if self.lookup in ("auto", "nearest") else self.lookup,
            "" if asked.gamma == Objective.gamma else f"gamma={asked.gamma:g}",
        ]
        return " ".join(word for word in words if word)


def _representation(encoder: Any) -> str:
    if encoder is None:
        return "columns"
    return encoder if isinstance(encoder, str) else type(encoder).__name__


@known_keywords
def candidate_grid(
    *,
    k: Sequence[int] = (1, 5),
    cost: Sequence[float] = (1.0, 10.0, 100.0),
    k_pi: Sequence[int] = (1, 11, 51),
    lookup: LookupName | Sequence[LookupName] = "auto",
    objective: Objective | None = None,
    encoder: Encoder | Callable[[Array], Any] | str | None = None,
) -> tuple[Candidate, ...]:
    """Return the candidates for every combination of k, cost, k_pi and lookup."""
    k, cost, k_pi = (
        several(name, values, "one or more numbers in a list", least=1)
        for name, values in (("k", k), ("cost", cost), ("k_pi", k_pi))
    )
    words = (lookup,) if isinstance(lookup, str) else lookup
    lookups = several("lookup", words, "a lookup, or several in a list", least=1)
    base = objective if objective is not None else Objective()
    instance("objective", base, Objective, "an Objective, or None")
    objectives = [replace(base, cost=price) for price in cost]
    return tuple(
        Candidate(asked, k=near, k_pi=smooth, lookup=way, encoder=encoder)
        for near, asked, smooth, way in itertools.product(k, objectives, k_pi, lookups)
    )


def by_encoder(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Return groups with the same representation and number of candidates: one compile each."""
    return _grouped(
        candidates,
        lambda one, other: one.candidates == other.candidates and _same(one.encoder, other.encoder),
    )


def by_plan(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Return groups with the same objective and k; they share their plans."""
    return _grouped(
        candidates,
        lambda one, other: (
            (one.k, one.one_step, one.own) == (other.k, other.one_step, other.own)
            and _same(one.objective, other.objective)
        ),
    )


def _grouped(
    candidates: Sequence[Candidate], alike: Callable[[Candidate, Candidate], bool]
) -> list[list[Candidate]]:
    groups: list[list[Candidate]] = []
    for candidate in candidates:
        group = next((g for g in groups if alike(g[0], candidate)), None)
        if group is None:
            groups.append([candidate])
        else:
            group.append(candidate)
    return groups


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return type(one) is type(other) and bool(one == other)
    except ValueError:  # arrays among the fields: not known to be equal
        return False
