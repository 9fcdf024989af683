"""The planner: certified optimal values of a compiled MDP.

The default is modified policy iteration (`iteration.loop`); `reference` is a readable one, with
which it agrees.

Tolerance is relative to |T 0| / (1 - gamma), where |T 0| is the largest absolute one-step
value max_a R(s, a), costs included. That is an a-priori bound on |V*|, and at most
max|R| / (1 - gamma).

References: Puterman, Markov Decision Processes, ch. 6; Bertsekas, Dynamic Programming and
Optimal Control II, ch. 2.
"""

from __future__ import annotations

import math
import os
import time
from contextlib import ExitStack
from functools import partial
from inspect import signature
from typing import Literal, get_args

from ..arguments import check_takes, choice, instance, number, optional, shown, whole_number
from ..errors import InputError
from ..kernels.bellman.problem import Problem
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..mdp.problem import pose
from .blocks import Blocks
from .device import pick
from .iteration.cuda_guess import CUDA_TUNING, CudaGuess, CudaTuning
from .iteration.float32_guess import Float32Guess, Start
from .iteration.float64_sweeps import Float64Sweeps
from .iteration.horizon import backward_induction, beyond_horizon, without_horizon
from .iteration.limits import Callback, Limits, Watch
from .iteration.loop import Ended, Guess, PolicyIteration
from .iteration.target import Target
from .iteration.tuning import TUNING, Tuning
from .plan import Plan, Solution
from .state_order import order_of
from .units import units_of

Method = Literal["auto", "policy_iteration", "value_iteration"]
Device = Literal["cpu", "cuda", "auto"]


def solve(
    mdp: DacMdp,
    objective: Objective,
    *,
    tolerance: float = 1e-3,
    method: Method = "auto",
    start: Plan | None = None,
    time_budget: float | None = None,
    max_sweeps: int | None = None,
    threads: int | None = None,
    device: Device = "cpu",
    callback: Callback | None = None,
    cluster: str | None = None,
    work_dir: str | os.PathLike[str] | None = None,
    blocks: int | None = None,
) -> Plan:
    """Return the certified plan of an objective; arguments as of `DacMdp.solve`."""
    began = time.perf_counter()
    instance("objective", objective, Objective, "an Objective")
    tolerance = number("tolerance", tolerance, above=0.0)
    choice("method", method, get_args(Method))
    limits = _limits(began, time_budget, max_sweeps)
    threads = optional(whole_number, "threads", threads)
    if callback is not None:
        check_takes("callback", callback, "progress")
    first = _start_of(mdp, start)
    if cluster is not None or work_dir is not None or blocks is not None:
        from .sharded import solve_if_too_large

        plan = solve_if_too_large(
            mdp, objective, tolerance, limits, callback,
            cluster=cluster, work_dir=work_dir, blocks=blocks,
            method=method, start=start, device=device,
        )  # fmt: skip
        if plan is not None:
            return plan
    return solve_tuned(
        mdp, objective, tolerance, limits, evaluate=method != "value_iteration", start=first,
        threads=threads, device=device, callback=callback,
    )  # fmt: skip


OPTIONS = frozenset(signature(solve).parameters) - {"mdp", "objective"}
"""What may be asked of a solve beside the fields of its objective."""


def solve_tuned(
    mdp: DacMdp,
    objective: Objective,
    tolerance: float,
    limits: Limits,
    *,
    evaluate: bool = True,
    start: Start | None = None,
    threads: int | None = None,
    device: Device = "cpu",
    callback: Callback | None = None,
    tuning: Tuning = TUNING,
    cuda_tuning: CudaTuning = CUDA_TUNING,
) -> Plan:
    """Return the certified plan, as `solve` does, by a planner that is tuned otherwise."""
    on_gpu = pick(device, mdp, objective, cuda_tuning) == "cuda"
    found = solve_problem(
        mdp, pose(mdp, objective), tolerance, limits,
        horizon=objective.horizon, evaluate=evaluate, start=start, threads=threads,
        callback=callback, tuning=tuning, cuda_tuning=cuda_tuning if on_gpu else None,
    )  # fmt: skip
    return found.plan(mdp, objective, tolerance, limits.began)


def solve_problem(
    mdp: DacMdp,
    posed: Problem,
    tolerance: float,
    limits: Limits,
    *,
    horizon: int | None = None,
    evaluate: bool = True,
    start: Start | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    tuning: Tuning = TUNING,
    cuda_tuning: CudaTuning | None = None,
) -> Solution:
    """Solve an objective posed on an MDP, or a policy's; on a GPU if `cuda_tuning` is given."""
    units = units_of(posed)
    problem, start = units.problem(posed), units.start(start)
    with Blocks(len(mdp), threads, tuning) as blocks, ExitStack() as stack:
        order = order_of(mdp.prepared, problem, tuning.order_states)
        sweeps = Float64Sweeps(problem, order, blocks)
        target = Target(sweeps.problem, tolerance)
        watch = Watch(limits, units.callback(callback), stack)
        loop = PolicyIteration(sweeps, target, watch)
        guess: Guess | None = None
        # Float64 is as quick for small MDPs, evaluates given policies, and keeps to `max_sweeps`.
        guessable = len(problem.policy) == 0 and problem.size >= tuning.packed_states
        if cuda_tuning is not None:
            guess = partial(CudaGuess, sweeps, evaluate=evaluate, cuda_tuning=cuda_tuning)
        elif evaluate and guessable and math.isinf(limits.max_sweeps):
            guess = partial(Float32Guess, sweeps)
        if horizon is None:
            first = None if start is None else (order.rows(start[0]), order.rows(start[1]))
            status, proof = loop.optimize(guess, evaluate, first)
        else:
            status, proof = _to_horizon(loop, guess, evaluate, horizon)
        values = units.values(order.restored(sweeps.values))
        q_values = units.values(order.restored(sweeps.q_values))
    return Solution(status, units.certificate(proof), values, q_values, sweeps.count)


def _to_horizon(loop: PolicyIteration, guess: Guess | None, evaluate: bool, horizon: int) -> Ended:
    beyond = beyond_horizon(loop.sweeps.problem.gamma, horizon, loop.target.tolerance)
    if beyond is None:
        return backward_induction(loop, horizon)
    return without_horizon(loop, guess, evaluate, beyond)


def _limits(began: float, time_budget: float | None, max_sweeps: int | None) -> Limits:
    """Return when to stop early, from what was asked."""
    time_budget = optional(number, "time_budget", time_budget, above=0.0, unlimited=True)
    max_sweeps = optional(whole_number, "max_sweeps", max_sweeps)
    return Limits(
        began=began,
        deadline=began + (math.inf if time_budget is None else time_budget),
        max_sweeps=math.inf if max_sweeps is None else max_sweeps,
    )


def _start_of(mdp: DacMdp, start: Plan | None) -> Start | None:
    """Return values and action values to begin with."""
    if start is None:
        return None
    if not isinstance(start, Plan):
        raise InputError("start", "a plan or None", shown(start))
    if start.q_values.shape != mdp.graph.indices.shape[:2]:
        raise InputError(
            "start",
            f"a plan of {mdp.graph.indices.shape[:2]} states and actions, as this MDP has",
            f"one of {start.q_values.shape}",
        )
    return start.values, start.q_values
