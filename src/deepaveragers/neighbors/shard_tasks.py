"""What nodes do in a search over shards; each task goes on where an earlier try of it ended.

Phase 1: the queries of a shard ask the shard itself. Phase 2: a shard answers queries of other
shards whose k-th distance reaches its box. Phase 3: the answers are merged by (squared distance,
row). Squared distances are those of every exact engine, so the lists have the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Array, Float64, Floats, Int32
from ..cluster.files import whole_array, write_array
from ..kernels.knn.distances import NO_ROW
from ..kernels.knn.shards import merge_lists, visits_of
from .index import NO_NEIGHBOR
from .shard_files import FOUND, Block, ShardFiles
from .tree import UNLIMITED, TreeIndex


class _Shard:
    """The rows of a shard, and a tree of each action's, made when it is first asked."""

    def __init__(self, files: ShardFiles, shard: int) -> None:
        self._rows = np.array(whole_array(files.shard(shard, "rows")))
        self._source = whole_array(files.shard(shard, "source"))
        self._actions = np.array(whole_array(files.shard(shard, "actions")))
        self._trees: dict[int, tuple[TreeIndex, Int32]] = {}

    def find(self, action: int, points: Floats, k: int, limits: Float64 = UNLIMITED) -> Array:
        """Return what is nearest [B, k], as `FOUND`; nothing beyond the limits [B]."""
        if action not in self._trees:
            own = np.flatnonzero(self._actions == action)
            self._trees[action] = TreeIndex(self._source[own]), self._rows[own]
        tree, rows = self._trees[action]
        places, squared = tree.query_squared(points, k, limits=limits)
        found = np.empty(places.shape, FOUND)
        found["squared"], found["row"] = squared, NO_NEIGHBOR
        if len(rows):
            found["row"] = np.where(places == NO_NEIGHBOR, NO_NEIGHBOR, rows[places])
        return found


def ask_home(files: ShardFiles, shard: int) -> None:
    """Phase 1: answer the queries of a shard from its own rows, and list whom else they ask."""
    points: Floats | None = None
    own: _Shard | None = None
    for block, part in files.blocks(shard):
        if files.block("home", block).exists():
            continue
        points = whole_array(files.shard(shard, "points")) if points is None else points
        own = own or _Shard(files, shard)
        here = np.array(points[part])
        lists = [own.find(action, here, files.k) for action in range(files.num_actions)]
        _write_visits(files, block, here, np.stack([one["squared"][:, -1] for one in lists], 1))
        # Last: where it is, the others are.
        write_array(files.block("home", block), np.stack(lists))


def _write_visits(files: ShardFiles, block: Block, points: Floats, kth: Float64) -> None:
    partition = files.partition()
    boxes = np.array(whole_array(files.of_partition("boxes")))
    farthest = np.array(whole_array(files.of_partition("farthest")))
    lowest, highest = boxes[..., 0, :].min(axis=(1, 2)), boxes[..., 1, :].max(axis=(1, 2))
    around = np.stack([lowest, highest], axis=1)
    visits, starts = visits_of(
        partition.coordinates(points), partition.margins(points, farthest),
        np.ascontiguousarray(kth), boxes, around, block[0],
    )  # fmt: skip
    write_array(files.block("starts", block), starts)
    write_array(files.block("visits", block), visits)


def visits_to(files: ShardFiles, shard: int, block: Block) -> Iterator[tuple[int, Int32]]:
    """Yield (action, places in the block that ask a shard about it)."""
    starts = whole_array(files.block("starts", block))
    visits = whole_array(files.block("visits", block))
    for action in range(files.num_actions):
        first, last = starts[shard * files.num_actions + action :][:2].tolist()
        if last > first:
            yield action, np.array(visits[first:last])


def answer_others(files: ShardFiles, shard: int, blocks: list[tuple[Block, int]]) -> int:
    """Phase 2: answer what blocks of other shards ask a shard; return how many questions.

    Args:
        files: of the search.
        shard: which.
        blocks: those that ask it, and the first of their queries in their shard.
    """
    own: _Shard | None = None
    asked = 0
    for block, start in blocks:
        target = files.abroad(shard, block)
        if target.exists():
            continue
        own = own or _Shard(files, shard)
        points = whole_array(files.shard(block[0], "points"))
        home = whole_array(files.block("home", block))
        answers = []
        for action, places in visits_to(files, shard, block):
            limits = home[action]["squared"][places, -1].copy()
            answers.append(own.find(action, points[start + places], files.k, limits))
            asked += len(places)
        write_array(target, np.concatenate(answers))
    return asked


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
        answers, row = whole_array(files.abroad(shard, block)), 0
        for action, places in visits_to(files, shard, block):
            own = answers[row : row + len(places)]
            row += len(places)
            merge_lists(places, action, own["row"].copy(), own["squared"].copy(), found, best)
    found[found == NO_ROW] = NO_NEIGHBOR
    distances = np.sqrt(best).astype(np.float32)
    write_array(target, np.stack([found, distances.view(np.int32)]))
