"""An objective's numbers as plain settings, for policies that look one step ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arguments import flag, number, whole_number
from ..arrays import Array, Bool, Float64
from ..errors import BundleError
from ..kernels.bellman.problem import Problem
from ..mdp.objective import LARGEST_GAMMA

PROBLEM_NUMBERS = ("gamma", "cost", "adaptive", "slip", "worst_case")


def pack_problem(problem: Problem) -> dict[str, Any]:
    """Return the numbers of an objective beside its k."""
    numbers = {name: getattr(problem, name) for name in PROBLEM_NUMBERS}
    return {"uniform": problem.uniform, **numbers}


def unpack_problem(
    settings: Mapping[str, Any], rewards: Float64, terminal: Bool, penalties: Array
) -> Problem:
    """Return a problem whose neighbours are those of other states, given when it is asked.

    Args:
        settings: the numbers, and k.
        rewards: [N] of the transitions.
        terminal: [N] whether they ended their episode.
        penalties: [1, A] of the actions.
    """
    numbers = {name: number(name, settings[name], least=0.0) for name in PROBLEM_NUMBERS}
    if numbers["gamma"] > LARGEST_GAMMA or max(numbers["slip"], numbers["worst_case"]) > 1.0:
        raise BundleError("its objective is none.")
    actions = penalties.size
    nothing = np.empty((0, actions, 0), np.int32)
    return Problem(
        indices=nothing,
        distances=nothing.astype(np.float32),
        rewards=rewards,
        terminal=terminal,
        allowed=np.ones((1, actions), bool),
        penalties=penalties,
        policy=np.empty((0, actions)),
        k=whole_number("k", settings["k"]),
        uniform=flag("uniform", settings["uniform"]),
        **numbers,
    )
