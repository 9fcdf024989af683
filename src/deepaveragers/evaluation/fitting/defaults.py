"""The candidates that `fit` tries when none are given.

Representations x support x neighbours (few, or many where outcomes are left to chance:
`mdp.repeats`), at the cost without units; the smoothest decisions, without support; one step of
improvement; imitation (only the action that is taken most in similar states); what a network that
learnt Q-values and imitation would do by itself; and each action always, where there are few.

Where actions are rows, a decision weighs single transitions, so that there is no smoothness to try;
imitation takes the action that most of the nearest rows nearly took.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...data.observations import is_image
from ...data.transitions import Transitions
from ...mdp.objective import Objective
from ..candidates import Candidate

SUPPORT = 0.3
MORE_SUPPORT = 0.6
"""Tried too where actions are rows, of which few are much alike."""
BEHAVIOR = "behavior"
"""Tried where actions are rows, and with support: it knows what was done, not what follows."""
SMOOTHNESS = (11, 31)
"""Neighbours that decide where every transition ends its episode."""
CASES = 31
"""Similar cases that decide, and that imitation and one step of improvement look at."""
SMOOTHEST = 101
"""Neighbours that decide, tried without support: better on MountainCar, as good on Acrobot, worse
on LunarLander (docs/journal/fit.md)."""
NEIGHBORS = (5, CASES)
"""Of a plan: few blur least, many are what chance outcomes need (FrozenLake: 0.17 and 0.70)."""
MOST_CONSTANTS = 10
"""Actions, beyond which none is tried always."""


def default_candidates(data: Transitions, gamma: float, *, networks: bool) -> tuple[Candidate, ...]:
    """Return the candidates for a log.

    Args:
        data: the log.
        gamma: discount to plan by.
        networks: whether representations can be learnt.
    """
    base = Objective(gamma=gamma)
    encoders = _representations(data, networks)
    if data.action_vectors:
        learnt = (BEHAVIOR,) if networks else ()
        return tuple(one for name in (*encoders, *learnt) for one in _rows(base, name))
    made = _single_steps if data.terminations.all() else _plans
    found = [one for name in encoders for one in made(base, name)]
    if networks and made is _plans and not is_image(data.observations):
        found += _own_policies(base)
    return (*found, *_constants(data, base, encoders[0]))


def _representations(data: Transitions, networks: bool) -> tuple[str, ...]:
    """Return what can be learnt, and the plain columns; pixels only where nothing is learnt."""
    learnt = ("dynamics", "outcomes") if networks else ()
    if is_image(data.observations):
        return learnt or ("identity",)
    return ("standardize", *learnt)


def _plans(base: Objective, encoder: str) -> Sequence[Candidate]:
    """Return the candidates of one representation."""
    plans = [
        Candidate(replace(base, support=support), k=k, k_pi=CASES, encoder=encoder)
        for support in (0.0, SUPPORT)
        for k in NEIGHBORS
    ]
    smoothest = Candidate(base, k_pi=SMOOTHEST, encoder=encoder)
    cautious = replace(base, support=SUPPORT)
    alike = Candidate(
        replace(base, support=1.0), k_pi=CASES, encoder=encoder, name=f"imitation {encoder}"
    )
    step = Candidate(cautious, k=CASES, k_pi=CASES, lookup="lookahead", encoder=encoder)
    return [*plans, smoothest, replace(step, one_step=True), alike]


def _own_policies(base: Objective) -> Sequence[Candidate]:
    """Return what BCQ would do, and its imitation of the log alone."""
    return [
        Candidate(
            replace(base, support=support), k_pi=CASES, lookup="network", encoder="bcq", name=name
        )
        for support, name in ((SUPPORT, "own policy bcq"), (1.0, "imitation bcq"))
    ]


def _rows(base: Objective, encoder: str) -> Sequence[Candidate]:
    """Return the candidates of one representation where actions are rows."""
    plans = [
        Candidate(replace(base, support=support), encoder=encoder, lookup="lookahead")
        for support in (0.0, SUPPORT, MORE_SUPPORT)
    ]
    step = replace(plans[1], one_step=True)
    name = f"imitation {encoder}"
    alike = Candidate(replace(base, support=1.0), encoder=encoder, lookup="lookahead", name=name)
    return [*plans[1:], alike] if encoder == BEHAVIOR else [*plans, step, alike]


def _single_steps(base: Objective, encoder: str) -> Sequence[Candidate]:
    """Return the candidates where every transition ends its episode (a bandit)."""
    plans = [
        Candidate(replace(base, support=support), k_pi=smooth, lookup="lookahead", encoder=encoder)
        for support in (0.0, SUPPORT)
        for smooth in (5, *SMOOTHNESS)
    ]
    alike = replace(base, support=1.0)
    return [
        *plans,
        Candidate(
            alike, k_pi=CASES, lookup="lookahead", encoder=encoder, name=f"imitation {encoder}"
        ),
    ]


def _constants(data: Transitions, base: Objective, encoder: str) -> Sequence[Candidate]:
    """Return a candidate per action; what else was done nearby costs nothing, as none is chosen."""
    names = data.action_names
    if not 2 <= len(names) <= MOST_CONSTANTS:
        return []
    found = []
    for action, name in enumerate(names):
        others = [other for other in range(len(names)) if other != action]
        asked = replace(base, forbidden_actions=others, cost=0.0)
        always = Candidate(asked, k_pi=1, encoder=encoder, name=f"always {name}")
        found.append(always)
    return found
