"""The planner on a GPU: the same scheme with Jacobi sweeps, certified by the CPU.

The GPU alternates a sweep over all states and actions with sweeps over the chosen policy's
rows, and looks at a few numbers every `SWEEPS_PER_LOOK` of the latter. When its own sweep
promises the tolerance, the values come back, and one float64 sweep on the CPU proves the
bounds: whatever a GPU, a driver or a kernel got wrong can make a plan slow, never wrong. If
the GPU gets stuck short of the tolerance, the planner of the CPU goes on from there.
"""

from __future__ import annotations

import importlib.util
import math
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..arguments import choice
from ..arrays import Array, Float64
from ..errors import InputError, MissingExtraError
from ..kernels.model import Model
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from ..neighbors.graph import NeighborGraph
from .certificate import Certificate
from .plan import Status
from .task import Outcome, Task, _Line

OLDEST = (7, 0)
"""Compute capability; CUDA 12 and later support no older one."""
SWEEPS_PER_LOOK = 32
EVALUATION_RATIO = 0.1
AIM = 0.8
"""Share of the tolerance that the GPU aims at: the proof adds rounding."""
PATIENCE = 12
WORTHWHILE = 200_000
"""States from which on "auto" takes the GPU."""
UPLOAD_STATES = 1 << 18
BLOCKS, THREADS = 1024, 256
"""Launch: with a stride of the grid, any will do."""


def why_not(objective: Objective) -> str:
    """Return what of the objective a GPU does not do; empty if all is well."""
    if objective.worst_case > 0.0:
        return "worst_case"
    return "" if objective.horizon is None else "horizon"


def pick(device: str, mdp: DacMdp, objective: Objective) -> str:
    """Return "cpu" or "cuda" for what was asked; refuse a GPU that cannot do it.

    Args:
        device: "cpu", "cuda" or "auto".
        mdp: the compiled MDP.
        objective: the question.
    """
    choice("device", device, ("cpu", "cuda", "auto"))
    if device == "cpu":
        return device
    unsupported = why_not(objective)
    if device == "auto":
        wanted = not unsupported and len(mdp) >= WORTHWHILE and _has_extra()
        return "cuda" if wanted and not _unusable(mdp, objective) else "cpu"
    if unsupported:
        raise InputError("device", f"'cpu' for an objective with {unsupported}", repr(device))
    if not _has_extra():
        raise MissingExtraError("numba-cuda", "cuda")
    if reason := _unusable(mdp, objective):
        raise InputError("device", "'cpu' on this machine", f"{device!r}, but {reason}")
    return device


def _has_extra() -> bool:
    return importlib.util.find_spec("numba_cuda") is not None


def _unusable(mdp: DacMdp, objective: Objective) -> str:
    """Return why there is no GPU to use for this; empty if there is one."""
    from numba import cuda

    if not cuda.is_available():
        return "no CUDA GPU or driver was found"
    found = tuple(cuda.get_current_device().compute_capability)
    if found < OLDEST:
        wanted, have = (".".join(map(str, version)) for version in (OLDEST, found))
        return f"the GPU is too old: compute capability {have}, at least {wanted} is needed"
    needed, free = _bytes_needed(mdp, objective), cuda.current_context().get_memory_info()[0]
    if needed > free:
        return f"{needed / 1e9:.2g} GB of its memory are needed, and {free / 1e9:.2g} GB are free"
    return ""


def _bytes_needed(mdp: DacMdp, objective: Objective) -> int:
    """Return how much memory of the GPU a solve takes beyond what it holds already."""
    size, actions, compiled = mdp.graph.indices.shape
    width = (objective.k or compiled) * (actions if objective.slip > 0.0 else 1)
    vectors = 3 * 8 + 4 * 4 + 1 + actions
    needed = (8 * width + vectors) * size
    if mdp.graph not in _GRAPHS:
        needed += 8 * actions * compiled * size + 4 * actions * compiled * UPLOAD_STATES
    return needed


class DeviceGraph(NamedTuple):
    """The neighbour graph on the GPU: [A, K, N] int32 and float32."""

    indices: Any
    distances: Any


_GRAPHS: WeakKeyDictionary[NeighborGraph, DeviceGraph] = WeakKeyDictionary()
"""Graphs stay on the GPU as long as their MDPs live, so a re-plan uploads little."""


