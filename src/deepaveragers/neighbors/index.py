"""The protocol that every neighbour engine keeps.

An index holds the rows of one set of points. A query returns the k nearest rows of each
query point, ordered by (distance, row number), so that equal distances have one answer
whatever the engine. Final distances are computed in float64 from the rows themselves,
dimension after dimension: the shortcut |x|^2 - 2xy + |y|^2 loses the small distances
that decide the weights. With fewer than k rows the answer is filled up with
(`NO_NEIGHBOR`, inf).
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ..arrays import Float64, Floats, Int32

NO_NEIGHBOR = -1
"""Stands for a row where there are fewer than k; its distance is inf."""


@runtime_checkable
class NeighborIndex(Protocol):
    """The nearest rows of a fixed set of points."""

    @property
    def size(self) -> int:
        """Number of rows indexed."""

    def query(self, points: Floats, k: int, *, threads: int = 1) -> tuple[Int32, Float64]:
        """Return rows [B, k] int32 and distances [B, k] float64 for points [B, D]."""
