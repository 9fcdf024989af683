"""The float32 guess by a GPU: the same packed MDP, with Jacobi sweeps in torch.

Values come back when the GPU's own sweep promises the tolerance, or when float32 gets no further.
The CPU then proves the bounds: whatever a GPU, a driver or a library got wrong can make a plan
slow, never wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...kernels.bellman.sweep_state import set_both_halves, states_at
from ...kernels.cuda.operator import DeviceGraph, DeviceProblem
from .float32_guess import Float32Guess, Start
from .float64_sweeps import Float64Sweeps
from .limits import Watch
from .target import Target


@dataclass(frozen=True)
class CudaTuning:
    """How a GPU is used; nothing here was measured on one yet.

    Attributes:
        device: torch's name of it.
        oldest: compute capability.
        sweeps_per_look: sweeps over a policy's rows between looks at their change.
        evaluation_ratio: a policy is evaluated until a sweep changes values by this share.
        patience: sweeps without progress after which the CPU goes on.
        smallest_states: states from which on "auto" takes the GPU.
    """

    device: str = "cuda"
    oldest: tuple[int, int] = (7, 0)
    sweeps_per_look: int = 32
    evaluation_ratio: float = 0.1
    patience: int = 12
    smallest_states: int = 200_000


CUDA_TUNING = CudaTuning()


class CudaGuess(Float32Guess):
    """Improves and evaluates policies on a GPU, to the tolerance or to the first limit."""

    def __init__(self, sweeps: Float64Sweeps, *, evaluate: bool, cuda_tuning: CudaTuning) -> None:
        super().__init__(sweeps)
        self._evaluate, self._cuda = evaluate, cuda_tuning

    def _uploaded(self) -> DeviceGraph:
        """Return the packed MDP on the GPU, where it stays until the MDP releases it."""
        import torch

        prepared = self._sweeps.order.prepared
        there = prepared.device_graph
        if there is None or there.of is not self._packed.successors:
            prepared.device_graph = None  # Its memory is free before the next one takes some.
            states, actions, k = self._packed.weight.shape
            room, device = (actions, states, k), self._cuda.device
            there = DeviceGraph(
                of=self._packed.successors,
                successors=torch.empty(room, dtype=torch.int32, device=device),
                weight=torch.empty(room, dtype=torch.float32, device=device),
            )
            at = states_at(self._packed.place, states)
            for action in range(actions):
                successors = at[self._packed.successors[::-1, action]]
                there.successors[action] = torch.from_numpy(successors)
                there.weight[action] = torch.from_numpy(self._packed.weight[::-1, action].copy())
            prepared.device_graph = there
        return there

    def on_device(self) -> DeviceProblem:
        """Return the problem on the GPU, its states by position."""
        import torch

        reward = torch.from_numpy(self._reward[::-1].copy()).to(self._cuda.device)
        return DeviceProblem(self._uploaded(), reward, self._problem.gamma, self._problem.slip)

    def _iterate(self, target: Target, start: Start | None, watch: Watch) -> bool:
        """Improve until the estimated error is allowed, or float32 ends; whether it was stopped."""
        import torch

        problem, device, size = self._problem, self._cuda.device, self._problem.size
        first = self._values[size:].copy() if start is None else start[0].astype(np.float32)
        first[problem.terminal] = 0.0
        values = torch.from_numpy(first).to(device)
        there = self.on_device()
        enough = self._tuning.guess_enough * target.change_allowed
        best, waited = math.inf, 0
        try:
            while waited < self._cuda.patience:
                q_values = there.action_values(values)
                choice = q_values.argmax(1)
                improved = there.state_values(q_values, choice)
                change = float((improved - values).abs().max())
                values = improved
                self._sweeps.count += 1
                waited = 0 if change < self._tuning.progress_ratio * best else waited + 1
                best = min(best, change)
                error = change * problem.gamma / (1.0 - problem.gamma)
                if watch.look(self._sweeps.count, error, target.allowed) is not None:
                    return True
                if change <= enough:
                    break
                if self._evaluate:
                    floor = self._tuning.evaluation_floor * target.change_allowed
                    aim = max(self._cuda.evaluation_ratio * change, floor)
                    values = self._follow_policy(there.sweeps_of(choice), values, aim)
            return False
        finally:
            set_both_halves(self._values, self._packed.place, values.cpu().numpy())

    def _follow_policy(self, sweep: Any, values: Any, aim: float) -> Any:
        """Return values after sweeps over a policy's rows, until one changes them by the aim.

        In exact arithmetic every sweep changes less than the one before; when it no longer
        does, that is rounding, and the rest is left to the next improvement.
        """
        last = math.inf
        while True:
            for _ in range(self._cuda.sweeps_per_look):
                before, values = values, sweep(values)
            change = float((values - before).abs().max())
            if change <= aim or not change < last:
                return values
            last = change
