"""The audit log: every decision as a line of JSON, appended, synced in batches, rotated.

A thread writes. It takes what has come since its last batch, appends it and syncs the file, so that
a crash loses the last batch at most, `BATCH_SECONDS` of decisions. What a killed process left of a
line is cut off at the next start, so that a file has whole lines only. While lines cannot be
written, the server does not decide.
"""

from __future__ import annotations

import fcntl
import logging
import os
import queue
import secrets
import threading
import time
from pathlib import Path

import msgspec

from ..errors import StorageError
from ..outputs import check_file
from ..server.problems import Problem
from .audit_lines import Entry, Inputs, lines_of
from .metrics import Metrics

BATCH_SECONDS = 0.05
"""Lines of so long are written and synced together."""
RETRY_SECONDS = 1.0
MOST_WAITING = 200_000
"""Lines in memory, beyond which the server does not decide."""
TAIL_BYTES = 65_536


class AuditLog:
    """Appends to one file.

    Args:
        path: of the file; rotated ones get a number.
        inputs: "full" keeps observations, "digest" only their SHA-256.
        rotate_bytes: size at which a file is closed and another one begun.
        log: of the server.
        metrics: of the server.
    """

    def __init__(
        self, path: Path, inputs: Inputs, rotate_bytes: int, log: logging.Logger, metrics: Metrics
    ) -> None:
        self._path, self._inputs, self._rotate_bytes = path, inputs, rotate_bytes
        self._log, self._metrics = log, metrics
        self._encoder = msgspec.json.Encoder()
        self._queue: queue.SimpleQueue[Entry | None] = queue.SimpleQueue()
        self._run, self._count = secrets.token_hex(6), 0
        self._waiting, self._guard = 0, threading.Lock()
        self.failure: str | None = None
        check_file(path)
        self._file, self._size = self._opened()
        self._thread = threading.Thread(target=self._work, name="audit", daemon=True)
        self._thread.start()

    def new_ids(self, count: int) -> list[str]:
        """Return names for decisions that the client gave none."""
        with self._guard:
            first = self._count
            self._count += count
        return [f"{self._run}-{number}" for number in range(first, first + count)]

    def check(self) -> None:
        """Refuse to decide while decisions cannot be kept."""
        if self.failure is not None:
            raise Problem(503, "Decisions cannot be logged at present, and so are not made.")
        if self._waiting > MOST_WAITING:
            raise Problem(503, "The log of decisions is behind; try again.", {"retry-after": "1"})

    def add(self, entry: Entry) -> None:
        """Have decisions written in the next batch."""
        with self._guard:
            self._waiting += len(entry.ids)
        self._queue.put(entry)

    def close(self) -> None:
        """Write what is left, and end."""
        self._queue.put(None)
        self._thread.join()
        os.close(self._file)

    def _opened(self) -> tuple[int, int]:
        """Return the file and its size, with whole lines only and no other writer."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StorageError(f"{self._path} cannot be written: {error.strerror}.") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(file)
            raise StorageError(f"{self._path} is written by another server.") from error
        size = os.fstat(file).st_size
        whole = _whole_lines(file, size)
        if whole < size:
            os.ftruncate(file, whole)
            self._log.warning("audit tail cut", extra={"bytes": size - whole})
        os.lseek(file, whole, os.SEEK_SET)
        return file, whole

    def _work(self) -> None:
        going = True
        while going:
            entries = [self._queue.get()]
            if entries[0] is not None:
                time.sleep(BATCH_SECONDS)
            while not self._queue.empty():
                entries.append(self._queue.get())
            going = None not in entries
            lines = [
                line for entry in entries if entry is not None for line in self._encoded(entry)
            ]
            self._write_until_done(lines, going=going)

    def _encoded(self, entry: Entry) -> list[bytes]:
        return [self._encoder.encode(line) + b"\n" for line in lines_of(entry, self._inputs)]

    def _write_until_done(self, lines: list[bytes], *, going: bool) -> None:
        while lines:
            try:
                self._append(b"".join(lines))
                self.failure = None
                break
            except OSError as error:
                self.failure = error.strerror or str(error)
                self._log.error("audit failed", extra={"reason": self.failure})
                if not going:
                    return
                time.sleep(RETRY_SECONDS)
        with self._guard:
            self._waiting -= len(lines)
        self._metrics.audit_lines.inc(len(lines))
        self._metrics.audit_waiting.set(self._waiting)

    def _append(self, text: bytes) -> None:
        """Append whole lines and sync them; where that fails, none of them is left."""
        if self._size and self._size + len(text) > self._rotate_bytes:
            self._rotate()
        try:
            rest = memoryview(text)
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, self._size)
            os.lseek(self._file, self._size, os.SEEK_SET)
            raise
        self._size += len(text)

    def _rotate(self) -> None:
        number = 1
        while (full := self._path.with_name(_numbered(self._path, number))).exists():
            number += 1
        os.rename(self._path, full)
        old = self._file
        self._file, self._size = self._opened()
        os.close(old)
        self._log.info("audit rotated", extra={"file": full.name})


def _numbered(path: Path, number: int) -> str:
    return f"{path.stem}-{number:06d}{path.suffix}"


def _whole_lines(file: int, size: int) -> int:
    """Return the length of a file up to its last line end."""
    end = size
    while end > 0:
        start = max(0, end - TAIL_BYTES)
        place = os.pread(file, end - start, start).rfind(b"\n")
        if place >= 0:
            return start + place + 1
        end = start
    return 0
