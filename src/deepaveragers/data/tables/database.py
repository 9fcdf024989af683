"""Databases: SQLite and DuckDB files, connections, and servers by URL.

Every one is asked through Python's DB-API, some rows at a time, and nothing is ever written:
files are opened for reading, and a server is told that the transaction reads only.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from ...arguments import listed_names
from ...arrays import Array
from ...errors import InputError, MissingExtraError, StorageError
from .csv_file import CHUNK_CELLS
from .table import index_notes, indexes_among

DATABASE_SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3", ".duckdb", ".ddb")
TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
    "AND name NOT LIKE 'sqlite_%' ORDER BY name",
    "other": "SELECT table_name FROM information_schema.tables WHERE table_schema NOT IN "
    "('information_schema', 'pg_catalog', 'mysql', 'sys', 'performance_schema') "
    "ORDER BY table_name",
}
"""Queries that list the tables of a database."""
REMOTE_FILES = ("http", "https", "ftp", "s3", "gs", "az")
"""Schemes of files elsewhere, which nothing here fetches."""


class QueryResult:
    """The answer to a query.

    Attributes:
        names: the columns, in order.
        notes: which table was read, if the caller named none.
        indexes: columns that only number the rows.
    """

    def __init__(
        self, connection: Any, sql: str | None, called: str, *, secret: str = "", own: bool = True
    ) -> None:
        """Ask a connection.

        Args:
            connection: as the DB-API of Python has it.
            sql: a query, a table, or None for the only table.
            called: how errors call the database.
            secret: what errors must not tell.
            own: whether to close the connection in the end.
        """
        self._connection, self._called, self._secret, self._own = connection, called, secret, own
        self._cursors: list[Any] = []
        try:
            query, note = self._query(sql)
            self._cursor = self._executed(query)
            self.names = self._columns(query)
        except Exception:
            self._close()
            raise
        self.indexes = indexes_among(self.names)
        self.notes = (*note, *index_notes(self.indexes))

    def _columns(self, query: str) -> tuple[str, ...]:
        if self._cursor.description is None:
            raise InputError("sql", "a query that gives rows", repr(query[:80]))
        names = tuple(str(column[0]) for column in self._cursor.description)
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError("sql", "a query with distinct column names", f"{twice!r} twice")
        return names

    def _close(self) -> None:
        """Give back what was opened: cursors before their connection."""
        for thing in (*self._cursors, *((self._connection,) if self._own else ())):
            with suppress(Exception):  # what is broken need not be closed
                thing.close()

    def _query(self, sql: str | None) -> tuple[str, tuple[str, ...]]:
        if sql is not None and not re.fullmatch(r"\w+(\.\w+)?", sql.strip()):
            return sql, ()
        if sql is not None:
            quoted = ".".join(f'"{part}"' for part in sql.strip().split("."))
            return f"SELECT * FROM {quoted}", ()
        # SQLAlchemy wraps the driver's own connection.
        inner = getattr(self._connection, "driver_connection", self._connection)
        kind = "sqlite" if isinstance(inner, sqlite3.Connection) else "other"
        tables = [row[0] for row in self._executed(TABLES[kind]).fetchmany(1000)]
        if len(tables) != 1:
            raise InputError(
                "sql",
                f"a query, or one of the tables of {self._called}: {listed_names(tables)}",
                "nothing",
                "Say which: sql='SELECT ...' (--sql).",
            )
        quoted = tables[0].replace('"', '""')
        return f'SELECT * FROM "{quoted}"', (f"the table {tables[0]!r} was read",)

    def _executed(self, query: str) -> Any:
        try:
            cursor = self._connection.cursor()
            self._cursors.append(cursor)
            cursor.execute(query)
        except Exception as error:  # every driver has errors of its own
            raise self._refused(error) from error
        return cursor

    def _refused(self, error: Exception) -> InputError:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        if self._secret:
            reason = reason.replace(self._secret, "***")
        return InputError("sql", f"a query that {self._called} can answer", reason[:160])

    def chunks(self, names: Sequence[str]) -> Iterator[dict[str, Array]]:
        """Yield the named columns, some rows at a time; an answer can be read once."""
        places = {name: self.names.index(name) for name in names}
        try:
            while rows := self._fetched(1 + CHUNK_CELLS // len(self.names)):
                columns = {}
                for name, place in places.items():
                    columns[name] = np.empty(len(rows), dtype=object)
                    columns[name][:] = [row[place] for row in rows]
                yield columns
        finally:
            self._close()

    def _fetched(self, count: int) -> list[Sequence[Any]]:
        try:
            return list(self._cursor.fetchmany(count))
        except Exception as error:  # every driver has errors of its own
            raise self._refused(error) from error

    def place(self, row: int) -> str:
        """Return words for the place of a data row."""
        return f"row {row} of the answer"

    def starts(self) -> tuple[int, ...]:
        """Return the first row."""
        return (0,)


def is_connection(source: Any) -> bool:
    """Whether an object is a connection to a database, or an engine of SQLAlchemy."""
    return hasattr(source, "cursor") or hasattr(source, "raw_connection")


def open_connection(source: Any, sql: str | None) -> QueryResult:
    """Return the answer of a connection that the caller opened."""
    if hasattr(source, "raw_connection"):
        return QueryResult(source.raw_connection(), sql, "the database")
    return QueryResult(source, sql, "the database", own=False)


def open_database_file(path: Path, sql: str | None) -> QueryResult:
    """Return the answer of a SQLite or DuckDB file, which is told by its first bytes."""
    try:
        with open(path, "rb") as file:
            head = file.read(16)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
    if head.startswith(b"SQLite format 3\0"):
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        return QueryResult(connection, sql, str(path))
    if head[8:12] == b"DUCK":
        return QueryResult(_duckdb(path), sql, str(path))
    raise InputError(str(path), "a SQLite or DuckDB database", f"a file that starts {head[:8]!r}")


def _duckdb(path: Path) -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise MissingExtraError("duckdb, which reads such files,", "sql") from error
    try:
        return duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        reason = (str(error).splitlines() or [""])[0]
        raise InputError(str(path), "a DuckDB file that can be opened", reason[:160]) from error


def is_url(source: object) -> bool:
    """Whether a text is the URL of a database."""
    return isinstance(source, str) and bool(re.match(r"[A-Za-z][\w.+-]*://", source))


def without_secrets(url: str) -> str:
    """Return a URL as it may be shown: without password and options."""
    parts = urlsplit(url)
    user = f"{parts.username}@" if parts.username else ""
    host = f"{parts.hostname or ''}" + (f":{parts.port}" if parts.port else "")
    return f"{parts.scheme}://{user}{host}{parts.path}"


def open_url(url: str, sql: str | None) -> QueryResult:
    """Return the answer of a database that a URL names: postgresql://, sqlite:///, or others.

    Postgres is asked through ADBC if its driver is there; all else through SQLAlchemy, which
    needs the driver of the database.
    """
    try:
        parts = urlsplit(url)
        called, secret = without_secrets(url), unquote(parts.password or "")
    except ValueError as error:
        raise InputError("source", "a database URL", f"one that cannot be read: {error}") from error
    scheme = parts.scheme.partition("+")[0]
    if scheme in REMOTE_FILES:
        remedy = "Download the file first."
        raise InputError("source", "a path, or the URL of a database", repr(called), remedy)
    if scheme in ("sqlite", "duckdb"):
        return open_database_file(Path(unquote(parts.path.removeprefix("/"))), sql)
    try:
        connection = _connected(url, postgres=parts.scheme in ("postgres", "postgresql"))
    except MissingExtraError:
        raise
    except Exception as error:  # every driver has errors of its own
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        shown = reason.replace(secret, "***") if secret else reason
        raise StorageError(f"{called} cannot be reached: {shown[:160]}") from error
    return QueryResult(connection, sql, called, secret=secret)


def _connected(url: str, *, postgres: bool) -> Any:
    if postgres:
        try:
            import adbc_driver_postgresql.dbapi
        except ImportError as error:
            missing = MissingExtraError("adbc-driver-postgresql, which reads Postgres,", "sql")
            raise missing from error
        connection = adbc_driver_postgresql.dbapi.connect(url)
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
        return connection
    try:
        import sqlalchemy
    except ImportError as error:
        raise MissingExtraError("sqlalchemy, which reads databases,", "sql") from error
    return sqlalchemy.create_engine(url).raw_connection()
