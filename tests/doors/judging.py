"""Doors of judging policies, of fitting them and of reports."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from tests.doors.nonsense import (
    NO_CLUSTER,
    NO_COST,
    NO_COUNT,
    NO_FLAG,
    NO_FUNCTION,
    NO_LIST,
    NO_NAME,
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

DOORS: dict[str, tuple[Any, dict[str, tuple[Any, ...]]]] = {
    "guarantee": (
        lambda w, **given: da.guarantee(**{"plan": w.plan, **given}),
        {
            "plan": (*NO_RECORD, None),
            "delta": (*NO_SHARE, None, 0, 1),
            "lipschitz": NO_COST,
            "deterministic": (*NO_FLAG, None),
        },
    ),
    "report": (
        lambda w, **given: da.report(**{"plan": w.plan, **given}),
        {"plan": (*NO_RECORD, None)},
    ),
    "importance_value": (
        lambda w, **given: da.importance_value(
            **{
                "data": dataclasses.replace(w.data, propensities=np.full(24, 0.5)),
                "policy": np.full(24, 0.5),
                **given,
            }
        ),
        {
            "data": (*NO_RECORD, None),
            "policy": ("a", None, 1.5, [], {}, NOTHING, [0.5], [1.5] * 24, np.full((24, 2), 0.1)),
            "gamma": (*NO_SHARE, None),
            "level": (*NO_SHARE, None, 0, 1),
        },
    ),
    "compare": (
        lambda w, **given: da.compare(**{"first": w.plan, "second": w.plan, **given}),
        {
            "first": (*NO_RECORD, None),
            "second": (*NO_RECORD, None),
            "tolerance": (*NO_TOLERANCE, None),
        },
    ),
    "policy.by": (lambda w, plan: w.plan.policy(3).by(plan), {"plan": (*NO_RECORD, None)}),
    "plan.compare": (lambda w, other: w.plan.compare(other), {"other": (*NO_RECORD, None)}),
    "picture": (
        lambda w, **given: w.plan.compare(w.plan).picture(**{"path": w.path / "a.png", **given}),
        {"path": (*NO_PATH, None), "columns": (*NO_LIST, "ab", [0], [0, 2], [0, 1.5])},
    ),
    "collect": (
        lambda w, **given: da.collect(**{"env": "CartPole-v1", "steps": 9, **given}),
        {
            "env": ("a", None, True, 0, [], {}, NOTHING, nothing),
            "steps": (*NO_COUNT, None),
            "policy": ("a", None, True, 0, [], {}, NOTHING, nothing),
            "epsilon": ("a", None, True, -1, 1.5, [], {}, ["a"], {0.5: "a"}, {0.5: 0.5}, NOTHING),
            "seed": (*NO_SEED, None),
            "side_by_side": (*NO_COUNT, None),
            "show_progress": NO_FLAG,
        },
    ),
    "evaluate": (
        lambda w, **given: da.evaluate(
            **{"policy": "random", "env": "CartPole-v1", "episodes": 2, **given}
        ),
        {
            "policy": ("a", None, True, 0, [], {}, NOTHING, nothing),
            "env": ("a", None, True, 0, [], {}, NOTHING, nothing),
            "episodes": (*NO_COUNT, None),
            "seed": (*NO_SEED, None),
            "epsilon": ("a", None, True, -1, 1.5, [], NOTHING),
            "side_by_side": (*NO_COUNT, None),
            "max_steps": NO_COUNT,
            "show_progress": NO_FLAG,
        },
    ),
    "Candidate": (
        lambda w, **given: da.Candidate(**given),
        {
            "objective": (*NO_RECORD, None),
            "k": (*NO_COUNT, None),
            "k_pi": (*NO_COUNT, None),
            "lookup": (*NO_WORD, None),
            "candidates": NO_COUNT,
            "one_step": (*NO_FLAG, None),
            "name": NO_NAME,
        },
    ),
    "candidate_grid": (
        lambda w, **given: da.candidate_grid(**given),
        {
            "k": (*NO_LIST, "ab", [], [0], [1.5]),
            "cost": (*NO_LIST, "ab", [], [-1.0], ["a"]),
            "k_pi": (*NO_LIST, "ab", [], [0], [1.5]),
            "lookup": (*NO_WORD, None, ["a"], [0]),
            "objective": NO_RECORD,
        },
    ),
    "fit": (
        lambda w, **given: da.fit(
            **{"data": w.data, "gamma": 0.9, "time_budget": 1.0, **beside(w, given), **given}
        ),
        {
            "data": (*NO_RECORD, None),
            "candidates": (*NO_LIST, "ab", []),
            "budget": (*NO_COUNT, None),
            "env": (True, 0, [], {}, NOTHING),
            "gamma": (*NO_SHARE, None, 1),
            "level": (*NO_SHARE, None, 0.0, 1),
            "folds": (*NO_COUNT, None, 1),
            "episodes": (*NO_COUNT, None),
            "time_budget": NOT_POSITIVE,
            "watch": NO_FUNCTION,
            "resume_dir": NO_PATH,
            "seed": (*NO_SEED, None),
            "show_progress": NO_FLAG,
            "cluster": NO_CLUSTER,
            "work_dir": NO_PATH,
        },
    ),
    "diagnose": (
        lambda w, **given: da.diagnose(**{"data": w.data, **given}),
        {"data": (*NO_RECORD, None), "seed": (*NO_SEED, None), "most_rows": NO_COUNT},
    ),
    "repair": (lambda w, data: da.repair(data), {"data": (*NO_RECORD, None)}),
    "write_report": (
        lambda w, **given: da.write_report(
            **{"diagnosis": da.diagnose(w.data), "path": w.path / "a.html", **given}
        ),
        {"diagnosis": (*NO_RECORD, None), "path": (*NO_PATH, None, "a.txt")},
    ),
}
