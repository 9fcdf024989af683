"""What `fit` answers: a policy, and whether it is better than what is done today."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...arguments import file_path, whole_number
from ...markup import escaped, text_html
from ...policy.policy import Policy
from ...solvers.plan import Plan
from ..candidates import Candidate
from ..rollouts import EvaluationReport
from .cases import ActionCases, SimilarCases
from .intervals import Estimate
from .judges.verdict import Withheld

WORDS = {
    "simulator": "a simulator made of the log",
    "fitted_q": "fitted Q",
    "importance": "importance weights",
}
SHOWN_ROWS = 12
NOISE = 1e-9
"""Share of what figures lie apart, or of what is earned today, below which one is rounding."""
MOST_DIGITS = 12
PLAIN_BELOW = 1e9
"""Figures below are written without a power of ten."""
ANSWER_ROW = "the answer: chosen by one part, judged by the other"
ASSUMED = (
    "Assumed: the state that was logged is all that decisions and outcomes depend on; the world "
    "stays as it was; and what the policy does where the log is thin, it does as the judges "
    "expect. The upper end covers the policy made from all of the log; the lower end is of "
    "policies made in the same way from a part, and judged on the rest. Episodes that the log cuts "
    "off are taken to go on, those of logged behaviour too."
)


@dataclass(frozen=True, eq=False)
class Judged:
    """What is known of one candidate.

    Attributes:
        candidate: the candidate.
        estimates: by judge, how much more than logged behaviour it earns, or why that is
            withheld.
        score: how much more than logged behaviour it earns, by which candidates are ordered: in
            simulators, of those that held-out judges left; of others by these judges, -inf where
            none can say anything.
        online: returns in the environment, where it was among the best N_e.
    """

    candidate: Candidate
    estimates: Mapping[str, Estimate | Withheld]
    score: float
    online: EvaluationReport | None = None

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        asked = self.candidate.objective
        return {
            "candidate": str(self.candidate),
            "k": self.candidate.k,
            "cost": asked.cost,
            "support": asked.support,
            "k_pi": self.candidate.k_pi,
            "lookup": self.candidate.lookup,
            "one_step": self.candidate.one_step,
            "score": self.score if np.isfinite(self.score) else None,
            **{name: asdict(found) for name, found in self.estimates.items()},
            "online": None if self.online is None else self.online.summary(),
        }


@dataclass(frozen=True, eq=False)
class Fit:
    """A policy made from a log, and an estimate of how much better it is than logged behaviour.

    All figures are discounted returns of whole episodes, in units of reward, without any cost of
    distance.

    Attributes:
        policy: made from all of the log.
        candidate: how it was made.
        behaviour: what logged behaviour earns.
        better: how much more the policy is expected to earn; NaN where nothing can be said.
        interval: of `better`, at the level.
        level: of the interval.
        judged: all candidates: those that simulators compared, by their score, then the others.
        opinions: by judge, the estimate behind `better`, or why it is withheld.
        episodes: number of held-out episodes that judged.
        blocks: whether these are blocks of time, since the log has too few episodes.
        gamma: discount.
        notes: what was left out, and what would add to the answer.
        seconds: wall-clock time.
    """

    policy: Policy
    candidate: Candidate
    behaviour: Estimate
    better: float
    interval: tuple[float, float]
    level: float
    judged: tuple[Judged, ...]
    opinions: Mapping[str, Estimate | Withheld]
    episodes: int
    blocks: bool
    gamma: float
    notes: tuple[str, ...]
    seconds: float

    @property
    def plan(self) -> Plan:
        """The plan that the policy acts by; `plan.policy()` acts like it, after a save too."""
        return replace(self.policy.plan, k_pi=self.policy.k, lookup=self.policy.lookup)

    @property
    def shown(self) -> bool:
        """Whether the policy is shown to be better than logged behaviour."""
        return self.interval[0] > NOISE * abs(self.behaviour.value)

    @property
    def value(self) -> float:
        """What the policy is expected to earn."""
        return self.behaviour.value + self.better

    @property
    def answer(self) -> str:
        """The answer in one sentence."""
        if not self.heard:
            return (
                "Nothing can be said about any candidate from this log: keep what you do "
                f"(logged behaviour earns {self.behaviour.value:.4g}). The policy "
                f"({self.candidate}) was taken without evidence."
            )
        if self.shown:
            return (
                f"The policy ({self.candidate}) earns {self.more}more than what is done today: "
                f"{self.figures}"
            )
        return (
            "No candidate is shown to be better: keep what you do. The best "
            f"({self.candidate}) is estimated to earn {self.figures}"
        )

    @property
    def heard(self) -> tuple[str, ...]:
        """The judges that can say something, in words."""
        found = self.opinions.items()
        return tuple(WORDS[name] for name, one in found if isinstance(one, Estimate))

    @property
    def figures(self) -> str:
        """What the policy is expected to earn, in words: the end of a sentence."""
        (low, high), today = self.interval, self.behaviour.value
        apart = max(abs(self.better), high - low)
        unit = "blocks of time" if self.blocks else "episodes"
        return (
            f"{figure(self.value, apart)} instead of {figure(today, apart)} (difference "
            f"{figure(self.better, apart, '+')}, between {figure(low, apart, '+')} and "
            f"{figure(high, apart, '+')}), on {self.episodes:,} held-out {unit}, by "
            f"{' and '.join(self.heard)} (returns discounted by {self.gamma:g}, {self.level:.0%} "
            f"interval).{self._imitated}"
        )

    @property
    def more(self) -> str:
        """The difference as a share of what is earned today, where that is large enough."""
        if self.behaviour.low <= 0.0 or self.better > self.behaviour.value:
            return ""  # several hundred per cent of little say little
        share = f"{self.better / self.behaviour.value:.0%} "
        return "" if share == "0% " else share

    @property
    def _imitated(self) -> str:
        """What is to be said of a policy that only imitates."""
        alone = self.candidate.objective.support == 1.0
        return " It only imitates the log, and is no plan of its own." if alone else ""

    @property
    def table(self) -> str:
        """The answer, the best candidates, and what each judge says of them, as text.

        Figures are differences to logged behaviour. Those of the answer are honest about the
        choice: each part judges what the others chose. Those of a candidate are not, once it is
        chosen for them. Candidates that simulators compared come first, by what they earn there
        when they are made from all of the log.
        """
        names = list(WORDS)
        rows = [["", *(name.replace("_", " ") for name in names), "played"]]
        rows.append([ANSWER_ROW, *(_cell(self.opinions[name]) for name in names), ""])
        for one in self.judged[:SHOWN_ROWS]:
            mark = " <-" if one.candidate is self.candidate else ""
            played = "" if one.online is None else f"{one.online.mean:.4g}"
            cells = [_cell(one.estimates[name]) for name in names]
            rows.append([f"{one.candidate}{mark}", *cells, played])
        if not any(one.online for one in self.judged):
            rows = [row[:-1] for row in rows]
        widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
        lines.insert(1, "-" * len(lines[0]))
        left = len(self.judged) - SHOWN_ROWS
        return "\n".join([*lines, f"({left} more)"] if left > 0 else lines)

    def __str__(self) -> str:
        withheld = [
            f"No word of {WORDS[name]}: {one.reason}."
            for name, one in self.opinions.items()
            if isinstance(one, Withheld)
        ]
        head = (
            f"Differences to logged behaviour's {self.behaviour.value:.4g}, {self.level:.0%} "
            "intervals, effective number of episodes:"
        )
        parts = (self.answer, "", head, self.table, "", *withheld, *self.notes, ASSUMED)
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        return f"<p><b>{escaped(self.answer)}</b></p>{text_html(str(self))}"

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Fit({self.candidate}: {self.better:+.4g} [{low:.4g}, {high:.4g}] against behaviour's "
            f"{self.behaviour.value:.4g}, the best of {len(self.judged):,} candidates)"
        )

    def summary(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "answer": self.answer,
            "chosen": str(self.candidate),
            "k_pi": self.candidate.k_pi,
            "lookup": self.candidate.lookup,
            "shown": self.shown,
            "better": self.better,
            "interval": list(self.interval),
            "level": self.level,
            "behaviour": asdict(self.behaviour),
            "value": self.value,
            "gamma": self.gamma,
            "episodes": self.episodes,
            "blocks_of_time": self.blocks,
            "judges": {name: asdict(one) for name, one in self.opinions.items()},
            "candidates": [one.summary() for one in self.judged],
            "notes": list(self.notes),
            "assumed": ASSUMED,
            "seconds": self.seconds,
        }

    def cases(self, observation: Any, count: int = 100) -> tuple[ActionCases, ...]:
        """Return how similar logged cases went on, by action: of one decision, not of the policy.

        Args:
            observation: one observation, as in the data.
            count: logged states that are looked at, those most like it.
        """
        return self._similar.of(observation, whole_number("count", count))

    @cached_property
    def _similar(self) -> SimilarCases:
        return SimilarCases(self.policy, self.gamma, self.level)

    def picture(self, path: Any) -> Path:
        """Draw what each judge says of the best candidates, and return the path."""
        from .picture import draw_fit

        return draw_fit(self, file_path("path", path))


def figure(value: float, apart: float, sign: str = "") -> str:
    """Return a figure with four digits, or as many as show what lies `apart` from it."""
    if not (math.isfinite(value) and math.isfinite(apart)):
        return f"{value:{sign}.4g}"
    if abs(value) <= NOISE * apart:
        value = 0.0
    told = math.log10(abs(value) / apart) if value and apart else 0.0
    text = f"{value:{sign}.{min(MOST_DIGITS, max(4, math.ceil(told) + 3))}g}"
    return f"{float(text):{sign},.0f}" if "e+" in text and abs(value) < PLAIN_BELOW else text


def _cell(found: Estimate | Withheld) -> str:
    if isinstance(found, Withheld):
        return "-"
    return f"{found.value:+.4g} [{found.low:+.4g}, {found.high:+.4g}] of {found.effective:.0f}"
