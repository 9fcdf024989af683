"""What nodes do in a search over shards; each task goes on where an earlier try of it ended.

A task is about one action, so it makes one tree. Phase 1: the queries of a shard ask the shard
itself. Phase 2: a shard answers queries of other shards whose k-th distance reaches its box.
Phase 3: the answers are merged by (squared distance, row). Squared distances are those of every
exact engine, so the lists have the same bits. One shard alone answers in phase 1.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Float64, Floats, Int32
from ..cluster.files import whole_array, write_array
from ..kernels.knn.distances import NO_ROW
from ..kernels.knn.shards import merge_lists, visits_of
from .index import NO_NEIGHBOR
from .shard_files import FOUND, Block, ShardFiles
from .tree import UNLIMITED, TreeIndex


class _Shard:
    """The rows of a shard that took an action, in a tree."""

    def __init__(self, files: ShardFiles, shard: int, action: int) -> None:
        own = np.flatnonzero(whole_array(files.shard(shard, "actions")) == action)
        self._rows = whole_array(files.shard(shard, "rows"))[own]
        self._tree = TreeIndex(whole_array(files.shard(shard, "source"))[own])

    def find(self, points: Floats, k: int, limits: Float64 = UNLIMITED) -> Array:
        """Return what is nearest [B, k], as `FOUND`; nothing beyond the limits [B]."""
        places, squared = self._tree.query_squared(points, k, limits=limits)
        found = np.empty(places.shape, FOUND)
        found["squared"], found["row"] = squared, NO_NEIGHBOR
        if len(self._rows):
            found["row"] = np.where(places == NO_NEIGHBOR, NO_NEIGHBOR, self._rows[places])
        return found


def load_kernels(dtype: str, k: int) -> None:
    """Search a few rows, so that what a process needs for a real search is in its memory."""
    rows = np.zeros((2 * k, 2), dtype)
    TreeIndex(rows).query_squared(rows, k)


def ask_home(files: ShardFiles, shard: int, action: int) -> None:
    """Phase 1: answer a shard's queries about an action from its rows, and list their visits."""
    points: Floats | None = None
    own: _Shard | None = None
    for block, part in files.blocks(shard, action):
        if files.block(files.first_phase, block).exists():
            continue
        points = whole_array(files.shard(shard, "points")) if points is None else points
        own = own or _Shard(files, shard, action)
        here = np.array(points[part])
        found = own.find(here, files.k)
        if files.shards == 1:
            _write_lists(files, block, found["row"], found["squared"])
            continue
        _write_visits(files, block, here, found["squared"][:, -1].copy())
        # Last: where it is, the others are.
        write_array(files.block("home", block), found)


def _write_lists(files: ShardFiles, block: Block, rows: Int32, squared: Float64) -> None:
    distances = np.sqrt(squared).astype(np.float32)
    write_array(files.block("lists", block), np.stack([rows, distances.view(np.int32)]))


def _write_visits(files: ShardFiles, block: Block, points: Floats, kth: Float64) -> None:
    home, _, action = block
    partition = files.partition()
    boxes = np.array(whole_array(files.of_partition("boxes"))[:, action])
    farthest = np.array(whole_array(files.of_partition("farthest")))
    margins = partition.margins(points, farthest)
    visits, starts = visits_of(partition.coordinates(points), margins, kth, boxes, home)
    write_array(files.block("starts", block), starts)
    write_array(files.block("visits", block), visits)


def visits_to(files: ShardFiles, shard: int, block: Block) -> Int32:
    """Return the places in a block that ask a shard."""
    first, last = whole_array(files.block("starts", block))[shard : shard + 2].tolist()
    return np.array(whole_array(files.block("visits", block))[first:last])


def answer_others(
    files: ShardFiles, shard: int, action: int, blocks: list[tuple[Block, int]]
) -> None:
    """Phase 2: answer what blocks of other shards ask a shard.

    Args:
        files: of the search.
        shard: which.
        action: that they ask about.
        blocks: those that ask it, and the first of their queries in their shard.
    """
    own: _Shard | None = None
    for block, start in blocks:
        target = files.abroad(shard, block)
        if target.exists():
            continue
        own = own or _Shard(files, shard, action)
        places = visits_to(files, shard, block)
        points = whole_array(files.shard(block[0], "points"))[start + places]
        limits = whole_array(files.block("home", block))["squared"][places, -1].copy()
        write_array(target, own.find(points, files.k, limits))


def merge_blocks(files: ShardFiles, blocks: list[tuple[Block, list[int]]]) -> None:
    """Phase 3: merge the answers of shards to each block, by (squared distance, row)."""
    for block, shards in blocks:
        _merge(files, block, shards)


def _merge(files: ShardFiles, block: Block, shards: list[int]) -> None:
    target = files.block("lists", block)
    if target.exists():
        return
    home = whole_array(files.block("home", block))
    found: Int32 = home["row"].copy()
    best: Float64 = home["squared"].copy()
    found[found == NO_NEIGHBOR] = NO_ROW
    for shard in shards:
        answers = whole_array(files.abroad(shard, block))
        places = visits_to(files, shard, block)
        merge_lists(places, answers["row"].copy(), answers["squared"].copy(), found, best)
    found[found == NO_ROW] = NO_NEIGHBOR
    _write_lists(files, block, found, best)
