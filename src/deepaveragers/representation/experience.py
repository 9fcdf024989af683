"""What training reads: columns that can be indexed by rows, a batch at a time.

`Transitions` is one. So is any record whose observations are made on the fly, such as
stacked frames of which each is stored once.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from ..arrays import Array, Bool, Float64, Int32


class Columns(Protocol):
    """Observations [N, ...]: a length, a shape, a type, and rows by slice or by number."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape, rows first."""

    @property
    def dtype(self) -> Any:
        """Type of an entry."""

    def __len__(self) -> int:
        """Number of rows."""

    def __getitem__(self, rows: Any, /) -> Array:
        """Return the rows."""


@runtime_checkable
class Experience(Protocol):
    """A dataset of transitions as training reads it; see `Transitions` for the fields."""

    @property
    def observations(self) -> Columns:
        """[N, ...] s."""

    @property
    def next_observations(self) -> Columns:
        """[N, ...] s'."""

    @property
    def actions(self) -> Int32:
        """[N] in 0..A-1."""

    @property
    def rewards(self) -> Float64:
        """[N]."""

    @property
    def terminations(self) -> Bool:
        """[N]."""

    @property
    def num_actions(self) -> int:
        """Number of actions (A)."""

    def __len__(self) -> int:
        """Number of transitions."""
