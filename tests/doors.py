"""The public doors: how each is opened, and what each of its parameters must refuse."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

import deepaveragers as da

NOTHING = object()


def nothing():
    return 0


NO_NUMBER = ("a", "", True, np.bool_(True), float("nan"), [], {}, NOTHING, b"x", 1j, [1.0, 2.0])
NO_COUNT = (*NO_NUMBER, 10**5000, -1, 0, 1.5, float("inf"), -float("inf"))
NO_SEED = (*NO_NUMBER, -1, 1.5, float("inf"))
NO_SHARE = (*NO_NUMBER, -0.1, 1.1, float("inf"))
NOT_POSITIVE = (*NO_NUMBER, -1, 0, -float("inf"), 10**400)
NO_TOLERANCE = (*NOT_POSITIVE, float("inf"))
NO_COST = (*NO_NUMBER, -1, float("inf"), 10**400)
NO_FLAG = ("a", "", 0, 1, 1.5, float("nan"), [], {}, NOTHING, np.zeros(2))
NO_WORD = ("a", "", True, 0, float("nan"), [], {}, NOTHING, b"x", np.zeros(2))
NO_PATH = ("", "a\0b", True, 0, 1.5, [], {}, NOTHING, b"x")
NO_RECORD = ("", True, 0, 1.5, [], {}, NOTHING, b"x", np.zeros(2))
NO_LIST = (True, 0, 1.5, {}, NOTHING, b"x", [NOTHING])
NO_FUNCTION = ("a", True, 0, [], {}, NOTHING, b"x", nothing)
NO_OBSERVATIONS = ("a", None, True, float("nan"), ["a", "b"], {}, NOTHING, [1.0] * 9)
NO_OBSERVATION = (*NO_OBSERVATIONS, [])
NO_NAME = ("", True, 0, 1.5, [], {}, NOTHING, b"x")


def words(parameter):
    """Return the names in a parameter: `action_penalties[0]`, `support_threshold and fallback`."""
    return re.findall(r"\w+", parameter)


def _beside(world, given):
    """Return what must be given with a cluster, or with a folder for it."""
    if "cluster" in given:
        return {"work_dir": world.path}
    return {"cluster": "auto"} if "work_dir" in given else {}


@dataclass
class World:
    """What the doors are opened with."""

    data: da.Transitions
    model: da.DacMdp
    plan: da.Plan
    path: Any


OBJECTIVE = {
    "gamma": (*NO_SHARE, None, 1.0),
    "cost": NO_COST,
    "weighting": (*NO_WORD, None),
    "k": NO_COUNT,
    "forbidden_actions": ("a", "", -1, 2, True, 1.5, {}, b"x", NOTHING, ["a"], [0.0], [[0]]),
    "action_penalties": ("a", 1.5, [1.0], [NOTHING, 0], {"0": "a"}, {0: None}, {"a": 1.0}, NOTHING),
    "slip": (*NO_SHARE, None),
    "worst_case": (*NO_SHARE, None),
    "rewards": ("a", 1.5, [1.0], [10**400] * 24, NOTHING, nothing),
    "horizon": NO_COUNT,
    "penalty": (*NO_WORD, None),
    "action_mask": ("a", 1.5, [True], np.full((24, 2), 0.5), np.full((24, 2), 2), NOTHING, nothing),
    "support": (*NO_SHARE, None),
}

DOORS: dict[str, tuple[Any, dict[str, tuple[Any, ...]]]] = {
    "compile": (
        lambda w, **given: da.compile(**{"data": w.data, "k": 3, **_beside(w, given), **given}),
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
            "cluster": ("", "there", True, 0, [], {}, NOTHING, b"x", "ray://host:1", "host:x"),
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
        lambda w, **given: da.fit(**{"data": w.data, "gamma": 0.9, "time_budget": 1.0, **given}),
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
    "append": (
        lambda w, **given: da.append(**{"target": w.data, "new": w.data, **given}),
        {
            "target": (*NO_RECORD, None),
            "new": (*NO_RECORD, None),
            "new_actions": (*NO_FLAG, None),
        },
    ),
    "forget": (
        lambda w, **given: da.forget(**{"target": w.data, "episodes": 0, **given}),
        {
            "target": (*NO_RECORD, None),
            "episodes": ("a", None, True, 1.5, 99, [], {}, ["a"], [[0]], NOTHING),
            "refit": (*NO_FLAG, None),
        },
    ),
    "save": (
        lambda w, **given: da.save(**{"thing": w.data, "path": w.path / "saved", **given}),
        {
            "thing": (*NO_RECORD, None),
            "path": (*NO_PATH, None),
            "evidence": (*NO_FLAG, None, True),
            "part_rows": NO_COUNT,
        },
    ),
    "load": (
        lambda w, **given: da.load(**{"path": w.path / "saved", **given}),
        {"path": (*NO_PATH, None), "verify": (*NO_WORD, None)},
    ),
    "read": (
        lambda w, **given: da.read_reported(**{"source": {"a": [0, 1], "x": [0.0, 1.0]}, **given}),
        {
            "drop_missing": (*NO_FLAG, None),
            "source": ("", "a\0b", None, True, 0, [], NOTHING, b"x"),
            "format": (*NO_WORD, None),
            "actions": NO_FUNCTION,
            "mapping": NO_PATH,
        },
    ),
    "TableMapping": (
        lambda w, **given: da.TableMapping(**{"action": "a", "reward": "r", **given}),
        {
            **dict.fromkeys(
                ("episode", "time", "terminated", "truncated", "done", "propensity"), NO_NAME
            ),
            **dict.fromkeys(("action", "reward"), (*NO_NAME, None)),
            **{
                name: (*NO_LIST, "", [], [0])
                for name in ("observations", "next_observations", "action_names", "categorical")
            },
            "terminal_values": (*NO_LIST, "", [], [0], ["died"]),
            **dict.fromkeys(("missing", "duplicates"), (*NO_WORD, None)),
            "fill": NO_WORD,
            "reward_fill": NO_COST[:-3],
            "reward_values": ("died", "a=", "a=b", True, 0, [], {}, {1: 1.0}, {"a": "b"}, NOTHING),
            "missing_values": (True, 0, 1.5, {}, NOTHING, b"x", [NOTHING], [0]),
            "units": ("mmol", "a=", True, 0, [], {1: "a"}, {"a": 1}, NOTHING, b"x"),
            **dict.fromkeys(("each_row_ends", "one_series", "continuous"), (*NO_FLAG, None)),
            "decimal": ("", ";", True, 0, [], NOTHING, None),
            "thousands": ("", ".", "ab", "x", True, 0, [], NOTHING),
            "time_format": ("", "iso", True, 0, [], NOTHING),
            "delimiter": ("", "ab", "\n", True, 0, [], NOTHING),
            "encoding": ("", "klingon", "hex", True, 0, [], NOTHING, None),
            **dict.fromkeys(("sheet", "sql", "join"), NO_NAME),
        },
    ),
    "TableMapping.of": (
        lambda w, **given: da.TableMapping.of(
            **{"values": {"action": "a", "reward": "r"}, **given}
        ),
        {"values": ("a", None, True, 0, [], NOTHING, b"x")},
    ),
    "write": (
        lambda w, **given: da.write(**{"data": w.data, "path": w.path / "a.npz", **given}),
        {
            "data": (*NO_RECORD, None),
            "path": (*NO_PATH, None, "a.txt"),
            "format": (*NO_WORD, None),
        },
    ),
    "Transitions": (
        lambda w, **given: da.Transitions(
            **{field.name: getattr(w.data, field.name) for field in fields(da.Transitions)} | given
        ),
        {
            "actions": ("a", None, 1.5, [], {}, NOTHING),
            "rewards": ("a", None, 1.5, [], {}, NOTHING, ["a"] * 24),
            "observations": ("a", None, 1.5, [], {}, NOTHING),
            "next_observations": ("a", None, 1.5, [], {}, NOTHING),
            "terminations": ("a", None, 1.5, [], {}, NOTHING, [0.5] * 24),
            "truncations": ("a", 1.5, [], {}, NOTHING, [0.5] * 24),
            "episode_ids": ("a", 1.5, [], {}, NOTHING, [0.5] * 24),
            "action_names": ("a", 1.5, [], {}, NOTHING, ["a", "a"]),
            "observation_names": ("a", 1.5, [], {}, NOTHING, ["a", "a"], ["a"], ["a", ""]),
            "observation_units": ("a", 1.5, [], NOTHING, ["kg", "m"], {"b": "kg"}),
            "episode_names": ("a", 1.5, [], {}, NOTHING, ["a"], {0: "a"}),
            "times": ("a", 1.5, [], {}, NOTHING, ["a"] * 24, [True] * 24),
            "action_bounds": ("a", 1.5, [], {}, NOTHING, [[0], [1]]),
            "propensities": ("a", 1.5, [], {}, NOTHING, [0.0] * 24, [1.1] * 24, ["a"] * 24),
        },
    ),
    "subset": (
        lambda w, rows: w.data.subset(rows),
        {"rows": ("a", None, 1.5, ["a"], [0.5], {}, NOTHING, [24], [-25], [10**30], [True] * 5)},
    ),
    "FrameStacks": (
        lambda w, **given: da.FrameStacks(
            **{"frames": np.zeros((6, 8, 8), np.uint8), "places": [1], "starts": [0], **given}
        ),
        {
            "frames": (*NO_RECORD, None),
            "places": ("a", None, 1.5, [0.5], {}, NOTHING),
            "starts": ("a", None, 1.5, [0.5], {}, NOTHING),
            "size": (*NO_COUNT, None),
        },
    ),
    "of_episodes": (
        lambda w, **given: da.FrameStacks.of_episodes(
            **{"frames": np.zeros((6, 8, 8), np.uint8), "lengths": [5], **given}
        ),
        {
            "frames": (*NO_RECORD, None),
            "lengths": ("a", None, 1.5, [0.5], [4], {}, NOTHING),
            "size": (*NO_COUNT, None),
        },
    ),
    "RandomNetwork": (
        lambda w, **given: da.RandomNetwork(**given),
        {
            "architecture": (*NO_WORD, None),
            "dimensions": (*NO_COUNT, None),
            "seed": (*NO_SEED, None),
            "blur": NO_COUNT,
        },
    ),
    "TrainingSettings": (
        lambda w, **given: da.TrainingSettings(**given),
        {
            "batch_size": (*NO_COUNT, None),
            "learning_rate": (*NO_TOLERANCE, None),
            "adam_epsilon": (*NO_TOLERANCE, None),
            "gamma": (*NO_SHARE, None, 1),
            "target_every": (*NO_COUNT, None),
            "reward_clip": NO_TOLERANCE,
            "standardize_pictures": (*NO_FLAG, None),
            "hidden": (*NO_LIST, None, "ab", [], [0], [1.5]),
            "threshold": (*NO_SHARE, None),
            "logit_penalty": (*NO_COST, None),
        },
    ),
}
