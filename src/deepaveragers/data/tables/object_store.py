"""Parquet and Arrow files in object stores, read where they are, some rows at a time.

pyarrow knows the stores and finds credentials where their own tools do; needs pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit

from ...errors import InputError, MissingExtraError, StorageError

SCHEMES = ("s3", "gs", "gcs", "abfs", "abfss", "hdfs", "file")
"""That pyarrow opens."""
PATTERN_SIGNS = "*?["


@dataclass(frozen=True)
class StoredFile:
    """A file in an object store.

    Attributes:
        url: with its scheme, and without secrets: pyarrow finds those elsewhere.
    """

    url: str

    def __str__(self) -> str:
        return self.url

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.url.rpartition("/")[2]

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Yield the file, to be read anywhere."""
        system, path = _system_of(self.url)
        try:
            file = system.open_input_file(path)
        except OSError as error:
            raise StorageError(f"{self.url} cannot be read: {_reason(error)}.") from error
        with file:
            yield file


def is_stored(source: object) -> bool:
    """Whether a text is the URL of something in an object store."""
    return isinstance(source, str) and urlsplit(source).scheme.lower() in SCHEMES


def stored_files(url: str) -> list[StoredFile]:
    """Return the file of a URL, or those that match its pattern, by name.

    A sign of a pattern (`*`, `?`, `[`) stands for no `/`, and only in the last part.
    """
    if urlsplit(url).username or urlsplit(url).password:
        raise InputError(
            "source",
            "a URL without a name or password",
            "one with them",
            "Give them as the store's own tools have them, such as AWS_ACCESS_KEY_ID.",
        )
    folder, slash, pattern = url.rpartition("/")
    if not any(sign in url for sign in PATTERN_SIGNS):
        return [StoredFile(url)]
    if any(sign in folder for sign in PATTERN_SIGNS):
        raise InputError("source", "a URL with a pattern in its last part only", repr(url))
    system, path = _system_of(folder)
    from pyarrow.fs import FileSelector, FileType

    try:
        infos = system.get_file_info(FileSelector(path))
    except OSError as error:
        raise StorageError(f"{folder} cannot be read: {_reason(error)}.") from error
    names = [one.base_name for one in infos if one.type == FileType.File]
    found = [StoredFile(folder + slash + one) for one in names if fnmatchcase(one, pattern)]
    if not found:
        raise StorageError(f"no file matches {url}.")
    return sorted(found, key=str)


def _system_of(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        import pyarrow as pa
        from pyarrow.fs import FileSystem
    except ImportError as error:
        raise MissingExtraError("pyarrow, which reads object stores,", "data") from error
    try:
        return FileSystem.from_uri(url)
    except (OSError, pa.ArrowException, ValueError) as error:
        raise StorageError(f"{url} cannot be read: {_reason(error)}.") from error


def _reason(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
