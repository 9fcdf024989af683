"""Doors of data, bundles and representations."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from tests.doors.nonsense import (
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
    NOTHING,
)

import deepaveragers as da

DOORS: dict[str, tuple[Any, dict[str, tuple[Any, ...]]]] = {
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
            "reward_scale": (*NO_COST[:-3], None),
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
