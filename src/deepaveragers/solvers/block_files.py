"""The files of a plan that is made in blocks, and what nodes do with them.

    rewards.npy                       [N] float64
    blocks/003/{indices,distances,terminal,allowed,penalties}.npy      of its states
    values/00017.npy                  [N] float64, V at the beginning of round 17
    swept/00017-003.npy               [2, n] float64: Z after its first sweep, and after all
    q_values/003.npy                  [n, A] float64, of the first sweep of the last round
    mixing/{4-result,4-change}.npy    [N] float64, a round's result and what it changed
    state.json                        the round, and what else is needed to go on

Every file is written by rename. A round is a function of its files: a task that is run again
writes the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..cluster.files import whole_array, write_array
from ..kernels.bellman.backup import backup
from ..kernels.bellman.problem import Problem

OF_BLOCKS = ("indices", "distances", "terminal", "allowed", "penalties")
"""Arrays of a problem that every block has a part of, or a copy where all states share one row."""
SCALARS = ("k", "gamma", "cost", "uniform", "adaptive", "slip", "worst_case")
"""Numbers of a problem."""
Scalars = dict[str, Any]


@dataclass(frozen=True)
class BlockFiles:
    """The folder of one plan in blocks, as every node sees it.

    Attributes:
        folder: where.
        bounds: [P + 1] first state of every block, and the number of all.
        scalars: the numbers of the problem.
    """

    folder: Path
    bounds: tuple[int, ...]
    scalars: Scalars

    def of_block(self, block: int, name: str) -> Path:
        """Return a file of a block's part of the problem."""
        return self.folder / "blocks" / f"{block:03d}" / f"{name}.npy"

    def values(self, number: int) -> Path:
        """Return the file of V at the beginning of a round."""
        return self.folder / "values" / f"{number:05d}.npy"

    def swept(self, number: int, block: int) -> Path:
        """Return the file of what a round made of a block."""
        return self.folder / "swept" / f"{number:05d}-{block:03d}.npy"

    def q_values(self, block: int) -> Path:
        """Return the file of a block's action values."""
        return self.folder / "q_values" / f"{block:03d}.npy"

    def mixing(self, slot: int, name: str) -> Path:
        """Return a file of the rounds that are mixed."""
        return self.folder / "mixing" / f"{slot}-{name}.npy"

    def write(self, problem: Problem) -> None:
        """Write the problem in blocks."""
        for folder in ("values", "swept", "q_values", "mixing"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        write_array(self.folder / "rewards.npy", problem.rewards)
        for block in range(len(self.bounds) - 1):
            own = slice(*self.bounds[block : block + 2])
            self.of_block(block, "").parent.mkdir(parents=True, exist_ok=True)
            for name in OF_BLOCKS:
                array = getattr(problem, name)
                part = array[own] if len(array) == self.bounds[-1] else array
                write_array(self.of_block(block, name), np.ascontiguousarray(part))

    def problem(self, block: int) -> Problem:
        """Return the problem with a block's part of its arrays, mapped."""
        arrays: dict[str, Any] = {
            name: whole_array(self.of_block(block, name)) for name in OF_BLOCKS
        }
        rewards = whole_array(self.folder / "rewards.npy")
        policy = np.empty((0, arrays["indices"].shape[1]))
        return Problem(**arrays, **self.scalars, rewards=rewards, policy=policy)


def scalars_of(problem: Problem) -> Scalars:
    """Return the numbers of a problem."""
    return {name: getattr(problem, name) for name in SCALARS}


def sweep_block(
    files: BlockFiles, block: int, number: int, sweeps: int, in_place: bool, keep_q: bool
) -> tuple[float, float, float, int]:
    """Sweep a block, on a node, in a round; return what `backup` does of the first sweep.

    Other blocks stay as they were. `in_place`, backups read what the sweep has found; `keep_q`, the
    action values of the first sweep are written too.
    """
    problem = files.problem(block)
    lo, hi = files.bounds[block : block + 2]
    everything = whole_array(files.values(number))
    gains = problem.rewards + problem.gamma * everything
    if not in_place:
        gains = np.tile(gains, 2)
    values, choice = np.array(everything[lo:hi]), np.empty(hi - lo, np.int32)
    q_values = np.empty((hi - lo, problem.indices.shape[1]))
    about = 0, hi - lo, lo, problem, in_place, gains, values, q_values, choice
    seen = backup(*about)
    if keep_q:
        write_array(files.q_values(block), q_values)
    first = values.copy()
    for _ in range(sweeps - 1):
        backup(*about)
    write_array(files.swept(number, block), np.stack([first, values]))
    return seen
