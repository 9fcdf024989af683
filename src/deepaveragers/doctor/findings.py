"""Findings and the diagnosis that holds them, with a text for the terminal."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from ..arrays import Array, Float64, Int64
from ..data.far_values import units
from ..printable import printable

Certainty = Literal["certain", "likely", "possible"]
BLOCKS = " ▁▂▃▄▅▆▇█"
WIDTH = 40


@dataclass(frozen=True)
class Finding:
    """One defect.

    Attributes:
        code: short name of the defect, for programs.
        what: what was found, with numbers.
        where: the rows, columns or actions concerned.
        certainty: "certain", "likely" or "possible".
        meaning: what it does to a plan.
        fix: how it is put right.
        places: numbers of the columns, rows or actions concerned, where a program needs them.
        rows: [n] int64, the rows concerned, as far as they were looked at; None where it is not
            about single rows.
    """

    code: str
    what: str
    where: str
    certainty: Certainty
    meaning: str
    fix: str
    places: tuple[int, ...] = ()
    rows: Int64 | None = field(default=None, compare=False, repr=False)

    def summary(self) -> dict[str, str]:
        """Return the words, for JSON."""
        words = (field.name for field in fields(self) if field.name not in ("places", "rows"))
        return {name: getattr(self, name) for name in words}


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """The facts of a dataset and the defects that were found in it.

    Attributes:
        findings: defects, the surest first; empty for sound data.
        facts: counts and sizes.
        returns: [E] float64, return of each episode.
        lengths: [E] int64, steps of each episode.
        action_counts: [A] int64, transitions of each action; empty where actions are rows.
        action_names: A names, or those of the columns of rows.
        action_range: [2, Da] float64, the least and the most of every column of rows; or None.
        looked_at: transitions in which defects were looked for, all or a sample.
    """

    findings: tuple[Finding, ...]
    facts: dict[str, Any]
    returns: Float64
    lengths: Int64
    action_counts: Int64
    action_names: tuple[str, ...]
    looked_at: int
    action_range: Float64 | None = None

    def __repr__(self) -> str:
        codes = ", ".join(finding.code for finding in self.findings)
        found = f"{len(self.findings)} findings: {codes}" if codes else "nothing suspicious"
        return (
            f"Diagnosis({self.facts['transitions']:,} transitions, "
            f"{self.facts['episodes']:,} episodes; {found})"
        )

    def _repr_html_(self) -> str:
        from .pages import facts_html, findings_html

        return findings_html(self) + facts_html(self)

    @property
    def healthy(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def summary(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        with np.errstate(over="ignore", invalid="ignore"):
            mean_return = float(self.returns.mean())
        return {
            "healthy": self.healthy,
            "findings": [finding.summary() for finding in self.findings],
            "facts": self.facts,
            "looked_at": self.looked_at,
            "mean_return": mean_return,
            "mean_length": float(self.lengths.mean()),
            **self._action_figures(),
        }

    def _action_figures(self) -> dict[str, Any]:
        if self.action_range is None:
            counts = self.action_counts.tolist()
            return {"action_counts": dict(zip(self.action_names, counts, strict=True))}
        ranges = self.action_range.T.tolist()
        return {"action_range": dict(zip(self.action_names, ranges, strict=True))}

    def text(self) -> str:
        """Return the diagnosis as text for a terminal, with small plots."""
        facts = self.facts
        shape = "x".join(map(str, facts["observation_shape"]))
        lines = [
            f"{facts['transitions']:,} transitions, {facts['episodes']:,} episodes, "
            f"observations {shape} {facts['observation_type']}, {self._actions()}, "
            f"{facts['terminations']:,} terminations, {facts['truncations']:,} truncations",
            "",
            f"returns  {histogram(self.returns)}",
            f"lengths  {histogram(self.lengths)}",
            "",
            *self._action_lines(),
            "",
            *self._sample_lines(),
        ]
        if self.healthy:
            return printable("\n".join([*lines, "Nothing suspicious was found."]))
        for number, finding in enumerate(self.findings, start=1):
            lines += [
                f"{number}. [{finding.certainty}] {finding.what} ({finding.where})",
                *textwrap.wrap(finding.meaning, 96, initial_indent="   ", subsequent_indent="   "),
                *textwrap.wrap(
                    f"Fix: {finding.fix}", 96, initial_indent="   ", subsequent_indent="   "
                ),
            ]
        return printable("\n".join(lines))

    def _sample_lines(self) -> list[str]:
        if self.looked_at == self.facts["transitions"]:
            return []
        return [
            f"Defects were looked for in whole episodes with {self.looked_at:,} transitions, taken "
            "at random; rows are counted among those.",
            "",
        ]

    def _actions(self) -> str:
        number = self.facts["actions"]
        return number if isinstance(number, str) else f"{number} actions"

    def _action_lines(self) -> list[str]:
        if self.action_range is not None:
            return [
                f"action {name} from {least:g} to {most:g}"
                for name, (least, most) in zip(self.action_names, self.action_range.T, strict=True)
            ][:12]
        shown = list(zip(self.action_names, self.action_counts.tolist(), strict=True))[:12]
        widest = max(len(name) for name, _ in shown)
        total, largest = int(self.action_counts.sum()), int(self.action_counts.max())
        lines = [
            f"action {name.ljust(widest)} {'█' * round(20 * count / largest):<20} "
            f"{count / total:6.1%}"
            for name, count in shown
        ]
        more = len(self.action_names) - len(shown)
        return [*lines, f"... and {more} more actions"] if more else lines


def histogram(values: Array) -> str:
    """Return the distribution of values as one line of blocks between its ends."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return f"all {low:g}"
    # Sums may be infinite, and ranges beyond all floats.
    finite = np.nan_to_num(values.astype(np.float64))
    finite = np.ldexp(finite, -units(finite[:, None]))
    # NumPy refuses to make the edges where the ends differ by rounding only.
    counts, _ = np.histogram(finite, bins=np.linspace(finite.min(), finite.max(), WIDTH + 1))
    heights = np.ceil(counts / counts.max() * (len(BLOCKS) - 1)).astype(int)
    return f"{low:g} {''.join(BLOCKS[height] for height in heights)} {high:g}"
