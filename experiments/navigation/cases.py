"""The paper's three cases: what is asked of one compiled model of each room."""

from __future__ import annotations

from dataclasses import dataclass

import deepaveragers as da

from .rooms import EPISODE_STEPS

NEIGHBORS = 5
COST = 0.01
POLICY_NEIGHBORS = (11, 51)
"""The paper's k, C and the two k_pi that it tries (N_e = 2)."""


@dataclass(frozen=True)
class Case:
    """One objective in one room.

    Attributes:
        name: short, unique.
        room: a key of ROOMS.
        objective: the question.
        paper: the mean return that the paper reports; None where it reports none.
        steps: length of an evaluation episode.
    """

    name: str
    room: str
    objective: da.Objective
    paper: float | None
    steps: int = EPISODE_STEPS


CASES = (
    Case("all actions", "simple-room", da.Objective(gamma=0.99, cost=COST), 0.98),
    Case(
        "no left turn",
        "simple-room",
        da.Objective(gamma=0.99, cost=COST, forbidden_actions=("turn left",)),
        0.96,
    ),
    Case(
        "no right turn",
        "simple-room",
        da.Objective(gamma=0.99, cost=COST, forbidden_actions=("turn right",)),
        0.96,
    ),
    Case("short horizon", "box-and-pillar", da.Objective(gamma=0.95, cost=COST), 0.91),
    Case("long horizon", "box-and-pillar", da.Objective(gamma=0.995, cost=COST), 1.5),
    Case("plain", "tunnel", da.Objective(gamma=0.99, cost=COST), 0.42),
    Case("safe", "tunnel", da.Objective(gamma=0.99, cost=COST, slip=0.1), 0.72),
)
COMPARED = (
    *(case for case in CASES if case.room != "box-and-pillar"),
    Case("gamma .95", "box-and-pillar", da.Objective(gamma=0.95, cost=COST), None, steps=20),
    Case("gamma .99", "box-and-pillar", da.Objective(gamma=0.99, cost=COST), None),
)
"""Asked of DQN and BCQ too, as in the paper's appendix: discounts .95 and .99, in episodes of 20
and 100 steps. Networks know no slip: of the tunnel's two cases they are asked the plain one."""
