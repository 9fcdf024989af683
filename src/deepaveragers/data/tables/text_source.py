"""Where a text table is read from: a file, packed or not, a member of an archive, or a stream."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO

from ...errors import InputError, StorageError

LONGEST_LINE = 1 << 24
"""Characters of a line; a longer one is no table, and a compressed one could fill all memory."""
PROBLEMS = (csv.Error, UnicodeError, EOFError, OSError, zlib.error, zipfile.BadZipFile)


class TextSource(Protocol):
    """A text that can be opened twice: once for its head, and once for all of it.

    Attributes:
        called: its name in messages.
    """

    called: str

    def open(self) -> Any:
        """Return a context manager that gives what has `readline`."""


class TextFile:
    """A file, `.gz` or not, or a member of a zip archive.

    Args:
        path: of the file.
        encoding: of its text.
        member: of the archive.
    """

    def __init__(self, path: Path, encoding: str, member: str | None = None) -> None:
        self._path, self._encoding, self._member = path, encoding, member
        self.called = str(path) if member is None else f"{path} ({member})"

    def open(self) -> TextIO:
        """Return the text."""
        try:
            if self._member is not None:
                return self._open_member(self._member)
            if self._path.suffix.lower() == ".gz":
                return gzip.open(self._path, "rt", encoding=self._encoding, newline="")
            return open(self._path, encoding=self._encoding, newline="")
        except OSError as error:
            raise StorageError(f"{self._path} cannot be read: {error.strerror}.") from error

    def _open_member(self, member: str) -> TextIO:
        try:
            archive = zipfile.ZipFile(self._path)
            # The archive's file stays open as long as the member does.
            stream = archive.open(member)
        except (zipfile.BadZipFile, KeyError, RuntimeError, NotImplementedError) as error:
            raise InputError(str(self._path), "a zip archive that can be read", error) from error
        return io.TextIOWrapper(stream, encoding=self._encoding, newline="")


class TextStream:
    """A stream that can be read once, such as standard input: its head is kept for the second time.

    Args:
        stream: of text, with its line ends as they are.
        called: its name in messages.
    """

    def __init__(self, stream: TextIO, called: str) -> None:
        self._stream, self.called = stream, called
        self._head: list[str] = []
        self._opened = False

    @contextmanager
    def open(self) -> Iterator[Any]:
        """Give the text from its beginning; the second time is the last."""
        yield _Replayed(self._stream, self._head, keep=not self._opened)
        self._opened = True


class _Replayed:
    def __init__(self, stream: TextIO, head: list[str], *, keep: bool) -> None:
        self._stream, self._head, self._keep = stream, head, keep

    def readline(self, limit: int = -1) -> str:
        if not self._keep and self._head:
            return self._head.pop(0)
        line = self._stream.readline(limit)
        if self._keep:
            self._head.append(line)
        return line
