"""The Bellman operator over a packed MDP on a GPU, by PyTorch: Jacobi sweeps in float32.

The same code runs on a CPU, where the tests compare it with the specification.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...arrays import Int32


class DeviceGraph(NamedTuple):
    """The graph of a packed MDP on the GPU.

    Attributes:
        of: [N, A, k] int32, the successors that it was made of.
        successors: [A, N, k] int32, states.
        weight: [A, N, k] float32.
    """

    of: Int32
    successors: Any
    weight: Any


class DeviceProblem:
    """One MDP under one objective, on the GPU."""

    def __init__(self, graph: DeviceGraph, reward: Any, gamma: float, slip: float) -> None:
        self._successors, self._weight, self._reward = graph.successors, graph.weight, reward
        self._gamma, self._slip = gamma, slip

    def action_values(self, values: Any) -> Any:
        """Return Q [N, A]; -inf where an action is not available."""
        found = self._reward.clone()
        for action, (successors, weight) in enumerate(zip(self._successors, self._weight)):
            found[:, action] += self._gamma * _average(values, successors, weight)
        return found

    def state_values(self, q_values: Any, choice: Any) -> Any:
        """Return V [N] of a policy [N]."""
        values = q_values.gather(1, choice[:, None])[:, 0]
        if self._slip == 0.0:
            return values
        available = q_values.isfinite()
        mean = q_values.where(available, 0.0).sum(1) / available.sum(1)
        return (1.0 - self._slip) * values + self._slip * mean

    def sweeps_of(self, choice: Any) -> Any:
        """Return the function that takes values [N] to those after a sweep over a policy's rows."""
        if self._slip > 0.0:
            return lambda values: self.state_values(self.action_values(values), choice)
        rows = choice[None, :, None].expand(1, *self._weight.shape[1:])
        successors, weight = (part.gather(0, rows)[0] for part in (self._successors, self._weight))
        reward = self._reward.gather(1, choice[:, None])[:, 0]
        return lambda values: reward + self._gamma * _average(values, successors, weight)


def _average(values: Any, successors: Any, weight: Any) -> Any:
    """Return [N] the weighted mean of values at successors [N, k]."""
    return (weight * values.index_select(0, successors.reshape(-1)).view_as(weight)).sum(1)
