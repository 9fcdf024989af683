"""A first guess by a GPU: the same scheme with Jacobi sweeps, certified by the CPU.

The GPU alternates a sweep over all states and actions with sweeps over the chosen policy's rows,
and looks at a few numbers every `sweeps_per_look` of the latter. When its own sweep promises the
tolerance, the values come back, and one float64 sweep on the CPU proves the bounds: whatever a
GPU, a driver or a kernel got wrong can make a plan slow, never wrong. If the GPU gets stuck short
of the tolerance, the loop on the CPU goes on from there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, Float64
from ...kernels.bellman.problem import Problem
from ...mdp.model import DacMdp
from ..certificate import Certificate
from .float32_guess import Start
from .float64_sweeps import Float64Sweeps
from .limits import Watch
from .target import Target

BETTER = 0.95
"""A residual counts as progress if it is smaller than the smallest before by this factor."""


@dataclass(frozen=True)
class CudaTuning:
    """How a GPU is used; nothing here was measured on one yet.

    Attributes:
        oldest: compute capability; CUDA 12 and later support no older one.
        sweeps_per_look: sweeps over a policy's rows between looks at their change.
        evaluation_ratio: a policy is evaluated until a sweep changes values by this share.
        aim: share of the tolerance that the GPU aims at: the proof adds rounding.
        evaluated: change to which policies are evaluated, in parts of what the aim would take.
        patience: sweeps without progress after which the CPU goes on.
        smallest_states: states from which on "auto" takes the GPU.
        upload_states: states whose rows are copied to the GPU at once.
        blocks: of a launch at most; with a stride of the grid, any number will do.
        threads: of a block.
    """

    oldest: tuple[int, int] = (7, 0)
    sweeps_per_look: int = 32
    evaluation_ratio: float = 0.1
    aim: float = 0.8
    evaluated: float = 0.3
    patience: int = 12
    smallest_states: int = 200_000
    upload_states: int = 1 << 18
    blocks: int = 1024
    threads: int = 256


CUDA_TUNING = CudaTuning()


class DeviceGraph(NamedTuple):
    """The neighbour graph on the GPU: [A, K, N] int32 and float32."""

    indices: Any
    distances: Any


class DeviceProblem:
    """One MDP under one objective, and its values, on the GPU."""

    def __init__(self, mdp: DacMdp, problem: Problem, tuning: CudaTuning) -> None:
        from numba import cuda

        from ...kernels.cuda import backup

        self._cuda, self._kernels, self._problem, self._tuning = cuda, backup, problem, tuning
        size = problem.size
        threads = min(tuning.threads, backup.THREADS)
        self._launch = (min(tuning.blocks, -(-size // threads)), threads)
        self._graph = self._uploaded(mdp)
        self._rewards, self._terminal, self._allowed, self._penalties = map(
            cuda.to_device,
            (problem.rewards, problem.terminal, problem.allowed, problem.penalties[0]),
        )
        room: Any = cuda.device_array
        self._values, self._gains = room(size, np.float64), room(size, np.float64)
        self._residual, self._choice = room(size, np.float32), room(size, np.int32)
        self._index = room((problem.width, size), np.int32)
        self._weight = room((problem.width, size), np.float32)
        self._extremes = room((2, self._launch[0]), np.float64)
        self._changes = room(self._launch[0], np.float64)
        self._step, self._next_step = room(size, np.float32), room(size, np.float32)

    def set_values(self, values: Float64) -> None:
        """Go on from these values [N]."""
        self._values.copy_to_device(np.ascontiguousarray(values, np.float64))
        self._step.copy_to_device(np.zeros(self._problem.size, np.float32))
        self._advance(self._step)

    def values(self) -> Float64:
        """Return the values [N]."""
        return np.asarray(self._values.copy_to_host())

    def improve(self) -> tuple[float, float]:
        """Find T V - V and the best actions; return the smallest and largest change."""
        problem, graph = self._problem, self._graph
        self._kernels.improve[self._launch](
            graph.indices, graph.distances, self._rewards, self._terminal, self._allowed,
            self._penalties, problem.k, problem.uniform, problem.cost, problem.adaptive,
            problem.slip, self._values, self._gains, self._residual, self._choice, self._extremes,
        )  # fmt: skip
        extremes = self._extremes.copy_to_host()
        smallest = float(extremes[self._kernels.SMALLEST].min())
        largest = float(extremes[self._kernels.LARGEST].max())
        return (smallest, largest) if smallest <= largest else (0.0, 0.0)

    def step(self) -> None:
        """Take V to T V."""
        self._advance(self._residual)

    def evaluate(self, target: float) -> None:
        """Move V towards the value of the chosen policy, until a sweep changes it by the target.

        In exact arithmetic every sweep changes less than the one before; when it no longer
        does, that is rounding, and the rest is left to the next improvement.
        """
        problem, graph = self._problem, self._graph
        self._kernels.compact[self._launch](
            graph.indices, graph.distances, self._allowed, problem.k, problem.uniform,
            problem.slip, problem.gamma, self._choice, self._index, self._weight, self._residual,
        )  # fmt: skip
        self._step.copy_to_device(self._residual)
        last = math.inf
        while True:
            for left in range(self._tuning.sweeps_per_look - 1, -1, -1):
                self._kernels.relax[self._launch](
                    self._index, self._weight, self._residual, self._step, self._next_step,
                    self._changes, left == 0,
                )  # fmt: skip
                self._step, self._next_step = self._next_step, self._step
            change = float(self._changes.copy_to_host().max())
            if change <= target or not change < last:
                break
            last = change
        self._advance(self._step)

    def _advance(self, step: Any) -> None:
        self._kernels.advance[self._launch](
            self._rewards, self._terminal, self._problem.gamma, step, self._values, self._gains
        )

    def _uploaded(self, mdp: DacMdp) -> DeviceGraph:
        """Return the graph on the GPU, where it stays until the MDP releases it."""
        prepared, graph = mdp.prepared, mdp.graph
        if prepared.device_graph is None:
            prepared.device_graph = DeviceGraph(
                self._columns(graph.indices, np.int32), self._columns(graph.distances, np.float32)
            )
        uploaded: DeviceGraph = prepared.device_graph
        return uploaded

    def _columns(self, rows: Array, dtype: Any) -> Any:
        """Return [N, A, K] as [A, K, N] on the GPU, a part at a time."""
        size, actions, k = rows.shape
        result = self._cuda.device_array((actions, k, size), dtype)
        for first in range(0, size, self._tuning.upload_states):
            part = np.ascontiguousarray(rows[first : first + self._tuning.upload_states], dtype)
            on_device = self._cuda.to_device(part)
            self._kernels.columns[self._launch](first, on_device, result)
        return result


class CudaGuess:
    """Drives a GPU to the tolerance, or to the first limit."""

    def __init__(
        self, mdp: DacMdp, sweeps: Float64Sweeps, evaluate: bool, tuning: CudaTuning = CUDA_TUNING
    ) -> None:
        self._mdp, self._sweeps, self._evaluate, self._tuning = mdp, sweeps, evaluate, tuning

    def run(self, target: Target, start: Start | None, watch: Watch) -> Certificate:
        """Guess, leave the values in the float64 sweeps, and say what one of these proves."""
        sweeps = self._sweeps
        proof = target.first_sweep(sweeps)
        early = watch.look(sweeps.count, proof.error, target.allowed)
        if proof.error <= target.allowed or early is not None:
            return proof
        device = DeviceProblem(self._mdp, sweeps.problem, self._tuning)
        values = sweeps.values if start is None else start[0]
        device.set_values(np.where(sweeps.problem.terminal, 0.0, values))
        try:
            self._approach(device, self._tuning.aim * target.allowed, target, watch)
        finally:
            sweeps.restart(device.values())
        return sweeps.sweep()

    def _approach(self, device: DeviceProblem, aim: float, target: Target, watch: Watch) -> None:
        """Plan on the GPU until the next sweep should prove the error, or a limit is reached."""
        sweeps, tuning, gamma = self._sweeps, self._tuning, self._sweeps.problem.gamma
        floor = tuning.evaluated * tuning.aim * target.change_allowed
        best, waited = math.inf, 0
        while True:
            smallest, largest = device.improve()
            sweeps.count += 1
            residual = max(-smallest, largest)
            enough = gamma * gamma * residual <= aim * (1.0 - gamma)
            waited = 0 if residual < BETTER * best else waited + 1
            best = min(best, residual)
            if enough or waited >= tuning.patience:
                device.step()
                return
            if self._evaluate:
                device.evaluate(max(tuning.evaluation_ratio * residual, floor))
            else:
                device.step()
            error = gamma * residual / (1.0 - gamma)
            if watch.look(sweeps.count, error, target.allowed) is not None:
                return
