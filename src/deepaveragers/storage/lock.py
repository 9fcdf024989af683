"""One writer at a time in a bundle's directory."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import StorageError

PATIENCE_SECONDS = 30.0


class BusyError(StorageError):
    """Another process is writing."""


@contextmanager
def only_writer(directory: Path, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Hold the directory for writing; wait a while for another writer, then give up.

    The lock is the operating system's and ends with the process, however it ends.
    Where there is no such lock (Windows), writers have to be kept apart by hand.
    """
    if os.name != "posix":
        yield
        return
    import fcntl

    descriptor = os.open(directory, os.O_RDONLY)
    try:
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise BusyError(
                        f"{directory} cannot be written: another process is writing there."
                    ) from None
                time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)
