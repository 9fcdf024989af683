"""The parts of a report that speak of actions: how often, what changes, and where."""

from __future__ import annotations

import math

import numpy as np

from ..markup import table_html
from .accounts import Account
from .figures import map_picture
from .report import Report

ACTIONS_SHOWN = 20
CHANGES_SHOWN = 8
RARE = 30
"""Times that an action was taken, below which the page warns of it."""
QUANTILES = (0.05, 0.5, 0.95)
"""Of a column of the actions, that the page tells."""


def actions_html(report: Report) -> str:
    """Return what actions there are, in the log and in the plan."""
    data, planned = report.data, report.decisions.planned
    if data.action_vectors:
        return _columns(report)
    counts = np.bincount(data.actions, minlength=data.num_actions).tolist()
    shares = np.bincount(planned, minlength=data.num_actions) / len(planned)
    rows = [
        (name, f"{count:,}", f"{count / len(data):.1%}", f"{share:.1%}")
        for name, count, share in zip(data.action_names, counts, shares, strict=True)
    ]
    header = ("action", "times logged", "of all", "the plan would")
    return table_html(rows[:ACTIONS_SHOWN], header) + more_html(len(rows), ACTIONS_SHOWN, "actions")


def rare_actions(report: Report) -> list[str]:
    """Return the actions that the log hardly has; rows are not counted."""
    data = report.data
    if data.action_vectors:
        return []
    counts = np.bincount(data.actions, minlength=data.num_actions)
    return [data.action_names[place] for place in np.flatnonzero(counts < RARE)]


def changes_html(report: Report) -> str:
    """Return what the plan would change, and where."""
    changed = _shifts(report) if report.data.action_vectors else _pairs(report)
    if not report.columns:
        where = "<p>States are pictures: there are no columns to tell where.</p>"
    else:
        where = "<h3>Where</h3>" + "".join(
            f"{_account(report, account)}{map_picture(report, account)}"
            for account in report.accounts
        )
    return f"<h2>What the plan would change</h2>{changed}{where}"


def number_text(value: float) -> str:
    """Return a number in short."""
    return f"{value:.4g}" if math.isfinite(value) else "unknown"


def more_html(count: int, most: int, what: str) -> str:
    """Return how many are not shown."""
    return f'<p class="soft">and {count - most:,} more {what}</p>' if count > most else ""


def _columns(report: Report) -> str:
    both = (report.data.actions, report.decisions.planned)
    told = np.concatenate([np.quantile(one, QUANTILES, axis=0) for one in both]).T.tolist()
    rows = [
        (name, *map(number_text, numbers))
        for name, numbers in zip(report.data.action_names, told, strict=True)
    ]
    header = ("action", "log: 5 % lie below", "middle", "5 % above", "plan: 5 % below", "middle",
              "5 % above")  # fmt: skip
    return table_html(rows[:ACTIONS_SHOWN], header) + more_html(len(rows), ACTIONS_SHOWN, "columns")


def _pairs(report: Report) -> str:
    states = len(report.decisions.rows)
    rows = [
        (
            f"{one.logged} → {one.planned}",
            f"{one.states:,}",
            f"{one.states / states:.1%}",
            "" if one.gain is None else f"{one.gain:+.4g}",
        )
        for one in report.changes
    ]
    header = ("log → plan", "states", "of all", "difference that the model predicts")
    changed = table_html(rows[:CHANGES_SHOWN], header) if rows else "<p>Nothing.</p>"
    return changed + more_html(len(rows), CHANGES_SHOWN, "kinds of changes")


def _shifts(report: Report) -> str:
    states = len(report.decisions.rows)
    rows = [
        (one.column, f"{one.lower / states:.1%}", f"{one.higher / states:.1%}", f"{one.mean:+.4g}")
        for one in report.shifts
    ]
    header = ("action", "lower in", "higher in", "on average by")
    return table_html(rows[:ACTIONS_SHOWN], header) + more_html(len(rows), ACTIONS_SHOWN, "columns")


def _account(report: Report, account: Account) -> str:
    states = len(report.decisions.rows)
    sampled = "" if states == len(report.data) else f", of {states:,} that were looked at"
    told = (
        f"These rules tell the plan's action in {account.fidelity:.1%} of the states"
        f"{sampled} (always the same action: {account.most_common_share:.1%}). {account.caution}"
    )
    return f"<p>{told}</p>{_rules(report, account)}"


def _rules(report: Report, account: Account) -> str:
    rows, names = [], account.names
    for rule in account.rules:
        logged = np.bincount(account.logged[rule.states], minlength=len(names))
        usual = int(logged.argmax())
        rows.append(
            (
                report.rule_words(rule),
                names[rule.action],
                f"{(account.planned[rule.states] == rule.action).mean():.0%}",
                f"{len(rule.states):,}",
                f"{names[usual]} ({logged[usual] / len(rule.states):.0%})",
                f"{report.decisions.differs[rule.states].mean():.0%}",
            )
        )
    header = ("where", "the plan does", "so often", "states", "mostly logged", "changed")
    return table_html(rows, header)
