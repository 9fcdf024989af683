"""Decisions as HTML, for notebooks and reports."""

from __future__ import annotations

from collections.abc import Sequence

from ..markup import escaped, table_html
from .case import Case
from .decision import Decision
from .decision_text import case_rows, chosen_by, mark, shown_columns, worth


def decision_html(decision: Decision) -> str:
    """Return a decision with its comparable cases."""
    name = decision.action_name
    note = ", unlike anything in the data" if decision.unlike else ""
    by = chosen_by(decision)
    values = [
        (one, worth(decision, one, value).removeprefix("= "), mark(decision, one).strip())
        for one, value in decision.q_values.items()
    ]
    parts = [
        f"<p><b>Action {escaped(name)}</b>{by}, support {decision.support:.1%}{note}</p>",
        table_html(values, ("action", "planned value", "")),
        _cases(f"{name!r}", decision.times_taken, decision.cases),
    ]
    if decision.alternative is not None:
        other = f"the best alternative, {decision.alternative!r},"
        parts.append(_cases(other, decision.alternative_taken, decision.alternative_cases))
    return "".join(parts)


def _cases(action: str, taken: int, cases: Sequence[Case]) -> str:
    """Return the comparable cases of one action."""
    if not cases:
        return f"<p>The log has no case in which {escaped(action)} was taken.</p>"
    times = "once" if taken == 1 else f"{taken:,} times"
    header, *rows = case_rows(cases, shown_columns(cases))
    told = f"The log has {action} {times}. In the states most like this one (then, and next):"
    return f"<p>{escaped(told)}</p>{table_html(rows, header)}"
