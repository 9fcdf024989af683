"""Decisions as text: what is done, the comparable cases, and the exact sum."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

from ..printable import printable
from .case import Case, CaseColumn
from .decision import Decision

WIDTH = 96
"""Characters of a line of running text."""
EVIDENCE_SHOWN = 51
"""Transitions of the exact sum that are shown."""
COLUMNS_SHOWN = 12
"""Columns of cases that are shown: those that differ most."""
CASES_ABREAST = 4
"""Cases side by side."""
ENDINGS = {"terminated": "terminated", "truncated": "cut off", "open": "log stops"}


def decision_text(decision: Decision) -> str:
    """Return a decision with its comparable cases."""
    name = decision.action_name
    lines = [f"action {name}{chosen_by(decision)}"]
    lines += [
        f"  Q({one}) {worth(decision, one, value)}{mark(decision, one)}"
        for one, value in decision.q_values.items()
    ]
    note = ", unlike anything in the data" if decision.unlike else ""
    lines.append(f"support {decision.support:.1%}{note}")
    lines += ["", *_cases(repr(name), decision.times_taken, decision.cases)]
    if decision.alternative is not None:
        other = f"the best alternative, {decision.alternative!r},"
        lines += ["", *_cases(other, decision.alternative_taken, decision.alternative_cases)]
    return printable("\n".join(lines))


def chosen_by(decision: Decision) -> str:
    """Return who chose the action, in brackets, where it was not the plan."""
    if decision.abstained:
        return " (fallback)"
    return " (chosen by the network)" if decision.network else ""


def worth(decision: Decision, action: str, value: float) -> str:
    """Return an action's value, or why it has none."""
    if value == -math.inf:
        if not decision.similar:
            return "not available: the plan may not take it, or the log has no case of it"
        cases = sum(decision.similar.values())
        why = "not the network's choice" if decision.network else "not available here"
        return f"{why}: {decision.similar[action]} of {cases} similar cases"
    return f"= {value:.4g} +- {decision.q_error:.2g}"


def mark(decision: Decision, action: str) -> str:
    """Return what is to be said beside an action's value."""
    if action == decision.best:
        return "  <-"
    if action in decision.ties:
        return f"  tie: not told apart from {decision.best} by the certified error"
    return ""


def _cases(action: str, taken: int, cases: Sequence[Case]) -> Iterator[str]:
    """Yield the lines on the comparable cases of one action."""
    if not cases:
        yield f"The log has no case in which {action} was taken."
        return
    times = "once" if taken == 1 else f"{taken:,} times"
    yield f"The log has {action} {times}. In the states most like this one (then, and next):"
    shown = shown_columns(cases)
    for start in range(0, len(cases), CASES_ABREAST):
        yield from _table(cases[start : start + CASES_ABREAST], shown)
    left = len(cases[0].columns) - len(shown)
    if left:
        yield f"and {left} more columns, which differ less"


def shown_columns(cases: Sequence[Case]) -> list[int]:
    """Return the places of the columns to show, by the largest relative difference."""
    columns = cases[0].columns
    if len(columns) <= COLUMNS_SHOWN:
        return list(range(len(columns)))

    def apart(place: int) -> float:
        values = [case.columns[place] for case in cases]
        return max(abs(one.difference) / (abs(one.now) + abs(one.value) + 1e-12) for one in values)

    return sorted(sorted(range(len(columns)), key=lambda place: -apart(place))[:COLUMNS_SHOWN])


def _table(cases: Sequence[Case], shown: Sequence[int]) -> Iterator[str]:
    rows = case_rows(cases, shown)
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  " + "  ".join(cells).rstrip()


def case_rows(cases: Sequence[Case], shown: Sequence[int]) -> list[list[str]]:
    """Return cases side by side, the first row and column name them; `shown` are the columns."""
    rows = [["", "now", *(f"{case.episode}, step {case.step}" for case in cases)]]
    if any(case.time is not None for case in cases):
        rows.append(["time", "", *(case.time or "-" for case in cases)])
    rows.append(["distance", "", *(f"{case.distance:.4g}" for case in cases)])
    if len({case.action for case in cases}) > 1:
        rows.append(["action", "", *(case.action for case in cases)])
    for place in shown:
        first = cases[0].columns[place]
        label = f"{first.name} [{first.unit}]" if first.unit else first.name
        rows.append([label, f"{first.now:.4g}", *(_cell(case.columns[place]) for case in cases)])
    rows.append(["reward", "", *(f"{case.reward:.4g}" for case in cases)])
    rows.append(["earned to the end", "", *(f"{case.earned:.4g}" for case in cases)])
    rows.append(["episode", "", *(_ending(case) for case in cases)])
    return rows


def _cell(column: CaseColumn) -> str:
    """Return what was observed, the difference to now, and what it became."""
    difference = "=" if column.difference == 0.0 else f"{column.difference:+.3g}"
    after = "" if column.after is None else f" -> {column.after:.4g}"
    return f"{column.value:.4g} ({difference}){after}"


def _ending(case: Case) -> str:
    after = "at once" if case.steps_after == 0 else f"after {case.steps_after} more"
    return f"{ENDINGS[case.ending]} {after}"


def decomposition_text(decision: Decision) -> str:
    """Return the exact sum behind the Q-value of the best action."""
    best = decision.best
    lines = [
        f"Q({best}) = {decision.q_values[best]:.4g} = reward {decision.reward:.4g} "
        f"+ future {decision.future:.4g} - penalty {decision.penalty:.4g}",
        "",
        *textwrap.wrap(f"{decision.basis} The shares add up to Q({best}).", WIDTH),
    ]
    shown = decision.evidence[:EVIDENCE_SHOWN]
    action = max(len(word) for word in ("logged action", *(e.action for e in shown))) + 2
    episode = max(len(word) for word in ("episode", *(e.episode_name for e in shown))) + 3
    lines.append(
        f"transition{'episode':>{episode}}    step   distance  weight"
        f"{'logged action':>{action}}{'its reward':>12}{'share':>12}"
    )
    lines += [
        f"{e.transition:>10}{e.episode_name:>{episode}}{e.step:>8}{e.distance:>11.4g}"
        f"{e.weight:>8.1%}{e.action:>{action}}{e.reward:>12.4g}{e.share:>12.4g}"
        for e in shown
    ]
    if len(decision.evidence) > EVIDENCE_SHOWN:
        lines.append(f"and {len(decision.evidence) - EVIDENCE_SHOWN:,} more")
    return printable("\n".join(lines))
