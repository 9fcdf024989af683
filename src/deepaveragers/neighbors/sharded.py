"""The neighbour graph on a cluster: exact, in two phases over shards, resumable.

The sources are shared out by a k-d partition (`partition`). A task is a shard's answers about one
action; one shard is enough where actions keep all processors busy. A core state asks the shard
that it falls into, and then every shard whose box, for an action, is nearer than the k-th distance
found. Answers are merged by (squared distance, row), so the graph has the same bits as one
machine's, whatever the shards. Blocks of core states are files (`shard_files`): a killed driver,
worker or node costs no block that was done. The driver holds the features and the graph.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import shown
from ..arrays import Float32, Floats, Int32, Int64, frozen
from ..cluster.files import whole_array, write_array, write_text
from ..cluster.tasks import Workers
from ..cluster.watching import watched
from ..cluster.work_dir import requested, workers
from ..errors import InputError
from .checkpoint import fingerprint
from .duplicates import group_identical, groups_in_order, write_lists
from .features import Features
from .graph import NO_NEIGHBOR, NeighborGraph, SearchReport, room_for_lists
from .partition import CELLS, Partition, boxes_of, in_shards, make_partition
from .shard_files import PHASES, Block, ShardFiles
from .shard_tasks import answer_others, ask_home, load_kernels, merge_blocks
from .shard_tuning import SHARD_TUNING, ShardTuning

VERSION = 3
"""Of the files: others are not gone on with."""
READY = "ready.json"


def cluster_options(cluster: object, work_dir: object, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a search on a cluster; those of one machine's are refused."""
    place = requested(cluster, work_dir)
    here = {"engine": ("auto", "tree"), "allow_approximate": (False,)}
    for name, value in options.items():
        if name != "show_progress" and value not in here.get(name, (None,)):
            parameter = "neighbors" if name == "engine" else name
            raise InputError(parameter, "left alone where cluster is given", shown(value))
    return {**place, "show_progress": options["show_progress"]}


def build_graph_on_cluster(
    features: Features,
    actions: Int32,
    num_actions: int,
    k: int,
    *,
    cluster: str,
    work_dir: str | os.PathLike[str],
    show_progress: bool | None = None,
    tuning: ShardTuning = SHARD_TUNING,
) -> NeighborGraph:
    """Return the same graph as `search.build_graph`, searched by the nodes of a cluster.

    Args:
        features: representation of the states that transitions start from and lead to.
        actions: [N] which action each transition took.
        num_actions: A.
        k: neighbours per state and action.
        cluster: "auto" or an address; see `cluster.session`.
        work_dir: a folder that all nodes see; the same search goes on from there.
        show_progress: None shows a bar on a terminal only.
        tuning: how the search is shared out.
    """
    begin = time.perf_counter()
    asked = fingerprint(features.source, features.core, actions), num_actions, k, VERSION
    name = fingerprint(np.frombuffer(repr(asked).encode(), np.uint8))[:16]
    folder = Path(work_dir).absolute() / f"neighbours-{name}"
    members, starts = group_identical(features.core)
    with workers(cluster, folder) as hired:
        ready = folder / READY
        if ready.exists():
            shards = json.loads(ready.read_text())["shards"]
        else:
            shards = tuning.shards_for(np.bincount(actions, minlength=num_actions), hired.cpus)
        files = ShardFiles(folder, shards, tuning.block_states, num_actions, k)
        if not ready.exists():
            hired.warm_up(load_kernels, features.source.dtype.str, k)
            _share_out(files, features, actions, members[starts[:-1]].astype(np.int64))
        search = _Search(files, hired, show_progress)
        search.run()
        notes = search.notes()
    graph = _assembled(files, search.blocks, members, starts, len(features.core), tuning)
    took = time.perf_counter() - begin
    return NeighborGraph(*graph, SearchReport("tree", 1.0, took, 0, notes))


def _share_out(files: ShardFiles, features: Features, actions: Int32, distinct: Int64) -> None:
    """Write the partition and every shard's rows and queries.

    The queries are in the order of the cells: those of a block lie together, and find the same
    leaves of a tree in the processor's cache.
    """
    shards = files.shards
    for phase in ("partition", *PHASES):
        (files.folder / phase).mkdir(parents=True, exist_ok=True)
    for shard in range(shards):
        files.shard(shard, "").parent.mkdir(parents=True, exist_ok=True)
    partition = make_partition(features.source, shards)
    for name in ("mean", "directions", "axes", "cuts"):
        write_array(files.of_partition(name), getattr(partition, name))
    order, cell_starts = in_shards(partition.cell_of(features.core[distinct]), shards * CELLS)
    write_array(files.of_partition("order"), order)
    starts = cell_starts[::CELLS]
    for shard in range(shards):
        here = distinct[order[starts[shard] : starts[shard + 1]]]
        write_array(files.shard(shard, "points"), features.core[here])
    _write_rows(files, partition, features.source, actions)
    # Last: where it is, the others are.
    write_text(files.folder / READY, json.dumps({"shards": shards}))


