"""A first guess at the optimal values: modified policy iteration in float32.

Nothing here is proved: `proof` does that. Where its bounds are not tight enough, float64 sweeps
go on from the guess. What float32 cannot resolve is left to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..arrays import Float32, Float64, Int32
from ..kernels import cpu
from ..kernels import draft as kernels
from ..kernels.model import Model
from ..kernels.table import price
from .table import Table
from .workspace import Workspace

WORTHWHILE = 2_000
"""States below which float64 sweeps alone are as quick."""
THOROUGH_RATIO, EVALUATION_RATIO = 0.03, 0.1
"""A policy is evaluated until a sweep changes values by so much less than the improvement: where
sweeps over junctions are cheap, and elsewhere."""
QUIET_RATIO = 0.02
"""States are left alone once the first sweeps change them by so much less than the last may."""
FIRST_RATIO = 0.3
"""The policy of an earlier plan, until a sweep changes values by so much less than |T 0|."""
ENOUGH, EVALUATED = 0.8, 0.5
"""Change of a sweep at which a guess is good enough, and to which its policy is evaluated, in parts
of what the error allowed would take: the sweep that proves it changes no more than the last."""
NOISE = 1e-6
"""Changes of the largest value by so little may be rounding."""
MOST_SWEEPS = 60
NEAR = 4.0
"""Without progress, so many times the smallest change is near enough: float64 is quicker."""
DISTINCT = 1e4
"""Changes that are so many times noise may grow for a while: a better policy is on its way."""
PATIENCE = 8
"""Sweeps without progress after which the rest is left to float64."""

Watch = Callable[[int, float], bool]
"""Called with the number of sweeps and the estimated error; true stops."""


def suits(model: Model) -> bool:
    """Whether the MDP can be read as a table, and is large enough for it to pay."""
    plain = model.slip == 0.0 and model.worst_case == 0.0 and len(model.policy) == 0
    return plain and model.size >= WORTHWHILE


class Draft:
    """Rewards of one objective, and values on their way.

    Attributes:
        scale: |T 0|, the largest absolute one-step value.
        dearest: the largest price of a unit of distance.
        largest_penalty: what the largest distance costs at most.
        stuck: states that have no action and did not end an episode.
        sweeps: sweeps over all states so far.
    """

    def __init__(self, work: Workspace, table: Table) -> None:
        model, self.table = work.model, table
        self.model, self.blocks, self.corrector = model, work.blocks, work.corrector
        self.gamma, self.lanes = np.float32(model.gamma), cpu.lanes_of(model.k)
        self.sweeps = 0
        self.reward: Float32 = np.empty_like(table.mean)
        self.choice: Int32 = np.full(model.size, cpu.NO_ACTION, np.int32)
        found = self.blocks.run(
            price, model, work.posed, work.order, table.mean, table.distance,
            self.reward, self.corrector.rows.correction,
        )  # fmt: skip
        scales, stuck = zip(*found)
        self.scale, self.stuck = max(scales), sum(stuck)
        largest = max(0.0, float(model.rewards.max()))
        self.dearest = model.adaptive * largest if model.adaptive > 0.0 else model.cost
        self.largest_penalty = self.dearest * table.farthest
        if self.largest_penalty > float(np.finfo(np.float32).max):
            self.scale = math.inf  # float32 took such actions for unavailable ones

    def run(
        self,
        first: tuple[Float64, Float64] | None,
        allowed: float,
        deadline: float,
        watch: Watch,
    ) -> None:
        """Improve until the estimated error is within what is allowed, or float32 ends.

        Args:
            first: values [N] and action values [N, A] of an earlier plan, whose policy is
                evaluated first; None begins with the best reward of one step.
            allowed: the error asked for.
            deadline: moment of `time.perf_counter` at which to stop.
            watch: called after every sweep.
        """
        size, gamma, corrector = self.model.size, self.model.gamma, self.corrector
        change_allowed = allowed * (1.0 - gamma) / max(gamma, 0.1)
        enough, target = ENOUGH * change_allowed, EVALUATED * change_allowed
        if first is not None:
            both = corrector.rows.correction
            both[:size] = np.where(self.model.terminal, 0.0, first[0])
            both[size:] = both[:size]
            self.blocks.run(
                kernels.follow, first[1], self.gamma, self.table.index, self.table.weight,
                self.reward, self.choice, corrector.rows,
            )  # fmt: skip
            corrector.solve(max(FIRST_RATIO * self.scale, target), deadline)
        best, waited = math.inf, 0
        while self.sweeps < MOST_SWEEPS:
            change, largest = self._improve()
            noise = NOISE * largest
            waited = 0 if change < 0.9 * best or change > DISTINCT * noise else waited + 1
            best = min(best, change)
            stop = watch(self.sweeps, change * gamma / (1.0 - gamma))
            near = max(enough, noise * (NEAR if waited else 1.0))
            if stop or waited >= PATIENCE or change <= near:
                return
            ratio = THOROUGH_RATIO if corrector.leaves_links_out else EVALUATION_RATIO
            aim = max(ratio * change, target, noise)
            corrector.solve(aim, deadline, QUIET_RATIO * aim)

    @property
    def values(self) -> Float32:
        """[2N] float32, in two halves as `kernels.cpu` has them."""
        return self.corrector.rows.correction

    def take(self) -> Float64:
        """Return the values [N], and leave the corrector as it was."""
        values = self.values[self.model.size :].astype(np.float64)
        self.values[:] = 0.0
        return values

    def _improve(self) -> tuple[float, float]:
        """Sweep over all states and actions; return the largest change and the largest value."""
        self.sweeps += 1
        team = self.blocks.team()
        self.blocks.together(
            kernels.improve_all, team, self.lanes, self.gamma,
            self.table.index, self.table.weight, self.reward, self.choice, self.corrector.rows,
        )  # fmt: skip
        return float(team.changes.max()), float(team.peaks.max())
