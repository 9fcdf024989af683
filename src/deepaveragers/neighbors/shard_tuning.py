"""How a search over shards is shared out between processors."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Int64


@dataclass(frozen=True, kw_only=True)
class ShardTuning:
    """What decides how a search is shared out, and not its answer.

    Attributes:
        shards: a power of two; None decides by the rows, the actions and the processors.
        most_rows: source rows of a shard and action at most, if an action's rows are spread like
            all rows, so that its tree, of 250 bytes a row, fits a worker's memory.
        least_rows: below this, more shards cost more than they bring.
        most_idle: share of the processors' time that may be lost because the tasks, a shard's
            answers about an action, do not share out evenly; more shards share out better, and
            ask more questions.
        block_states: core states of a file.
        most_in_memory: bytes of a graph that the driver keeps in memory; larger ones are
            mapped from the working folder.
    """

    shards: int | None = None
    most_rows: int = 8_000_000
    least_rows: int = 25_000
    most_idle: float = 0.2
    block_states: int = 131_072
    most_in_memory: int = 4 << 30

    def shards_for(self, counts: Int64, cpus: int) -> int:
        """Return the number of shards, a power of two.

        Args:
            counts: [A] source rows of each action.
            cpus: processors that search.
        """
        if self.shards is not None:
            return self.shards
        shards, rows = 1, int(counts.sum())
        while counts.max() > shards * self.most_rows or (
            self._idle(shards * len(counts), cpus) > self.most_idle
            and rows >= 2 * shards * self.least_rows
        ):
            shards *= 2
        return shards

    def _idle(self, tasks: int, cpus: int) -> float:
        """Return the share of time without work, of tasks that take equally long."""
        return 1.0 - tasks / (cpus * -(-tasks // cpus))


SHARD_TUNING = ShardTuning()
