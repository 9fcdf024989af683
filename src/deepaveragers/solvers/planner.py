"""The planner: certified optimal values of a compiled MDP.

The default is modified policy iteration. Where it pays, it begins with a guess in float32
(`draft`), of which one sweep proves bounds (`proof`): in ordinary plans the ones asked for.
Otherwise, a sweep over all states and actions (float64, Gauss-Seidel against the direction of
time) improves the values and the policy, and proves bounds (`certificate`). Then the values
are moved towards those of that policy, over the policy's own rows only and in float32
(`correction`). Both repeat until the bounds are as tight as asked. Exact policy iteration
would evaluate each policy to the end; a few digits beyond the last residual are enough.

For games against the worst neighbour (`worst_case`) policy iteration may cycle. So when the
bounds have not improved for a while, only sweeps are made, ever more of them: each brings
the values closer by a factor gamma, whatever happened before.

Tolerance is relative to |T 0| / (1 - gamma), where |T 0| is the largest absolute one-step
value max_a R(s, a), costs included. That is an a-priori bound on |V*|, and at most
max|R| / (1 - gamma).

References: Puterman, Markov Decision Processes, ch. 6; Bertsekas, Dynamic Programming and
Optimal Control II, ch. 2.
"""

from __future__ import annotations

import math
import time
from inspect import signature
from typing import Literal, get_args

from ..arguments import check_takes, choice, instance, number, optional, shown, whole_number
from ..arrays import Float64
from ..errors import InputError
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..mdp.problem import pose
from .blocks import Blocks
from .cuda_planner import CudaTask, pick
from .horizon import beyond_horizon
from .last import last_of, remember
from .layout import layout_of
from .plan import Plan
from .task import Callback, Limits, Task
from .units import units_of
from .workspace import Workspace

Method = Literal["auto", "policy_iteration", "value_iteration"]
Device = Literal["cpu", "cuda", "auto"]


def solve(
    mdp: DacMdp,
    objective: Objective,
    *,
    tolerance: float = 1e-3,
    method: Method = "auto",
    start: Plan | Literal["last"] | None = None,
    time_budget: float | None = None,
    max_sweeps: int | None = None,
    threads: int | None = None,
    device: Device = "cpu",
    callback: Callback | None = None,
) -> Plan:
    """Return the certified plan of an objective.

    Args:
        mdp: the compiled MDP.
        objective: the question.
        tolerance: largest error allowed, relative to |T 0| / (1 - gamma); see above.
        method: "policy_iteration" (what "auto" takes), or "value_iteration": sweeps only.
        start: a plan with as many states and actions, best of this MDP, under any objective; its
            policy is the first tried.
            "last" takes the last that was solved in this process, if there is one. The
            plan's `gain` says what that brought.
        time_budget: seconds after which the bounds reached so far are returned.
        max_sweeps: sweeps after which the bounds reached so far are returned.
        threads: None takes all cores, up to 4. The bits are the same for any number.
        device: "cpu"; "cuda", a GPU (extra `cuda`); or "auto", a GPU where there is one, it
            supports the objective, and the MDP is large enough. The bounds are always
            proved by the CPU.
        callback: called after every sweep; a true result stops the planner.
    """
    began = time.perf_counter()
    instance("objective", objective, Objective, "an Objective")
    tolerance = number("tolerance", tolerance, above=0.0)
    choice("method", method, get_args(Method))
    time_budget = optional(number, "time_budget", time_budget, above=0.0, unlimited=True)
    max_sweeps = optional(whole_number, "max_sweeps", max_sweeps)
    threads = optional(whole_number, "threads", threads)
    if callback is not None:
        check_takes("callback", callback, "progress")
    limits = Limits(
        began=began,
        deadline=began + (math.inf if time_budget is None else time_budget),
        max_sweeps=math.inf if max_sweeps is None else max_sweeps,
    )
    usual = method != "value_iteration"
    first, cold_seconds = _first_guess(mdp, start)
    if objective.horizon is not None:
        first = None
    on_gpu = pick(device, mdp, objective) == "cuda"
    posed = pose(mdp, objective)
    units = units_of(posed)
    model, first = units.model(posed), units.start(first)
    with Blocks(len(mdp), threads) as blocks:
        layout = None if on_gpu else layout_of(mdp, model, blocks)
        work = Workspace(model, blocks, layout)
        task = (CudaTask if on_gpu else Task)(
            mdp, work, tolerance, limits, units.callback(callback)
        )  # fmt: skip
        horizon = objective.horizon
        if horizon is not None:
            beyond = beyond_horizon(model.gamma, horizon, tolerance)
            status, proof = (
                task.look_ahead(horizon) if beyond is None else task.look_far_ahead(usual, beyond)
            )
        else:
            if first is not None and layout is not None:
                first = layout.rows(first[0]), layout.rows(first[1])
            status, proof = task.optimize(usual, first)
        values, q_values = map(units.values, (work.values_by_name(), work.q_values_by_name()))
    proof = units.certificate(proof)
    seconds = time.perf_counter() - began
    comparable = usual and first is not None and status == "optimal"
    plan = Plan(
        mdp=mdp,
        objective=objective,
        values=values,
        q_values=q_values,
        below=proof.below,
        above=proof.above,
        tolerance=tolerance,
        status=status,
        residual=proof.residual,
        sweeps=work.sweeps,
        seconds=seconds,
        gain=cold_seconds / seconds if comparable and cold_seconds is not None else None,
        policy_below=proof.policy_below,
    )
    remember(plan, cold=usual and first is None)
    return plan


OPTIONS = frozenset(signature(solve).parameters) - {"mdp", "objective"}
"""What may be asked of a solve beside the fields of its objective."""


def _first_guess(
    mdp: DacMdp, start: Plan | Literal["last"] | None
) -> tuple[tuple[Float64, Float64] | None, float | None]:
    """Return values and action values to begin with, and the seconds of the last cold solve."""
    last = last_of(mdp)
    seconds = None if last is None else last.cold_seconds
    if isinstance(start, str) and start == "last":
        return (None if last is None else (last.values, last.q_values)), seconds
    if start is None:
        return None, seconds
    if not isinstance(start, Plan):
        raise InputError("start", "a plan, 'last' or None", shown(start))
    if start.q_values.shape != mdp.graph.indices.shape[:2]:
        raise InputError(
            "start",
            f"a plan of {mdp.graph.indices.shape[:2]} states and actions, as this MDP has",
            f"one of {start.q_values.shape}",
        )
    return (start.values, start.q_values), seconds
