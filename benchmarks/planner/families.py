"""The families of MDPs, compiled once and kept on disk.

Each family has two sets of parameters. The planner's settings are chosen on those of
`development` only; `report` has other seeds and other parameters, and is what is published.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

import deepaveragers as da

from . import logs, synthetic, worlds

Stage = Literal["development", "report"]

CACHE = Path("runs/planner")
NEIGHBORS = 5


@dataclass(frozen=True)
class Family:
    """One kind of MDP.

    Attributes:
        about: one line for the report.
        make: from a size, a random generator and the parameters to a log.
        development: parameters of the MDPs that settings are chosen on.
        report: parameters of those that are published.
        raw: whether distances are taken in the observations as they are, not standardised.
        largest: states that can be made in reasonable time.
    """

    about: str
    make: Callable[..., da.Transitions]
    development: dict[str, Any]
    report: dict[str, Any]
    raw: bool = False
    largest: int = 4_000_000

    def parameters(self, stage: Stage) -> dict[str, Any]:
        """Return the parameters of a stage, its seed among them."""
        chosen = self.report if stage == "report" else self.development
        return {"seed": 0 if stage == "report" else 1000, **chosen}


def _environment(name: str) -> dict[str, Any]:
    both = {"environment": name}
    return {"make": logs.played, "development": both, "report": both}


FAMILIES: dict[str, Family] = {
    "acrobot": Family("Acrobot at random, 6-d, 3 actions", **_environment("Acrobot-v1")),
    "mountaincar": Family(
        "MountainCar at random, 2-d, 3 actions", **_environment("MountainCar-v0")
    ),
    "cartpole": Family("CartPole at random, 4-d, 2 actions", **_environment("CartPole-v1")),
    "lunarlander": Family(
        "LunarLander at random, 8-d, 4 actions", **_environment("LunarLander-v3")
    ),
    "pictures": Family(
        "Atari pictures through a random CNN, 64-d, 4 or 6 actions",
        logs.pictures,
        {"game": "Breakout", "dimensions": 64},
        {"game": "SpaceInvaders", "dimensions": 64},
        raw=True,
        largest=300_000,
    ),
    "walks": Family(
        "walks in a 6-d box, dense reward, 6 actions",
        synthetic.box_walks,
        {"dimensions": 5, "actions": 5, "steps": 150, "push": 0.2, "ended": 0.3},
        {"dimensions": 6, "actions": 6, "steps": 200, "push": 0.15, "ended": 0.5},
        raw=True,
    ),
    "latent": Family(
        "16-d latent of a noisy 6-d system, 1 % of states rewarded, 6 actions",
        synthetic.noisy_latent,
        {"hidden": 5, "latent": 12, "actions": 5, "steps": 250, "rewarded": 0.003},
        {"hidden": 6, "latent": 16, "actions": 6, "steps": 200, "rewarded": 0.01},
        raw=True,
    ),
    "short": Family(
        "walks of 8 steps that all end, 4 actions",
        synthetic.box_walks,
        {"dimensions": 4, "actions": 3, "steps": 12, "push": 0.25, "ended": 0.9},
        {"dimensions": 5, "actions": 4, "steps": 8, "push": 0.2, "ended": 1.0},
    ),
    "shuffled": Family(
        "walks, rows in no order, 8 actions",
        synthetic.shuffled_walks,
        {"dimensions": 5, "actions": 7, "steps": 120, "push": 0.2},
        {"dimensions": 4, "actions": 8, "steps": 100, "push": 0.12},
    ),
    "far": Family(
        "a system that forgets its state: far neighbours, 8-d, 5 actions",
        synthetic.far_neighbors,
        {"dimensions": 7, "actions": 4, "steps": 40, "memory": 0.5},
        {"dimensions": 8, "actions": 5, "steps": 50, "memory": 0.4},
    ),
    "rooms": Family(
        "rooms with doors, trajectories of 5,000 steps, one goal, near neighbours, 8 actions",
        worlds.rooms,
        {"across": 3, "actions": 6, "steps": 4000, "stride": 0.08},
        {"across": 4, "actions": 8, "steps": 5000, "stride": 0.12},
    ),
    "grid": Family(
        "cells: every neighbour an exact duplicate, 5 actions",
        worlds.grid,
        {"width": 40, "walls": 0.15, "wind": 0.1, "steps": 250},
        {"width": 60, "walls": 0.2, "wind": 0.05, "steps": 300},
    ),
    "store": Family(
        "a store that orders goods, 18 actions",
        worlds.store,
        {"actions": 15, "steps": 300, "holding": 0.08, "fixed": 0.5},
        {"actions": 18, "steps": 365, "holding": 0.05, "fixed": 1.0},
    ),
}


LOGS = ("acrobot", "mountaincar", "cartpole", "lunarlander", "pictures")
"""Families of played games; the others are made up."""


def states(size: int | str) -> int:
    """Return a size such as "300k" or "2.5m" as a number."""
    return round(float(str(size).lower().replace("k", "e3").replace("m", "e6")))


def folder(name: str, size: int | str, stage: Stage, cache: Path) -> Path:
    """Return where a compiled MDP is kept; other parameters have another folder."""
    parameters = FAMILIES[name].parameters(stage)
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()[:8]
    return cache / stage / f"{name}-{states(size)}-{digest}"


def load(
    name: str, size: int | str, stage: Stage = "development", cache: Path = CACHE
) -> da.DacMdp:
    """Return the MDP of a family, compiled now or before; it was never solved."""
    path = folder(name, size, stage, Path(cache))
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        da.save(_compile(name, states(size), stage), path)
    mdp = da.load(path, verify="quick")
    assert isinstance(mdp, da.DacMdp)
    return mdp


def _compile(name: str, size: int, stage: Stage) -> da.DacMdp:
    family = FAMILIES[name]
    parameters = family.parameters(stage)
    random = np.random.default_rng(parameters.pop("seed"))
    data = family.make(size, random, **parameters)
    return da.compile(data, k=NEIGHBORS, encoder=da.Identity() if family.raw else None)
