"""One solve, from the first sweep to the last."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Float64
from ..errors import InputError
from ..mdp.model import DacMdp
from ..progress import Advance, progress
from .certificate import LARGEST, Certificate, largest_step, rounding_of_backup
from .draft import EVALUATED, Draft, suits
from .horizon import LONG, NEGLIGIBLE, sum_of_powers
from .plan import Status
from .proof import Proof
from .table import table_of
from .workspace import Workspace

EVALUATION_RATIO = 0.005
"""A policy is evaluated until a sweep changes values by so much less than the first residual."""
PATIENCE = 12
"""Sweeps without better bounds after which policies are left unevaluated for a while."""
QUIET_SECONDS = 2.0
FLOAT32_UNIT = 2.0**-23


@dataclass(frozen=True)
class Progress:
    """What a callback learns after every sweep.

    Attributes:
        sweeps: sweeps over all states and actions so far.
        error: certified error of the values; an estimate while a first guess is made.
        allowed: the error at which planning stops.
        seconds: time since the start.
    """

    sweeps: int
    error: float
    allowed: float
    seconds: float


Callback = Callable[[Progress], object]
Outcome = tuple[Status, Certificate]


@dataclass(frozen=True)
class Limits:
    """When to stop before the tolerance is reached; moments of `time.perf_counter`."""

    began: float
    deadline: float
    max_sweeps: float


class Task:
    """Drives a workspace to the tolerance, or to the first limit."""

    def __init__(
        self,
        mdp: DacMdp,
        work: Workspace,
        tolerance: float,
        limits: Limits,
        callback: Callback | None = None,
    ) -> None:
        self.mdp, self.work, self.tolerance = mdp, work, tolerance
        self.limits, self.callback = limits, callback
        self.allowed = math.inf
        self._reach = math.inf
        self._best, self._best_values = math.inf, work.values
        self._stopped = False

    def optimize(self, evaluate: bool, first: tuple[Float64, Float64] | None) -> Outcome:
        """Return the status and the bounds of a plan without horizon.

        Args:
            evaluate: evaluate policies between the sweeps; otherwise sweeps only.
            first: values and action values [N, A] to begin with.
        """
        status: Status = "interrupted"
        try:
            with ExitStack() as stack:
                status, proof = self._optimize(evaluate, first, _Line(stack))
        except KeyboardInterrupt:
            # Whatever the arrays hold now, one more sweep proves bounds on it.
            self.work.recover()
            early = math.isinf(self._reach)
            proof = self._first_sweep() if early else self._at_best(self.work.sweep())
        return status, self._within_reach(proof)

    def _optimize(
        self, evaluate: bool, first: tuple[Float64, Float64] | None, line: _Line
    ) -> Outcome:
        work, gamma = self.work, self.work.model.gamma
        if evaluate and suits(work.model) and math.isinf(self.limits.max_sweeps):
            proof = self._drafted(first, line)
            first = None
        else:
            proof = self._first_sweep()
        floor = EVALUATED * self.allowed * (1.0 - gamma) / max(gamma, 0.1)
        best, waited, sweeps_only, penance = math.inf, 0, 0, 8
        while True:
            self._keep(proof)
            status = self._status(proof, line)
            if status is not None:
                return status, self._at_best(proof)
            waited = 0 if proof.error < 0.95 * best else waited + 1
            best = min(best, proof.error)
            if first is not None:
                # Only now: the proof above is about the values of the first sweep.
                work.restart(first[0])
                work.prefer(first[1])
                first = None
            if waited >= PATIENCE:
                waited, sweeps_only, penance = 0, penance, 2 * penance
            if evaluate and sweeps_only == 0:
                deadline = self.limits.deadline
                evaluate = work.evaluate(ratio=EVALUATION_RATIO, floor=floor, deadline=deadline)
                if not evaluate:
                    work.restart(self._best_values)
            sweeps_only = max(0, sweeps_only - 1)
            proof = work.sweep()

    def _keep(self, proof: Certificate) -> None:
        """Keep the values if none better were proved, before anything can end the solve."""
        if self.allowed < proof.error < self._best:
            # In this order: Ctrl-C between the two must not claim what was not proved.
            self._best_values, self._best = self.work.values.copy(), proof.error

    def _at_best(self, proof: Certificate) -> Certificate:
        """Return to the best values that were proved, if these are worse: evaluating may stray.

        Where a sweep of either kind changed values by d, a Jacobi sweep after it changes them by
        gamma d at most, and rounding: its bounds are no wider. It may not be one too many.
        """
        if proof.error <= self._best or self.work.sweeps >= self.limits.max_sweeps:
            return proof
        self.work.restart(self._best_values)
        return self.work.sweep(in_place=False)

    def _within_reach(self, proof: Certificate) -> Certificate:
        """Return bounds no wider than |V*| <= |T 0| / (1 - gamma), which holds before any sweep.

        Not so for the greedy policy, whose steps may be worse than the best: its bound stays.
        """
        values = self.work.values
        below, above = self._reach + float(values.max()), self._reach - float(values.min())
        return replace(
            proof,
            below=min(proof.below, max(0.0, below)),
            above=min(proof.above, max(0.0, above)),
        )

    def _first_sweep(self) -> Certificate:
        """Sweep from V = 0, which tells the scale of the problem."""
        work = self.work
        work.restart(np.zeros(work.model.size))
        proof = work.sweep(in_place=False)
        self._set_allowed(proof.residual, work.stuck, work.largest_penalty)
        if proof.residual == 0.0:
            self.allowed = proof.error
        return proof

    def _drafted(self, first: tuple[Float64, Float64] | None, line: _Line) -> Certificate:
        """Begin with a guess in float32, and see what one sweep proves of it."""
        work, gamma = self.work, self.work.model.gamma
        draft = Draft(work, table_of(self.mdp, work))
        if draft.scale == 0.0 and not draft.stuck:
            # No step is worth anything: nothing to guess, and no scale to judge a guess by.
            return self._first_sweep()
        if draft.stuck and not largest_step(work.model, draft.largest_penalty) < LARGEST:
            # In float32 such losses are infinite, and look like actions that are not there.
            return self._first_sweep()
        self._set_allowed(draft.scale, draft.stuck, draft.largest_penalty)

        stopped = False
        proved: Certificate | None = None

        def watch(sweeps: int, error: float) -> bool:
            nonlocal stopped
            work.sweeps = sweeps
            now = time.perf_counter()
            line.show(error, self.allowed, now - self.limits.began)
            stopped = self._asked_to_stop(error, now) or now > self.limits.deadline
            return stopped

        try:
            draft.run(first, self.allowed, self.limits.deadline, watch)
            proof = Proof(draft, work)
            lost = proof.rounding / (1.0 - gamma)
            # Stopped early, any bounds will do; the graph in another order may take too long.
            if lost < self.allowed or (stopped and math.isfinite(lost)):
                proved = proof.sweep()
        finally:
            if proved is None:
                work.restart(draft.take())
        return work.sweep() if proved is None else proved

    def _set_allowed(self, largest: float, stuck: int, penalty: float) -> None:
        """Turn the tolerance into an error, or say why it cannot be had."""
        gamma = self.work.model.gamma
        scale, parts = largest / (1.0 - gamma), largest_step(self.work.model, penalty)
        # Actions may be missing because float64 took their losses for infinite.
        if not scale < LARGEST or (stuck and not parts < LARGEST):
            raise InputError(
                "rewards and costs",
                f"so small that no value can exceed {LARGEST:g}",
                f"up to {max(largest, parts):.3g} a step",
                "Give them in larger units.",
            )
        if stuck:
            raise InputError(
                "forbidden_actions or action_mask",
                "such that every state keeps an action that the data has",
                f"{stuck} states without any",
            )
        self.allowed = self.tolerance * scale
        # `largest` may have been computed in float32.
        rounding = FLOAT32_UNIT * (2 * self.work.model.k + 16)
        step = largest + rounding * parts
        self._reach = step / (1.0 - gamma)
        finest = 4.0 * rounding_of_backup(self.work.model, scale, penalty) / (1.0 - gamma)
        if 0.0 < self.allowed < finest:
            raise InputError(
                "tolerance",
                f"at least {finest / scale:.1e} for this MDP and gamma",
                self.tolerance,
                "Float64 cannot certify less.",
            )

    def look_ahead(self, horizon: int) -> Outcome:
        """Return the status and the bounds of a plan for a number of steps.

        Backward induction, V_h = T V_{h-1} from V_0 = 0. Stopped after h of H steps, what is
        missing is at most (gamma^h + ... + gamma^(H-1)) |T 0|, and at most (1 + ... +
        gamma^(H-h-1)) |T V_h - V_h|, of which |T V_h - V_h| <= gamma |V_h - V_{h-1}|.
        """
        work, gamma = self.work, self.work.model.gamma
        gained, rounding, done = 0.0, 0.0, 0
        status: Status = "optimal"
        try:
            with ExitStack() as stack:
                line = _Line(stack)
                while done < horizon:
                    proof = work.sweep(in_place=False) if done else self._first_sweep()
                    gained = gained if done else proof.residual + proof.rounding
                    rounding = proof.rounding + gamma * rounding
                    done += 1
                    line.reach(done / horizon, time.perf_counter() - self.limits.began)
                    if done >= LONG and proof.residual <= proof.rounding:
                        break
                    if done < horizon and (stop := self._limit(proof)):
                        status = stop
                        break
        except KeyboardInterrupt:
            # Some states may be a step further than the others, which the bound allows for.
            status = "interrupted"
            if done == 0:
                proof = self._first_sweep()
                gained, done = proof.residual + proof.rounding, 1
            rounding = proof.rounding + gamma * rounding
        next_change = gamma * proof.residual + proof.rounding
        missing = min(
            gained * sum_of_powers(gamma, done, horizon),
            next_change * sum_of_powers(gamma, 0, horizon - done),
        )
        bound = (missing + rounding) * (1.0 + 1e-12)
        return status, Certificate(bound, bound, proof.residual, proof.rounding)

    def look_far_ahead(self, evaluate: bool, beyond: float) -> Outcome:
        """Return the plan without a horizon for one so long that it makes no difference.

        After H steps |V_H - V*| <= gamma^H |T 0| / (1 - gamma), which is added to the bounds.

        Args:
            evaluate: as of `optimize`.
            beyond: gamma^H.
        """
        self.tolerance *= 1.0 - 2.0 * NEGLIGIBLE
        status, proof = self.optimize(evaluate, None)
        missing = beyond * self._reach * (1.0 + 1e-12)
        below, above = proof.below + missing, proof.above + missing
        return status, replace(proof, below=below, above=above, policy_below=None)

    def _status(self, proof: Certificate, line: _Line) -> Status | None:
        line.show(proof.error, self.allowed, time.perf_counter() - self.limits.began)
        stop = self._limit(proof)
        return "optimal" if proof.error <= self.allowed else stop

    def _limit(self, proof: Certificate) -> Status | None:
        now = time.perf_counter()
        if self._asked_to_stop(proof.error, now):
            return "interrupted"
        if now > self.limits.deadline:
            return "out_of_time"
        return "out_of_sweeps" if self.work.sweeps >= self.limits.max_sweeps else None

    def _asked_to_stop(self, error: float, now: float) -> bool:
        if self.callback is not None and not self._stopped:
            seen = Progress(self.work.sweeps, error, self.allowed, now - self.limits.began)
            self._stopped = bool(self.callback(seen))
        return self._stopped


class _Line:
    """A progress bar for solves that take long: in decades of the error, or steps of a horizon."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack, self._advance, self._shown = stack, None, 0
        self._first = math.nan

    _advance: Advance | None

    def show(self, error: float, allowed: float, seconds: float) -> None:
        if not math.isfinite(self._first):
            self._first = error
        if 0.0 < allowed < self._first < math.inf and error < math.inf:
            share = math.log(self._first / max(error, allowed)) / math.log(self._first / allowed)
            self.reach(share, seconds)

    def reach(self, share: float, seconds: float) -> None:
        if seconds < QUIET_SECONDS or not sys.stderr.isatty():
            return
        if self._advance is None:
            self._advance = self._stack.enter_context(progress("planning", 100))
        percent = max(self._shown, int(100 * share))
        self._advance(percent - self._shown)
        self._shown = percent
