"""One writer at a time in a bundle's directory."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import StorageError

PATIENCE_SECONDS = 30.0


class BusyError(StorageError):
    """Another process is writing."""


class _Held(threading.local):
    """The directories that this thread holds: by process, device and inode."""

    def __init__(self) -> None:
        self.places: set[tuple[int, int, int]] = set()


_held = _Held()


@contextmanager
def only_writer(directory: Path, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Hold the directory for writing; wait a while for another writer, then give up.

    A thread that holds it may ask for it again: an update holds it over reading and writing,
    and writing asks by itself. The lock is the operating system's and ends with the process,
    however it ends. Where there is no such lock (Windows), writers have to be kept apart by
    hand.
    """
    if os.name != "posix":
        yield
        return
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except FileNotFoundError:
        raise StorageError(f"{directory} does not exist.") from None
    except OSError as error:
        raise StorageError(f"{directory} cannot be opened: {error.strerror}.") from error
    try:
        about = os.fstat(descriptor)
        place = os.getpid(), about.st_dev, about.st_ino
        if place in _held.places:
            yield
            return
        _lock(descriptor, directory, patience)
        _held.places.add(place)
        try:
            yield
        finally:
            _held.places.remove(place)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, directory: Path, patience: float) -> None:
    import fcntl

    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise BusyError(
                    f"{directory} cannot be written: another process is writing there."
                ) from None
            time.sleep(0.02)