class DeviceModel:
    """One MDP under one objective, and its values, on the GPU."""

    def __init__(self, graph: NeighborGraph, model: Model) -> None:
        from numba import cuda

        from ..kernels import cuda as kernels

        self._cuda, self._kernels, self._model = cuda, kernels, model
        size = model.size
        threads = min(THREADS, kernels.THREADS)
        self._launch = (min(BLOCKS, -(-size // threads)), threads)
        self._graph = self._uploaded(graph)
        self._rewards, self._terminal = (
            cuda.to_device(model.rewards),
            cuda.to_device(model.terminal),
        )
        self._allowed, self._penalties = (
            cuda.to_device(model.allowed),
            cuda.to_device(model.penalties),
        )
        self._values: Any = cuda.device_array(size, np.float64)
        self._gains: Any = cuda.device_array(size, np.float64)
        self._residual: Any = cuda.device_array(size, np.float32)
        self._choice: Any = cuda.device_array(size, np.int32)
        self._index: Any = cuda.device_array((model.width, size), np.int32)
        self._weight: Any = cuda.device_array((model.width, size), np.float32)
        self._extremes: Any = cuda.device_array((4, self._launch[0]), np.float64)
        self._changes: Any = cuda.device_array(self._launch[0], np.float64)
        self._step: Any = cuda.device_array(size, np.float32)
        self._next_step: Any = cuda.device_array(size, np.float32)

    def set_values(self, values: Float64) -> None:
        """Go on from these values [N]."""
        self._values.copy_to_device(np.ascontiguousarray(values, np.float64))
        self._step.copy_to_device(np.zeros(self._model.size, np.float32))
        self._advance(self._step)

    def values(self) -> Float64:
        """Return the values [N]."""
        return np.asarray(self._values.copy_to_host())

    def improve(self) -> tuple[float, float]:
        """Find T V - V and the best actions; return the smallest and largest change."""
        model, graph = self._model, self._graph
        self._kernels.improve[self._launch](
            graph.indices, graph.distances, self._rewards, self._terminal, self._allowed,
            self._penalties, model.k, model.uniform, model.cost, model.adaptive, model.slip,
            self._values, self._gains, self._residual, self._choice, self._extremes,
        )  # fmt: skip
        extremes = self._extremes.copy_to_host()
        smallest = float(extremes[self._kernels.SMALLEST].min())
        largest = float(extremes[self._kernels.LARGEST].max())
        return (smallest, largest) if smallest <= largest else (0.0, 0.0)

    def step(self) -> None:
        """Take V to T V."""
        self._advance(self._residual)

    def evaluate(self, target: float) -> int:
        """Move V towards the value of the chosen policy, until a sweep changes it so little.

        In exact arithmetic every sweep changes less than the one before; when it no longer
        does, that is rounding, and the rest is left to the next improvement.

        Returns:
            the number of sweeps over the policy's rows.
        """
        model, graph = self._model, self._graph
        self._kernels.compact[self._launch](
            graph.indices, graph.distances, self._allowed, model.k, model.uniform, model.slip,
            model.gamma, self._choice, self._index, self._weight, self._residual,
        )  # fmt: skip
        self._step.copy_to_device(self._residual)
        sweeps, last = 0, math.inf
        while True:
            for left in range(SWEEPS_PER_LOOK - 1, -1, -1):
                self._kernels.relax[self._launch](
                    self._index, self._weight, self._residual, self._step, self._next_step,
                    self._changes, left == 0,
                )  # fmt: skip
                self._step, self._next_step = self._next_step, self._step
            sweeps += SWEEPS_PER_LOOK
            change = float(self._changes.copy_to_host().max())
            if change <= target or not change < last:
                break
            last = change
        self._advance(self._step)
        return sweeps

    def _advance(self, step: Any) -> None:
        self._kernels.advance[self._launch](
            self._rewards, self._terminal, self._model.gamma, step, self._values, self._gains
        )

    def _uploaded(self, graph: NeighborGraph) -> DeviceGraph:
        if graph not in _GRAPHS:
            _GRAPHS[graph] = DeviceGraph(
                self._columns(graph.indices, np.int32), self._columns(graph.distances, np.float32)
            )
        return _GRAPHS[graph]

    def _columns(self, rows: Array, dtype: Any) -> Any:
        """Return [N, A, K] as [A, K, N] on the GPU, a part at a time."""
        size, actions, k = rows.shape
        result = self._cuda.device_array((actions, k, size), dtype)
        for first in range(0, size, UPLOAD_STATES):
            part = np.ascontiguousarray(rows[first : first + UPLOAD_STATES], dtype)
            on_device = self._cuda.to_device(part)
            self._kernels.columns[self._launch](first, on_device, result)
        return result


class CudaTask(Task):
    """Drives a GPU to the tolerance, or to the first limit."""

    @cached_property
    def _device(self) -> DeviceModel:
        return DeviceModel(self.mdp.graph, self.work.model)

    def _optimize(
        self, evaluate: bool, first: tuple[Float64, Float64] | None, line: _Line
    ) -> Outcome:
        work, device = self.work, self._device
        proof = self._first_sweep()
        self._keep(proof)
        status = self._status(proof, line)
        if status is not None:
            return status, proof
        device.set_values(
            work.values if first is None else np.where(work.model.terminal, 0.0, first[0])
        )
        aim = AIM * self.allowed
        try:
            for _ in range(3):
                stop = self._approach(aim, evaluate)
                work.restart(device.values())
                proof = work.sweep()
                self._keep(proof)
                status = self._status(proof, line)
                if status is not None or stop is not None:
                    return status or stop or "interrupted", self._at_best(proof)
                aim /= 4.0
        except KeyboardInterrupt:
            work.restart(device.values())
            raise
        return super()._optimize(evaluate, (work.values.copy(), work.q_values.copy()), line)

    def _approach(self, aim: float, evaluate: bool) -> Status | None:
        """Plan on the GPU until the next sweep should prove the error; return what ran out."""
        work, device, gamma = self.work, self._device, self.work.model.gamma
        floor = 0.3 * aim * (1.0 - gamma) / max(gamma, 0.1)
        best, waited = math.inf, 0
        while True:
            smallest, largest = device.improve()
            work.sweeps += 1
            residual = max(-smallest, largest)
            enough = gamma * gamma * residual <= aim * (1.0 - gamma)
            waited = 0 if residual < 0.95 * best else waited + 1
            best = min(best, residual)
            if enough or waited >= PATIENCE:
                device.step()
                return None
            if evaluate:
                work.policy_sweeps += device.evaluate(max(EVALUATION_RATIO * residual, floor))
            else:
                device.step()
            if stop := self._ran_out(residual):
                return stop

    def _ran_out(self, residual: float) -> Status | None:
        gamma = self.work.model.gamma
        error = gamma * residual / (1.0 - gamma)
        return self._limit(Certificate(error, error, residual, 0.0))
