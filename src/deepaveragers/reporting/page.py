"""A report as one page that needs nothing else, in light and dark."""

from __future__ import annotations

import numpy as np

from ..arrays import Float64
from ..data.action_vectors import text_of_action
from ..doctor.pages import findings_html
from ..markup import escaped, list_html, table_html
from ..mdp.jumps import jumps_in_words
from .actions_page import (
    ACTIONS_SHOWN,
    RARE,
    actions_html,
    changes_html,
    more_html,
    number_text,
    rare_actions,
)
from .figures import data_picture
from .report import Report

COLUMNS_SHOWN = 30
"""Columns that the page lists."""
STYLE = """
:root{color-scheme:light dark;--ink:#1d2329;--soft:#5b6670;--paper:#fff;--band:#f3f5f7;
--line:#d5dbe1;--warn:#c26a00;--good:#2f8a3a}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ec;--soft:#9aa5b1;--paper:#15191d;
--band:#1f252b;--line:#38424c;--warn:#e69a3c;--good:#5cb867}}
body{font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:var(--ink);background:var(--paper)}
h1{margin-bottom:.2rem}h2{margin-top:2.4rem;border-bottom:1px solid var(--line)}
.lead{font-size:1.12rem;background:var(--band);border-left:4px solid var(--warn);
padding:.6rem 1rem}
.soft,small{color:var(--soft)}img{max-width:100%}.wide{overflow-x:auto}
table{border-collapse:collapse;margin:.8rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .8rem;border-bottom:1px solid var(--line);text-align:right;
white-space:nowrap;max-width:24rem;overflow:hidden;text-overflow:ellipsis}
th:first-child{text-align:left;white-space:normal;overflow-wrap:break-word;min-width:9rem}
thead th{color:var(--soft);font-weight:600}tbody th{font-weight:400}
article{border-left:4px solid var(--warn);background:var(--band);padding:.2rem 1rem;
margin:1rem 0}.none{border-color:var(--good)}article h3{margin:.4rem 0}
details{background:var(--band);padding:.4rem 1rem;margin:.8rem 0}
summary{cursor:pointer;font-weight:600}
details table{font-size:.82rem}details th,details td{padding:.2rem .5rem}
details th:first-child{min-width:7rem}
"""


def page(report: Report) -> str:
    """Return the whole page."""
    body = "".join(
        (
            "<h1>What the plan would do</h1>",
            f'<p class="lead">{escaped(_lead(report))}</p>',
            _data(report),
            changes_html(report),
            _gain(report),
            _evidence(report),
            _limits(report),
        )
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Report on a plan</title><style>{STYLE}</style></head><body>{body}</body></html>\n"
    )


def _lead(report: Report) -> str:
    other = ", by more than 5 % of the range of an action's column" if report.shifts else ""
    first = (
        f"In {report.share:.0%} of the logged states the plan would do something else than was "
        f"done{other}."
    )
    if report.fit is not None:
        return f"{first} {report.fit.answer}"
    return (
        f"{first} Whether that earns more in the world is not known from this page: "
        "its figures are those of a model made from the log."
    )


def _data(report: Report) -> str:
    data = report.data
    parts = [
        "<h2>The data</h2>",
        f"<p>{len(data):,} logged decisions in {data.num_episodes:,} episodes; "
        f"{int(data.terminations.sum()):,} ended, {int(data.truncations.sum()):,} were cut off. "
        f"An episode earned {number_text(_mean(report.diagnosis.returns))} on average.</p>",
        data_picture(report),
    ]
    parts.append(actions_html(report))
    if not report.columns:
        shape = "x".join(map(str, data.observation_shape))
        return "".join([*parts, f"<p>A state is a picture of {shape}.</p>"])
    seen = report.decisions.columns[:, :COLUMNS_SHOWN]
    quantiles = np.quantile(seen, (0.05, 0.5, 0.95), axis=0).T
    described = [
        (name, *map(number_text, row)) for name, row in zip(report.columns, quantiles.tolist())
    ]
    header = ("column", "5 % lie below", "middle", "5 % lie above")
    parts += [
        table_html(described, header),
        more_html(len(report.columns), COLUMNS_SHOWN, "columns"),
    ]
    return "".join(parts)


def _gain(report: Report) -> str:
    plan, promise = report.policy.plan, report.promise
    rows = [
        ("logged", number_text(promise.logged)),
        ("promised by the plan", number_text(promise.planned)),
        ("difference", number_text(promise.planned - promise.logged)),
    ]
    place = "decision" if promise.one_step else "episode"
    price = "; the plan pays a price for distance from the data" if plan.objective.cost else ""
    notes = [
        f"Mean over {promise.starts:,} starts, discounted by {plan.objective.gamma:g}{price}.",
        f"The certificate (±{plan.error:.2g}) is about the model made from the log: it says that "
        "no plan with the same actions available is better there, not that the world is like the "
        "model. A plan is chosen for its promise, so promises tend to be too high.",
    ]
    if not promise.one_step and not report.data.terminations[_last(report)].all():
        notes.append(
            "Some episodes do not end in the log. The plan counts on beyond that point, the logged "
            "figure does not: the two are not quite comparable."
        )
    if plan.objective.horizon is not None:
        steps = plan.objective.horizon + 1
        notes.append(f"The plan looks some steps ahead: both figures count the first {steps:,}.")
    if report.fit is None:
        held_out = (
            "Nothing was held out for this page. `dac fit DATA --report PAGE` judges plans on "
            "episodes that they were not made from, and shows its answer here, with an interval. "
            "So does `da.report(da.fit(data))`."
        )
    else:
        held_out = report.fit.answer
    return (
        f"<h2>Expected gain</h2><p>{escaped(held_out)}</p>"
        f"<h3>What the model promises per {place}</h3>{table_html(rows)}{list_html(notes)}"
    )


def _evidence(report: Report) -> str:
    data, parts = report.data, ["<h2>Typical decisions and their evidence</h2>"]
    for row, decision in report.examples:
        planned = text_of_action(data.action_names, np.asarray(decision.action))
        done = f"the log did {data.action_text(row)!r}, the plan does {planned!r}"
        told = f"{data.row_name(row)}: {done}"
        parts.append(
            f"<details open><summary>{escaped(told)}</summary>{decision._repr_html_()}</details>"
        )
    return "".join(parts)


def _limits(report: Report) -> str:
    plan = report.policy.plan
    ties = report.decisions.ties(plan.below + plan.above)
    notes = [
        "The plan knows what the columns say. What was not logged, and moved both decisions and "
        "outcomes, can mislead it.",
    ]
    if not plan.converged:
        notes.append(f"The plan was not finished ({plan.status}): values are ±{plan.error:.2g}.")
    if ties > 0.0:
        notes.append(f"In {ties:.1%} of the states the two best actions are not told apart.")
    if report.jumps > 0.0:
        notes.append(jumps_in_words(report.jumps))
    rare = rare_actions(report)
    if rare:
        listed = ", ".join(map(repr, rare[:ACTIONS_SHOWN]))
        notes.append(f"Logged fewer than {RARE} times, so hardly known: {listed}.")
    if report.shifts:
        notes.append("The plan takes logged actions only: it never mixes two, nor invents one.")
    return (
        f"<h2>Limits</h2>{list_html(notes)}<h3>What the doctor says of the data</h3>"
        f"{findings_html(report.diagnosis)}"
    )


def _last(report: Report) -> list[int]:
    """Return the last row of each episode."""
    return [rows.stop - 1 for rows in report.data.episodes()]


def _mean(values: Float64) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(values.mean())
