"""Which decisions stand for the others."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Int64
from .accounts import Account
from .decisions import Decisions

DECISIONS = 3
"""That a report shows with their evidence."""


def typical_states(
    decisions: Decisions, account: Account, features: Floats, most: int = DECISIONS
) -> list[int]:
    """Return the places of typical states, at most so many.

    States are grouped by rule and by whether the plan changes what was done. First comes one
    group per rule, what is changed if anything is, in the order of the rules' sizes; then what
    is left. In each group the state nearest to its mean is taken.

    Args:
        decisions: in S states.
        account: with the rules that the states are in.
        features: [S, D] of the states.
        most: how many.
    """
    firsts: list[Int64] = []
    others: list[Int64] = []
    for rule in sorted(account.rules, key=lambda rule: -len(rule.states)):
        told = rule.states[account.planned[rule.states] == rule.action]
        changed = decisions.differs[told]
        groups = [group for group in (told[changed], told[~changed]) if len(group)]
        firsts += groups[:1]
        others += groups[1:]
    return [_middle(group, features) for group in [*firsts, *others][:most]]


def _middle(group: Int64, features: Floats) -> int:
    there = np.asarray(features[group], dtype=np.float64)
    return int(group[((there - there.mean(axis=0)) ** 2).sum(axis=1).argmin()])
