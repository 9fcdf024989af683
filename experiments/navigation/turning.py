"""The tunnel's turning cycles, on true poses: acting by the nearest states, or by look-ahead.

The mean of Q over k_pi states near a pose mixes states that should turn left with others that
should turn right. At two poses beside each other it can prefer left here and right there, for ever.
Look-ahead asks where each action leads from here, and takes the values of those states: two poses
that lead to each other cannot both be the better one, but for the error of the neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .cases import CASES
from .comparison import FRESH_STARTS
from .planning import Outcome, compile_poses, plan_case, play_slipping
from .results import Row, row_of
from .rollouts import actor, play, starts
from .rooms import ROOMS, Look
from .study import SLIPPING, Scale
from .walks import Walk

ROOM = "tunnel"


@dataclass(frozen=True)
class Acting:
    """How a plan acts: by `k` states, and how these are looked up."""

    lookup: Literal["nearest", "lookahead"]
    k: int

    def __str__(self) -> str:
        return f"{self.lookup} {self.k}"


CHOSEN = Acting("lookahead", 2)
"""The best of six on walks 3, 4 and 5, from the starts for choosing; see docs/navigation.md."""
ACTING = (Acting("nearest", 11), CHOSEN)


def run_turning(seed: int, scale: Scale, directory: Path) -> Iterator[Row]:
    """Yield the rows of a walk of poses: each plan acts in both ways, without slips and with."""
    walk = Walk(ROOM, seed, scale.steps, Look(), directory, drawn=False)
    list(walk.make())
    model, room = compile_poses(walk), ROOMS[ROOM](Look())
    resets = starts(scale.episodes[ROOM], FRESH_STARTS)
    for case in CASES:
        if case.room != ROOM:
            continue
        plan = plan_case(model.mdp, case)
        for acting in ACTING:
            policy = plan.policy(k=acting.k, lookup=acting.lookup)
            act = actor(policy, model.encoder)
            played = play(room, act, resets, steps=case.steps, see_pose=True)
            outcome = Outcome(case, plan, policy, played)
            yield row_of(outcome, model, f"pose, {acting}", seed)
            slipping = play_slipping(model, outcome, room, SLIPPING[ROOM], FRESH_STARTS)
            yield row_of(slipping, model, f"pose, {acting}, slipping", seed)
