"""Two plans side by side: the record, and how it is read. `comparing` makes it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import file_path
from ..arrays import Bool, Float64, Int64
from ..markup import text_html
from ..printable import printable
from ..solvers.plan import Plan


@dataclass(frozen=True)
class Loss:
    """What a plan loses, under its own objective, by acting like another.

    Attributes:
        value: mean value of its own policy at the start states.
        other: mean value of the other's policy there, under the same objective.
        lost: value - other.
        error: certified bound on the error of `lost`.
        impossible: core states where the other's action is not available to this plan; its
            own is then taken.
    """

    value: float
    other: float
    lost: float
    error: float
    impossible: int


@dataclass(frozen=True)
class Difference:
    """One core state where the plans act differently.

    Attributes:
        transition: index of the core state; in one-step data, of the logged state.
        first: the first plan's action.
        second: the second plan's.
        first_regret: what the first plan would lose by this one decision; inf where the second's
            action is not available to it.
        second_regret: what the second would.
        episode: the log's own id of the episode that led there.
        observation: the state by column, its first 16 numbers.
    """

    transition: int
    first: str
    second: str
    first_regret: float
    second_regret: float
    episode: str
    observation: dict[str, float]

    def summary(self) -> dict[str, Any]:
        """Return plain values, for JSON; a regret is None where the action is not available."""
        regrets = {name: getattr(self, name) for name in ("first_regret", "second_regret")}
        known = {name: one if np.isfinite(one) else None for name, one in regrets.items()}
        return {**asdict(self), **known}


@dataclass(frozen=True)
class Shift:
    """How a column of the actions changes from the first plan to the second.

    Attributes:
        column: its name.
        lower: states where the second plan's is smaller, by more than 5 % of the column's range.
        higher: where it is larger.
        mean: the second less the first, on average over all states.
    """

    column: str
    lower: int
    higher: int
    mean: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two plans of one compiled MDP, side by side.

    Attributes:
        first: the one plan.
        second: the other.
        states: [M] int64, core states that go on; in one-step data, all logged states.
        differs: [M] bool, where the actions differ.
        first_regret: [M] float64, regret of the first plan at the second's action; 0 where
            they agree, inf where that action is not available.
        second_regret: [M] float64, the mirror image.
        first_loss: the first plan acting like the second.
        second_loss: the second plan acting like the first.
        pairs: core states by (first's action, second's action), where they differ; none where
            actions are rows.
        shifts: where actions are rows, how each column changes.
        largest: the differences with the largest regret of both together.
    """

    first: Plan
    second: Plan
    states: Int64
    differs: Bool
    first_regret: Float64
    second_regret: Float64
    first_loss: Loss
    second_loss: Loss
    pairs: dict[tuple[str, str], int]
    shifts: tuple[Shift, ...]
    largest: tuple[Difference, ...]

    @property
    def share(self) -> float:
        """Share of the core states where the plans act differently."""
        return float(self.differs.mean())

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        return {
            "states": len(self.states),
            "different": int(self.differs.sum()),
            "share": self.share,
            "first_loss": asdict(self.first_loss),
            "second_loss": asdict(self.second_loss),
            "pairs": {f"{one} -> {two}": count for (one, two), count in self.pairs.items()},
            "shifts": [asdict(shift) for shift in self.shifts],
            "largest": [difference.summary() for difference in self.largest],
        }

    def __repr__(self) -> str:
        return (
            f"Comparison(different actions in {self.share:.1%} of {len(self.states):,} states, "
            f"the first plan loses {self.first_loss.lost:.4g} by acting like the second, "
            f"the second {self.second_loss.lost:.4g})"
        )

    def _repr_html_(self) -> str:
        return text_html(str(self))

    def __str__(self) -> str:
        lines = [
            f"different actions in {int(self.differs.sum()):,} of {len(self.states):,} states "
            f"({self.share:.1%})"
        ]
        for name, loss in (("first", self.first_loss), ("second", self.second_loss)):
            note = f", not possible in {loss.impossible:,} states" if loss.impossible else ""
            lines.append(
                f"the {name} plan is worth {loss.value:.5g} at the starts, acting like the other "
                f"{loss.other:.5g}: loses {loss.lost:.4g} +- {loss.error:.1g}{note}"
            )
        lines += [f"  {one} -> {two}: {count:,}" for (one, two), count in self.pairs.items()]
        lines += [
            f"  {one.column}: lower in {one.lower:,} states, higher in {one.higher:,}, by "
            f"{one.mean:+.4g} on average"
            for one in self.shifts
        ]
        wide = max([9, *(len(name) for d in self.largest for name in (d.first, d.second))]) + 2
        if self.largest:
            names = f"{'first':>{wide}}{'second':>{wide}}"
            lines.append(f"    state{names}  first's regret  second's regret")
        lines += [
            f"{d.transition:>9}{d.first:>{wide}}{d.second:>{wide}}"
            f"{_in_words(d.first_regret):>16}{_in_words(d.second_regret):>17}"
            for d in self.largest
        ]
        return printable("\n".join(lines))

    def picture(
        self, path: str | os.PathLike[str], columns: Sequence[int | str] | None = None
    ) -> Path:
        """Draw where the plans differ.

        Args:
            path: of the picture.
            columns: two columns of the observations, by number or name; None takes the two
                principal components of the representation.
        """
        from .pictures import comparison_picture

        return comparison_picture(self, file_path("path", path), columns)


def _in_words(regret: float) -> str:
    return f"{regret:.4g}" if np.isfinite(regret) else "not available"
