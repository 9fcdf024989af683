"""Places to write to, looked at before long work: nothing is created there, and nothing lost."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .errors import StorageError


def check_file(path: Path) -> None:
    """Raise an error unless a file can be written at the path, in place of another one or not."""
    if (mode := _mode(path)) is not None and stat.S_ISDIR(mode):
        raise StorageError(f"{path} cannot be written: it is a directory.")
    check_folder(path.absolute().parent, path)


def check_folder(folder: Path, path: Path | None = None) -> None:
    """Raise an error unless files can be written in the folder, or in one made there.

    Args:
        folder: may be missing, and so may its parents.
        path: what the message speaks of; None is the folder.
    """
    path = folder if path is None else path
    for there in (folder.absolute(), *folder.absolute().parents):
        mode = _mode(there)
        if mode is None:
            continue
        if not stat.S_ISDIR(mode):
            raise StorageError(f"{path} cannot be written: {there} is not a directory.")
        if not os.access(there, os.W_OK | os.X_OK):
            raise StorageError(f"{path} cannot be written: {there} may not be written to.")
        return


def _mode(path: Path) -> int | None:
    """Return the kind of what is there, None for nothing."""
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
