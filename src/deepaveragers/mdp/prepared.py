"""What depends on the graph alone: made by the first plan of an MDP, used by the next ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arrays import Array, Float32, Float64, Int32

if TYPE_CHECKING:  # kernels load numba
    from ..kernels.bellman.packed import Packed


@dataclass(frozen=True, eq=False)
class PackedMdp:
    """The packed MDP, and what it was made for.

    Attributes:
        packed: the arrays.
        uniform: whether all neighbours count alike.
        farthest: the largest distance.
        rewards: [N] float64, by position.
    """

    packed: Packed
    uniform: bool
    farthest: float
    rewards: Float64

    @property
    def k(self) -> int:
        """Neighbours that are averaged."""
        return self.packed.successors.shape[2]

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        return sum(array.nbytes for array in self.packed) + self.rewards.nbytes


@dataclass(eq=False)
class Prepared:
    """Owned by a `DacMdp`; `release` frees it.

    Attributes:
        order: [N] int32, the state at each position; empty if that is its number, None before the
            first plan.
        graph: indices and distances [N, A, K] by position; None before a plan needs them.
        packed: the last packed MDP.
        device_graph: the last packed MDP on a GPU.
    """

    order: Int32 | None = None
    graph: tuple[Int32, Float32] | None = None
    packed: PackedMdp | None = None
    device_graph: Any = None

    @property
    def nbytes(self) -> int:
        """Memory in bytes, that of a GPU not counted."""
        arrays: list[Array] = [] if self.order is None else [self.order]
        arrays += [] if self.graph is None else self.graph
        packed = 0 if self.packed is None else self.packed.nbytes
        return sum(array.nbytes for array in arrays) + packed

    def release(self) -> None:
        """Free all of it; the next plan makes it again."""
        self.order = self.graph = self.packed = self.device_graph = None
