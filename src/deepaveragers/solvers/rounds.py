"""Rounds over blocks: each block sweeps by itself, then rounds are mixed (Anderson).

In a round every block begins with V, and reads of other blocks what they were then. Its first sweep
proves bounds as any other does (`certificate`), whatever V is. The values that are returned are
those of a first sweep. The sweeps after it only make the next V.

Rounds are mixed as sweeps are (`kernels.bellman.anderson`). If the changes of a round are more than
`WORSE` times the least so far, the mixture is given up for the last plain result, and earlier
rounds are forgotten: plain rounds contract.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..arrays import Array, Float64
from ..cluster.files import read_array, whole_array, write_array, write_text
from ..kernels.bellman.anderson import shares_of
from .block_files import BlockFiles
from .certificate import Certificate

SWEEPS = 4
"""Of a block in a round: more hardly lower the number of rounds."""
MIXED = 8
"""Rounds that are mixed at most."""
WORSE = 2.0
AT_ONCE = 1 << 20
"""States of the vectors that are worked on together."""


@dataclass
class RoundState:
    """What is needed to go on with the next round.

    Attributes:
        number: of the round to come.
        sweeps: over all states so far.
        slots: of the rounds that are mixed, the oldest first.
        least: smallest largest change of a round so far.
        first: |T 0|, stuck states and the largest price x distance, as the first sweep found them.
        best: the certificate of the best bounds, field by field; empty before the first.
        best_round: which round that was.
    """

    number: int = 0
    sweeps: int = 0
    slots: list[int] = field(default_factory=list)
    least: float = float("inf")
    first: list[float] = field(default_factory=list)
    best: dict[str, Any] = field(default_factory=dict)
    best_round: int = 0

    @property
    def proof(self) -> Certificate:
        """The best bounds so far."""
        return Certificate(**self.best)


def load_state(files: BlockFiles) -> RoundState | None:
    """Return where an earlier run ended, if there is one."""
    try:
        state = RoundState(**json.loads((files.folder / "state.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None
    return state if read_array(files.values(state.number)) is not None else None


def save_state(files: BlockFiles, state: RoundState, values: Float64) -> None:
    """Write V of the next round and then the state; rounds before it are let go."""
    write_array(files.values(state.number), values)
    write_text(files.folder / "state.json", json.dumps(asdict(state)))
    kept = {files.values(state.number).name}
    if state.best:
        kept.add(files.values(state.best_round).name)
    for file in (files.folder / "values").glob("0*.npy"):
        if file.name not in kept:
            file.unlink(missing_ok=True)


def gathered(files: BlockFiles, number: int, which: int) -> Float64:
    """Return [N]: what a round made of all states, after first sweeps (0) or all sweeps (1)."""
    blocks = range(len(files.bounds) - 1)
    return np.concatenate([whole_array(files.swept(number, block))[which] for block in blocks])


def next_values(files: BlockFiles, state: RoundState, change: float) -> Float64:
    """Return V for the next round, and take this one among those that are mixed."""
    result = gathered(files, state.number, 1)
    for block in range(len(files.bounds) - 1):
        files.swept(state.number, block).unlink(missing_ok=True)
    if change > WORSE * state.least:
        state.slots = []
        return result
    state.least = min(state.least, change)
    free = [slot for slot in range(MIXED) if slot not in state.slots]
    slot = free[0] if free else state.slots.pop(0)
    state.slots.append(slot)
    write_array(files.mixing(slot, "result"), result)
    write_array(files.mixing(slot, "change"), result - whole_array(files.values(state.number)))
    if len(state.slots) < 2:
        return result
    kept = [whole_array(files.mixing(one, "result")) for one in state.slots]
    moved = [whole_array(files.mixing(one, "change")) for one in state.slots]
    return mixed(kept, moved)


def mixed(kept: Sequence[Array], moved: Sequence[Array]) -> Float64:
    """Return the mixture of results whose mixed change is least; the last one where none is."""
    shares = _shares(moved)
    result = np.empty(len(kept[-1]))
    for start in range(0, len(result), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        result[part] = sum(share * one[part] for share, one in zip(shares, kept, strict=True))
    return result if np.isfinite(result).all() else np.array(kept[-1])


def _shares(moved: Sequence[Array]) -> Float64:
    count = len(moved)
    products = np.zeros((count, count))
    for start in range(0, len(moved[-1]), AT_ONCE):
        rows = np.stack([one[start : start + AT_ONCE] for one in moved])
        rows *= np.abs(rows[-1])
        products += rows @ rows.T
    return shares_of(products[None], count, count - 1)
