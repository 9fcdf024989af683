"""The log of a training run: one CSV file, and TensorBoard's where asked for."""

from __future__ import annotations

import csv
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from ..errors import MissingExtraError

LOG = "log.csv"


class TrainingLog:
    """Writes a row of figures per call; rows of a run that is taken up again are kept.

    Args:
        directory: where log.csv goes; None writes nothing.
        from_step: rows of later updates, which a killed run left behind, are dropped.
        tensorboard: write TensorBoard's event files too.
    """

    def __init__(self, directory: Path | None, *, from_step: int, tensorboard: bool) -> None:
        self._stream: TextIO | None = None
        self._writer: csv.DictWriter[str] | None = None
        self._board: Any = None
        self._rows: list[dict[str, str]] = []
        if directory is None:
            return
        directory.mkdir(parents=True, exist_ok=True)
        file = directory / LOG
        if file.exists():
            with open(file, newline="") as stream:
                self._rows = [r for r in csv.DictReader(stream) if _step(r) <= from_step]
        self._stream = open(file, "w", newline="")  # noqa: SIM115
        if tensorboard:
            self._board = _summary_writer(directory, from_step)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._stream is not None:
            self._begin(list(self._rows[0]) if self._rows else [])
            self._stream.close()
        if self._board is not None:
            self._board.close()

    def write(self, step: int, figures: dict[str, float]) -> None:
        """Add a row."""
        if self._stream is None:
            return
        self._begin(["step", *figures])
        assert self._writer is not None
        self._writer.writerow({"step": step, **{k: f"{v:.6g}" for k, v in figures.items()}})
        if self._board is not None:
            for name, figure in figures.items():
                self._board.add_scalar(name, figure, step)

    def flush(self) -> None:
        """Hand what was written to the disk."""
        if self._stream is not None:
            self._stream.flush()

    def _begin(self, names: list[str]) -> None:
        if self._writer is not None or self._stream is None or not names:
            return
        self._writer = csv.DictWriter(self._stream, names, extrasaction="ignore")
        self._writer.writeheader()
        self._writer.writerows(self._rows)


def _step(row: dict[str, str]) -> int:
    """Return the row's update; a row torn by a kill counts as later than any."""
    text = row.get("step") or ""
    return int(text) if text.isdigit() and None not in row.values() else 2**62


def _summary_writer(directory: Path, from_step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise MissingExtraError("tensorboard", "deep") from error
    return SummaryWriter(str(directory), purge_step=from_step + 1)
