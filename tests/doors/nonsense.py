"""What parameters of each kind must refuse, and what the doors are opened with."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
NO_CLUSTER = ("", "there", True, 0, [], {}, NOTHING, b"x", "ray://host:1", "host:x")
NO_NAME = ("", True, 0, 1.5, [], {}, NOTHING, b"x")


def words(parameter):
    """Return the names in a parameter: `action_penalties[0]`, `support_threshold and fallback`."""
    return re.findall(r"\w+", parameter)


def beside(world, given):
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
