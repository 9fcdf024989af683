"""The files of a search over shards, and what is in them.

    partition/{mean,directions,axes,cuts,boxes,farthest}.npy
    partition/order.npy         [U] int64, distinct core states in the order of the cells
    shards/0003/rows.npy        [n] int32, numbers of its source rows, ascending
    shards/0003/{source,actions}.npy     their features and actions
    shards/0003/points.npy      [m, D] features of the core states at home here
    home/0003-00007-02.npy      what block 7 of its queries found at home of action 2:
                                (row, squared) [B, K]
    visits/0003-00007-02.npy    [M] int32, places in the block that ask other shards
    starts/0003-00007-02.npy    [P + 1] int64, where the visits of each shard begin
    abroad/0012/0003-00007-02.npy    what those found in shard 12: (row, squared) [m, K]
    lists/0003-00007-02.npy     merged: int32 [2, B, K], rows and distances (float32 bits)

Every file is written by rename, and is the same whoever writes it. A search with one shard has
lists alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ..cluster.files import whole_array
from .partition import Partition

FOUND = np.dtype([("row", "<i4"), ("squared", "<f8")])
PHASES = ("home", "visits", "starts", "abroad", "lists")
Block: TypeAlias = tuple[int, int, int]
"""A shard, the number of a block of its queries, and the action that they ask about."""


@dataclass(frozen=True)
class ShardFiles:
    """The folder of one search over shards, as every node sees it.

    Attributes:
        folder: where.
        shards: P.
        block_states: queries of a block.
        num_actions: A.
        k: neighbours.
    """

    folder: Path
    shards: int
    block_states: int
    num_actions: int
    k: int

    @property
    def first_phase(self) -> str:
        """The files that shards write about their own queries."""
        return "home" if self.shards > 1 else "lists"

    def block(self, phase: str, block: Block) -> Path:
        """Return the file of a block in one of the `PHASES`."""
        return self.folder / phase / _name(block)

    def abroad(self, shard: int, block: Block) -> Path:
        """Return the file of what a block found in another shard."""
        return self.folder / "abroad" / f"{shard:04d}" / _name(block)

    def shard(self, shard: int, name: str) -> Path:
        """Return a file of a shard."""
        return self.folder / "shards" / f"{shard:04d}" / f"{name}.npy"

    def of_partition(self, name: str) -> Path:
        """Return a file of the partition."""
        return self.folder / "partition" / f"{name}.npy"

    def partition(self) -> Partition:
        """Return the partition that is stored."""
        names = ("mean", "directions", "axes", "cuts")
        return Partition(*(whole_array(self.of_partition(name)).copy() for name in names))

    def queries(self, shard: int) -> int:
        """Return how many queries are at home in a shard."""
        return len(whole_array(self.shard(shard, "points")))

    def blocks(self, shard: int, action: int) -> list[tuple[Block, slice]]:
        """Return the blocks of a shard's queries about an action, and which of them each has."""
        size, step = self.queries(shard), self.block_states
        return [
            ((shard, number, action), slice(start, min(start + step, size)))
            for number, start in enumerate(range(0, size, step))
        ]


def _name(block: Block) -> str:
    shard, number, action = block
    return f"{shard:04d}-{number:05d}-{action:02d}.npy"
