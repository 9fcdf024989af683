"""What is asked of which MDP: the cells of the benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .families import FAMILIES, LOGS

SMALL, MEDIUM, LARGE, HUGE = 100_000, 300_000, 1_000_000, 4_000_000
QUICK = 20_000
TOLERANCE = 1e-3
SCHEDULE: dict[int, tuple[str, ...]] = {
    SMALL: tuple(FAMILIES),
    MEDIUM: tuple(name for name in LOGS if name != "pictures"),
    LARGE: tuple(name for name, family in FAMILIES.items() if family.largest >= LARGE),
    2_500_000: ("latent",),
    HUGE: ("walks", "latent"),
}
"""Families by number of states, unless others are asked for."""
QUICK_FAMILIES = ("cartpole", "walks", "latent", "short", "shuffled", "rooms", "grid", "store")


@dataclass(frozen=True)
class Question:
    """One objective; the fields are those of `da.Objective`."""

    gamma: float = 0.99
    cost: float = 1.0
    slip: float = 0.0
    worst_case: float = 0.0

    @property
    def fields(self) -> dict[str, float]:
        """Return the objective's fields as keywords."""
        return asdict(self)

    @property
    def is_plain(self) -> bool:
        """Whether it is an MDP of the same size to other solvers too."""
        return self.slip == 0.0 and self.worst_case == 0.0

    def __str__(self) -> str:
        extra = {"slip": self.slip, "worst case": self.worst_case}
        said = [f"gamma {self.gamma:g}", f"cost {self.cost:g}"]
        return ", ".join(said + [f"{name} {value:g}" for name, value in extra.items() if value])


@dataclass(frozen=True)
class Cell:
    """One question to one MDP.

    Attributes:
        family: name of the family.
        states: number of states.
        question: the objective.
        tolerance: relative to |T 0| / (1 - gamma), as `DacMdp.solve` takes it.
    """

    family: str
    states: int
    question: Question
    tolerance: float = TOLERANCE

    @property
    def key(self) -> dict[str, Any]:
        """Return what a row is found by."""
        return {
            "family": self.family,
            "states": self.states,
            **self.question.fields,
            "tolerance": self.tolerance,
        }

    @property
    def peers(self) -> tuple[str, ...]:
        """Return the other solvers that can answer it in the time there is."""
        question = self.question
        if not question.is_plain or self.states > LARGE:
            return ()
        hardest = 0.99 if self.states > MEDIUM else 0.999
        quantecon = ("quantecon",) if question.gamma <= hardest else ()
        # mdpsolver takes its input as Python lists.
        lists = self.states <= SMALL and question == Question()
        return (*quantecon, "mdpsolver") if lists else quantecon


def questions(states: int, gammas: Sequence[float] | None) -> list[Question]:
    """Return what is asked of an MDP of this size, or only discounts if they are given."""
    if gammas is not None:
        return [Question(gamma=gamma) for gamma in gammas]
    if states > SMALL:
        return [Question(), Question(gamma=0.999)]
    other = [{"cost": 0.0}, {"cost": 100.0}, {"slip": 0.1}, {"worst_case": 0.1}]
    return [
        *(Question(gamma=gamma) for gamma in (0.95, 0.99, 0.999, 0.9999)),
        *(Question(**changed) for changed in other),
    ]


def cells(
    families: Sequence[str] | None = None,
    sizes: Sequence[int] | None = None,
    gammas: Sequence[float] | None = None,
) -> Iterator[Cell]:
    """Yield the cells: those of the schedule, or of the families and sizes that are given."""
    for states in SCHEDULE if sizes is None else sizes:
        usual = SCHEDULE.get(states, tuple(FAMILIES))
        for family in usual if families is None else families:
            unusual = families is not None and sizes is not None
            if states <= FAMILIES[family].largest and (unusual or family in usual):
                for question in questions(states, gammas):
                    yield Cell(family, states, question)
