"""Encoding observations by a network on the nodes of a cluster, block by block.

A block has whole batches, so that the network sees what it would see on one machine: on machines
of one kind the features have the same bits. Processors of different kinds may round differently.

    encoding-<digest>/encoder.safetensors           the network
    encoding-<digest>/inputs/1-00003-<array>.npy    block 3 of the second column, until all is done
    encoding-<digest>/features/1-00003.npy          [B, D] float32
"""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ..arrays import Array, Float32
from ..cluster.files import whole_array, write_array
from ..cluster.watching import watched
from ..cluster.work_dir import workers
from ..data.digest import digest_of
from ..data.frame_stacks import FrameStacks, stacks_or_none, without_unused
from .network_encoder import BATCH, NetworkEncoder
from .network_files import load_encoder, pack_network, save_encoder

MOST_ROWS = 65_536
"""Of a block; a multiple of `BATCH`. Some seconds of a small network."""
MOST_BYTES = 256 << 20
"""Of a block's observations."""
Block: TypeAlias = tuple[int, int]
"""Which of the columns, and the number of the block in it."""


def encodes_on_nodes(encoder: object) -> bool:
    """Whether nodes can encode: with a network on the CPU, not with code of the caller's.

    Standardising takes less time than handing observations over.
    """
    return isinstance(encoder, NetworkEncoder) and encoder.device == "cpu"


@dataclass(frozen=True)
class EncodingFiles:
    """The folder of one encoding, as every node sees it.

    Attributes:
        folder: where.
        rows: of a block.
        stack: frames of a stack, where observations are made of frames; else 0.
    """

    folder: Path
    rows: int
    stack: int

    @property
    def network(self) -> Path:
        """The file of the network."""
        return self.folder / "encoder.safetensors"

    def features(self, block: Block) -> Path:
        """Return the file of a block's features."""
        return self.folder / "features" / f"{_name(block)}.npy"

    def input(self, block: Block, name: str) -> Path:
        """Return a file of a block's observations."""
        return self.folder / "inputs" / f"{_name(block)}-{name}.npy"

    def write_input(self, block: Block, observations: Array) -> None:
        """Write the observations of a block."""
        own = slice(block[1] * self.rows, (block[1] + 1) * self.rows)
        stacks = stacks_or_none(observations)
        if stacks is None:
            write_array(self.input(block, "rows"), np.ascontiguousarray(observations[own]))
            return
        needed = without_unused(stacks.at(own), stacks.at(own))[0]
        for name in ("frames", "places", "starts"):
            write_array(self.input(block, name), getattr(needed, name))

    def read_input(self, block: Block) -> Any:
        """Return the observations of a block."""
        if not self.stack:
            return whole_array(self.input(block, "rows"))
        frames, places, starts = (
            whole_array(self.input(block, name)) for name in ("frames", "places", "starts")
        )
        return FrameStacks(frames, places, starts, self.stack)


def _name(block: Block) -> str:
    return f"{block[0]}-{block[1]:05d}"


def encode_on_cluster(
    encoder: NetworkEncoder,
    columns: Sequence[Array],
    *,
    cluster: str,
    work_dir: str | os.PathLike[str],
    show_progress: bool | None = None,
) -> list[Float32]:
    """Return the features [N, D] of each column of observations, encoded by nodes.

    Args:
        encoder: the network; see `encodes_on_nodes`.
        columns: observations [N, ...], all of one kind.
        cluster: "auto" or an address; see `cluster.session`.
        work_dir: a folder that all nodes see; the same encoding goes on from there.
        show_progress: None shows a bar on a terminal only.
    """
    settings, weights = pack_network(encoder)
    asked = digest_of((*weights.values(), *columns), json.dumps([settings, list(weights)]))
    folder = Path(work_dir).absolute() / f"encoding-{asked[:16]}"
    stacks = stacks_or_none(columns[0])
    files = EncodingFiles(folder, rows_of_blocks(columns[0]), stacks.size if stacks else 0)
    sizes = {
        (place, number): min(files.rows, len(column) - number * files.rows)
        for place, column in enumerate(columns)
        for number in range(math.ceil(len(column) / files.rows))
    }
    for name in ("inputs", "features"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    waiting = [block for block in sizes if not files.features(block).exists()]
    if waiting:
        save_encoder(encoder, files.network)
        targets = {files.features(block): size for block, size in sizes.items()}
        with workers(cluster, folder) as hired:
            for block in waiting:
                files.write_input(block, columns[block[0]])
            with watched("encode", targets, show_progress) as look:
                tasks = [(files, block) for block in waiting]
                hired.map(encode_block, tasks, "encoding observations", look=look)
    shutil.rmtree(folder / "inputs", ignore_errors=True)
    return [_gathered(files, place, len(column)) for place, column in enumerate(columns)]


def rows_of_blocks(observations: Array) -> int:
    """Return the rows of a block: whole batches, neither too many nor too large."""
    size = math.prod(observations.shape[1:]) * observations.dtype.itemsize
    return min(MOST_ROWS, max(1, MOST_BYTES // max(1, size * BATCH)) * BATCH)


def encode_block(files: EncodingFiles, block: Block) -> None:
    """Encode a block, on a node."""
    target = files.features(block)
    if not target.exists():
        encoder = load_encoder(files.network)
        write_array(target, encoder.encode(files.read_input(block), show_progress=False))


def _gathered(files: EncodingFiles, place: int, size: int) -> Float32:
    features: Float32 | None = None
    for number, start in enumerate(range(0, size, files.rows)):
        part = whole_array(files.features((place, number)))
        if features is None:
            features = np.empty((size, part.shape[1]), np.float32)
        features[start : start + len(part)] = part
    assert features is not None
    return features
