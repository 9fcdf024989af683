"""Modified policy iteration: improve and prove, evaluate, repeat.

A sweep over all states and actions improves the values and the policy, and proves bounds
(`certificate`). Then the values are moved towards those of that policy, over the policy's own
rows only and in float32 (`evaluation`). Both repeat until the bounds are as tight as asked. Where
it pays, a guess comes first: in float32 (`float32_guess`) or on a GPU (`cuda_guess`).

For games against the worst neighbour (`worst_case`) this policy iteration (Pollatschek and
Avi-Itzhak's, Newton's method) may cycle. So when the bounds have not improved for a while, only
sweeps are made, ever more of them: each brings the values closer by a factor gamma, whatever
happened before.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..certificate import Certificate
from ..plan import Status
from .float32_guess import Float32Guess, Start
from .float64_sweeps import Float64Sweeps
from .limits import Watch
from .target import Target
from .tuning import Tuning

Ended = tuple[Status, Certificate]
"""How a solve ended, and the bounds that it proved."""
Guess = Callable[[], Float32Guess]
"""Packs the MDP for a guess: when the loop runs, since that may take long or be interrupted."""


class PolicyIteration:
    """Drives float64 sweeps to the target, or to the first limit."""

    def __init__(self, sweeps: Float64Sweeps, target: Target, watch: Watch) -> None:
        self.sweeps, self.target, self.watch = sweeps, target, watch
        self.tuning = sweeps.blocks.tuning
        self._best, self._best_values = math.inf, sweeps.values

    def optimize(self, guess: Guess | None, evaluate: bool, start: Start | None) -> Ended:
        """Return the status and the bounds of a plan without horizon.

        Without a guess it begins with V = 0. Policies are evaluated between the sweeps if
        `evaluate`; `start` is of an earlier plan.
        """
        status: Status = "interrupted"
        try:
            status, proof = self._optimize(guess, evaluate, start)
        except KeyboardInterrupt:
            # Whatever the arrays hold now, one more sweep proves bounds on it.
            self.sweeps.recover()
            if self.target.known:
                proof = self._at_best(self.sweeps.sweep())
            else:
                proof = self.target.first_sweep(self.sweeps)
        return status, self.target.within_reach(proof, self.sweeps.values)

    def _optimize(self, guess: Guess | None, evaluate: bool, start: Start | None) -> Ended:
        sweeps, target = self.sweeps, self.target
        if guess is None:
            proof = target.first_sweep(sweeps)
        else:
            proof, start = guess().run(target, start, self.watch), None
        patience = _Patience(self.tuning)
        while True:
            self._keep(proof)
            status = self.watch.look(sweeps.count, proof.error, target.allowed)
            if proof.error <= target.allowed:
                return "optimal", proof
            if status is not None:
                return status, self._at_best(proof)
            if start is not None:
                # Only now: the proof above is about the values of the first sweep.
                sweeps.restart(start[0])
                sweeps.prefer(start[1])
                start = None
            if patience.may_evaluate(proof.error) and evaluate:
                evaluate = self._evaluate()
                if not evaluate:
                    sweeps.restart(self._best_values)
            proof = sweeps.sweep()

    def _evaluate(self) -> bool:
        """Move the values towards those of the policy; false where float32 cannot hold them."""
        return self.sweeps.evaluate(
            ratio=self.tuning.evaluation_ratio,
            floor=self.tuning.evaluation_floor * self.target.change_allowed,
            ended=self.watch.ended,
        )

    def _keep(self, proof: Certificate) -> None:
        """Keep the values if none better were proved, before anything can end the solve."""
        if self.target.allowed < proof.error < self._best:
            # In this order: Ctrl-C between the two must not claim what was not proved.
            self._best_values, self._best = self.sweeps.values.copy(), proof.error

    def _at_best(self, proof: Certificate) -> Certificate:
        """Return to the best values that were proved, if these are worse: evaluating may stray.

        Where a sweep of either kind changed values by d, a Jacobi sweep after it changes them by
        gamma d at most, and rounding: its bounds are no wider. Not where `max_sweeps` were made.
        """
        if proof.error <= self._best or self.sweeps.count >= self.watch.limits.max_sweeps:
            return proof
        self.sweeps.restart(self._best_values)
        return self.sweeps.sweep(in_place=False)


class _Patience:
    """Tells when policies are left unevaluated for a while, since bounds do not get better."""

    def __init__(self, tuning: Tuning) -> None:
        self._tuning, self._next_pause = tuning, tuning.first_pause
        self._best, self._waited, self._sweeps_only = math.inf, 0, 0

    def may_evaluate(self, error: float) -> bool:
        """Count one more sweep; return whether a policy may be evaluated after it."""
        better = error < self._tuning.better_bounds * self._best
        self._waited = 0 if better else self._waited + 1
        self._best = min(self._best, error)
        if self._waited >= self._tuning.patience:
            self._waited, self._sweeps_only = 0, self._next_pause
            self._next_pause *= 2
        allowed = self._sweeps_only == 0
        self._sweeps_only = max(0, self._sweeps_only - 1)
        return allowed
