"""Doors of compiling, planning and acting."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.doors.nonsense import (
    NO_CLUSTER,
    NO_COST,
    NO_COUNT,
    NO_FLAG,
    NO_FUNCTION,
    NO_NUMBER,
    NO_OBSERVATION,
    NO_OBSERVATIONS,
    NO_PATH,
    NO_RECORD,
    NO_SEED,
    NO_SHARE,
    NO_TOLERANCE,
    NO_WORD,
    NOT_POSITIVE,
    NOTHING,
    beside,
    nothing,
)

import deepaveragers as da

OBJECTIVE = {
    "gamma": (*NO_SHARE, None, 1.0),
    "cost": NO_COST,
    "weighting": (*NO_WORD, None),
    "k": NO_COUNT,
    "forbidden_actions": ("a", "", -1, 2, True, 1.5, {}, b"x", NOTHING, ["a"], [0.0], [[0]]),
    "action_penalties": ("a", 1.5, [1.0], [NOTHING, 0], {"0": "a"}, {0: None}, {"a": 1.0}, NOTHING),
    "slip": (*NO_SHARE, None),
    "action_noise": (*NO_COST, None, 0.1),
    "worst_case": (*NO_SHARE, None),
    "rewards": ("a", 1.5, [1.0], [10**400] * 24, NOTHING, nothing),
    "horizon": NO_COUNT,
    "penalty": (*NO_WORD, None),
    "action_mask": ("a", 1.5, [True], np.full((24, 2), 0.5), np.full((24, 2), 2), NOTHING, nothing),
    "support": (*NO_SHARE, None),
}

DOORS: dict[str, tuple[Any, dict[str, tuple[Any, ...]]]] = {
    "compile": (
        lambda w, **given: da.compile(**{"data": w.data, "k": 3, **beside(w, given), **given}),
        {
            "data": (*NO_RECORD, None),
            "k": (*NO_COUNT, None, 25),
            "encoder": ("a", True, 0, [], NOTHING, da.Identity, nothing),
            "candidates": (*NO_COUNT, 5),
            "landing": (*NO_WORD, "own"),
            "neighbors": (*NO_WORD, None),
            "time_budget": NOT_POSITIVE,
            "allow_approximate": (*NO_FLAG, None),
            "threads": NO_COUNT,
            "resume_dir": NO_PATH,
            "show_progress": NO_FLAG,
            "cluster": NO_CLUSTER,
            "work_dir": NO_PATH,
        },
    ),
    "solve": (lambda w, **given: w.model.solve(**given), OBJECTIVE),
    "solve_one_step": (
        lambda w, **given: da.solve_one_step(**{"mdp": w.model, **given}),
        {
            **{name: values for name, values in OBJECTIVE.items() if name != "horizon"},
            "mdp": (*NO_RECORD, None),
            "objective": NO_RECORD,
            "tolerance": (*NO_TOLERANCE, None),
            "horizon": (*NO_COUNT, 3),
        },
    ),
    "solve, how": (
        lambda w, **given: w.model.solve(**given),
        {
            "objective": NO_RECORD,
            "tolerance": (*NO_TOLERANCE, None),
            "method": (*NO_WORD, None),
            "start": ("a", True, 0, [], {}, NOTHING, np.zeros(2)),
            "time_budget": NOT_POSITIVE,
            "max_sweeps": NO_COUNT,
            "threads": NO_COUNT,
            "device": (*NO_WORD, None),
            "callback": NO_FUNCTION,
        },
    ),
    "policy": (
        lambda w, **given: da.Policy(
            **{"plan": w.plan, "k": 3, "support_threshold": 0.5, "fallback": 0, **given}
        ),
        {
            "plan": (*NO_RECORD, None),
            "k": (*NO_COUNT, None),
            "lookup": (*NO_WORD, None),
            "epsilon": (*NO_SHARE, None),
            "support_threshold": NO_SHARE,
            "fallback": ("a", True, -1, 2, 1.5, [], {}, NOTHING, nothing),
            "seed": (*NO_SEED, None),
        },
    ),
    "act": (
        lambda w, observation: w.plan.policy(3).act(observation),
        {"observation": NO_OBSERVATIONS},
    ),
    "explain": (
        lambda w, **given: w.plan.policy(3).explain(
            **{"observation": w.data.observations[0], **given}
        ),
        {"observation": NO_OBSERVATION, "cases": tuple(v for v in NO_COUNT if v != 0)},
    ),
    "imagine": (
        lambda w, steps: w.plan.policy(3).imagine(w.data.observations[0], steps),
        {"steps": (*NO_COUNT, None)},
    ),
    "predict": (
        lambda w, deterministic: w.plan.policy(3).predict(
            w.data.observations[0], deterministic=deterministic
        ),
        {"deterministic": (*NO_FLAG, None)},
    ),
    "thinned": (
        lambda w, **given: w.plan.policy(3).thinned(**{"states": 4, **given}),
        {"states": (*NO_COUNT, None, 24), "seed": (*NO_SEED, None)},
    ),
    "policy_values": (
        lambda w, **given: da.policy_values(
            **{"mdp": w.model, "policy": np.zeros(24, int), **given}
        ),
        POLICY_VALUES := {
            "mdp": (*NO_RECORD, None),
            "policy": ("a", None, [], [0.5] * 24, [2] * 24, [[1], [1, 2]], NOTHING),
            "objective": NO_RECORD,
            "tolerance": (*NO_TOLERANCE, None),
            "threads": NO_COUNT,
        },
    ),
    "factored_values": (
        lambda w, **given: da.factored_values(
            **{"mdp": w.model, "policy": np.zeros(24, int), **given}
        ),
        POLICY_VALUES,
    ),
    "solve_constrained": (
        lambda w, **given: da.solve_constrained(
            **{"mdp": w.model, "signal": np.ones(24), "budget": 20.0, **given}
        ),
        {
            "mdp": (*NO_RECORD, None),
            "signal": ("a", None, 1.5, [1.0], [10**400] * 24, NOTHING, nothing),
            "budget": (*NO_NUMBER, None, -float("inf"), 10**400),
            "objective": NO_RECORD,
            "tolerance": (*NO_TOLERANCE, None),
            "threads": NO_COUNT,
        },
    ),
    "neighbor_index": (
        lambda w, **given: da.neighbor_index(**{"rows": np.eye(3), **given}),
        {
            "rows": (*NO_NUMBER, None, 1.5, [[]], [["a"]], [[1.0], [1.0, 2.0]], [[float("nan")]]),
            "engine": (*NO_WORD, None, "hnsw"),
        },
    ),
}
