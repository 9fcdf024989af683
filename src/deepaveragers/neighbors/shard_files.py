"""The files of a search over shards, and what is in them.

    partition/{mean,directions,axes,cuts,boxes,farthest}.npy
    partition/order.npy         [U] int64, distinct core states in the order of the shards
    shards/0003/rows.npy        [n] int32, numbers of its source rows, ascending
    shards/0003/{source,actions}.npy     their features and actions
    shards/0003/points.npy      [m, D] features of the core states at home here
    home/0003-00007.npy         what block 7 of its queries found at home: (row, squared) [A, B, K]
    visits/0003-00007.npy       [M] int32, places in the block that ask other shards
    starts/0003-00007.npy       [P * A + 1] int64, where the visits of (shard, action) begin
    abroad/0012/0003-00007.npy  what those found in shard 12: (row, squared) [m, K]
    lists/0003-00007.npy        merged: int32 [2, A, B, K], rows and distances (float32 bits)

Every file is written by rename, and is the same whoever writes it.
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
Block: TypeAlias = tuple[int, int]
"""A shard, and the number of a block of its queries."""


@dataclass(frozen=True)
class ShardFiles:
    """The folder of one search over shards, as every node sees it.

    Attributes:
        folder: where.
        block_states: queries of a block.
        num_actions: A.
        k: neighbours.
    """

    folder: Path
    block_states: int
    num_actions: int
    k: int

    def block(self, phase: str, block: Block) -> Path:
        """Return the file of a block in one of the `PHASES`."""
        return self.folder / phase / f"{block[0]:04d}-{block[1]:05d}.npy"

    def abroad(self, shard: int, block: Block) -> Path:
        """Return the file of what a block found in another shard."""
        return self.folder / "abroad" / f"{shard:04d}" / f"{block[0]:04d}-{block[1]:05d}.npy"

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

    def blocks(self, shard: int) -> list[tuple[Block, slice]]:
        """Return the blocks of a shard's queries, and which of them each has."""
        size = len(whole_array(self.shard(shard, "points")))
        step = self.block_states
        return [
            ((shard, number), slice(start, min(start + step, size)))
            for number, start in enumerate(range(0, size, step))
        ]