def _write_rows(files: ShardFiles, partition: Partition, source: Floats, actions: Int32) -> None:
    """Write every shard's rows and, where there are several, the boxes by which they are asked."""
    if files.shards == 1:
        _write_shard(files, 0, np.arange(len(actions)), source, actions)
        return
    cells = partition.cell_of(source)
    rows, starts = in_shards(cells // CELLS, files.shards)
    boxes, farthest = [], []
    for shard in range(files.shards):
        own = rows[starts[shard] : starts[shard + 1]]
        here, taken = source[own], actions[own]
        box, norm = boxes_of(partition, here, taken, cells[own] % CELLS, files.num_actions)
        boxes.append(box)
        farthest.append(norm)
        _write_shard(files, shard, own, here, taken)
    write_array(files.of_partition("boxes"), np.stack(boxes))
    write_array(files.of_partition("farthest"), np.array(farthest))


def _write_shard(files: ShardFiles, shard: int, own: Int64, source: Floats, actions: Int32) -> None:
    write_array(files.shard(shard, "rows"), own.astype(np.int32))
    write_array(files.shard(shard, "source"), source)
    write_array(files.shard(shard, "actions"), actions.astype(np.int32))


class _Search:
    """The three phases; what is done already is left out."""

    def __init__(self, files: ShardFiles, hired: Workers, show_progress: bool | None) -> None:
        self._files, self._workers, self._show = files, hired, show_progress
        self.blocks: list[tuple[Block, slice]] = [
            one
            for shard in range(files.shards)
            for action in range(files.num_actions)
            for one in files.blocks(shard, action)
        ]
        self._visits = 0
        self._asked = files.shards == 1  # whether the visits are known

    def run(self) -> None:
        """Search all blocks whose lists are not there."""
        files = self._files
        if any(not files.block("lists", block).exists() for block, _ in self.blocks):
            self._ask_home()
            if files.shards > 1:
                self._merge(self._answer_others())
                self._asked = True
        for phase in ("home", "visits", "starts", "abroad"):
            shutil.rmtree(files.folder / phase, ignore_errors=True)

    def notes(self) -> tuple[str, ...]:
        """Return how it was shared out."""
        queries = sum(part.stop - part.start for _, part in self.blocks)
        asked = self._visits / max(1, queries)
        retried, shards = self._workers.retried, self._files.shards
        return (
            f"{shards} shard{'s' * (shards > 1)} on a cluster of {self._workers.cpus} processors",
            *((f"{1 + asked:.2f} shards asked a query and action",) if self._asked else ()),
            *((f"{retried} tasks tried again",) if retried else ()),
        )

    def _ask_home(self) -> None:
        files, phase = self._files, self._files.first_phase
        waiting = {
            (shard, action)
            for shard, number, action in (block for block, _ in self.blocks)
            if not files.block(phase, (shard, number, action)).exists()
        }
        tasks = sorted(waiting, key=lambda one: (-files.queries(one[0]), one))
        with watched("at home", self._targets(phase), self._show) as look:
            self._workers.map(
                ask_home, [(files, *task) for task in tasks], "neighbours at home", look=look
            )

    def _targets(self, phase: str) -> dict[Path, int]:
        """Return the files of a phase, and how many queries each is of."""
        return {self._files.block(phase, b): part.stop - part.start for b, part in self.blocks}

    def _answer_others(self) -> dict[Block, list[int]]:
        """Return which shards answered each block."""
        files, visited = self._files, dict[Block, list[int]]()
        targets: dict[Path, int] = {}
        waiting: dict[tuple[int, int], list[tuple[Block, int]]] = {}
        for block, part in self.blocks:
            counts = np.diff(whole_array(files.block("starts", block)))
            self._visits += int(counts.sum())
            visited[block] = np.flatnonzero(counts).tolist()
            for shard in visited[block]:
                target = files.abroad(shard, block)
                targets[target] = int(counts[shard])
                if not target.exists():
                    waiting.setdefault((shard, block[2]), []).append((block, part.start))
        for shard, _ in waiting:
            (files.folder / "abroad" / f"{shard:04d}").mkdir(exist_ok=True)
        tasks = [(files, *who, asking) for who, asking in waiting.items()]
        with watched("elsewhere", targets, self._show) as look:
            self._workers.map(answer_others, tasks, "neighbours elsewhere", look=look)
        return visited

    def _merge(self, visited: dict[Block, list[int]]) -> None:
        files = self._files
        waiting = [b for b, _ in self.blocks if not files.block("lists", b).exists()]
        groups = [
            waiting[first :: 4 * self._workers.cpus] for first in range(4 * self._workers.cpus)
        ]
        tasks = [(files, [(block, visited[block]) for block in group]) for group in groups if group]
        with watched("merging", self._targets("lists"), self._show) as look:
            self._workers.map(merge_blocks, tasks, "merging neighbours", look=look)


def _assembled(
    files: ShardFiles,
    blocks: list[tuple[Block, slice]],
    members: Int32,
    starts: Int32,
    size: int,
    tuning: ShardTuning,
) -> tuple[Int32, Float32]:
    """Return indices and distances [N, A, K] of all blocks, for all copies of a state."""
    shape = size, files.num_actions, files.k
    order = whole_array(files.of_partition("order"))
    members, starts = groups_in_order(members, starts, order)
    if 8 * int(np.prod(shape)) <= tuning.most_in_memory:
        indices, distances = room_for_lists(*shape)
    else:
        create = np.lib.format.open_memmap
        indices = create(files.folder / "indices.npy", "w+", np.dtype(np.int32), shape)
        distances = create(files.folder / "distances.npy", "w+", np.dtype(np.float32), shape)
    indices[:], distances[:] = NO_NEIGHBOR, np.inf
    before = np.append(0, np.cumsum([files.queries(shard) for shard in range(files.shards)]))
    for block, part in sorted(blocks, key=lambda one: one[0]):  # a block's states, all actions
        rows, bits = whole_array(files.block("lists", block))
        begin = before[block[0]] + part.start
        groups = members, starts[begin : begin + part.stop - part.start + 1]
        gaps = np.array(bits).view(np.float32)
        write_lists(*groups, block[2], np.array(rows), gaps, indices, distances)
    return frozen(indices), frozen(distances)
