"""A real Postgres server is read by URL; without one installed, skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from tests.data.hospital import IMPORT, patients

import deepaveragers as da

pwd = pytest.importorskip("pwd")
pytestmark = pytest.mark.slow

PLACES = [Path("/usr/local/bin"), *Path("/usr/lib/postgresql").glob("*/bin")]


def program(name):
    own = shutil.which(name)
    found = [Path(own)] if own else [place / name for place in PLACES if (place / name).exists()]
    if not found:
        pytest.skip(f"{name} of Postgres is not installed")
    return str(found[0])


@pytest.fixture(scope="module")
def home():
    """Return a directory of the account that the server runs as, and how to become it."""
    account = {}
    path = tempfile.mkdtemp(prefix="pg-")
    if os.geteuid() == 0:
        # Postgres refuses to run as root.
        entry = next((one for one in pwd.getpwall() if one.pw_name in ("postgres", "nobody")), None)
        if entry is None:
            pytest.skip("Postgres does not run as root, and there is no other account")
        os.chown(path, entry.pw_uid, entry.pw_gid)
        account = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    yield Path(path), account
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def server(home):
    """Return the URL of a server that listens on a socket in a directory of its own."""
    adbc = pytest.importorskip("adbc_driver_postgresql.dbapi")
    path, account = home

    def run(*command):
        done = subprocess.run(
            command, cwd=path, capture_output=True, text=True, timeout=60, **account
        )
        if done.returncode:
            pytest.skip(f"{Path(command[0]).name} failed: {done.stderr.strip()[-200:]}")

    data, control = str(path / "data"), program("pg_ctl")
    run(program("initdb"), "-D", data, "-U", "tester", "-A", "trust", "--no-sync")
    options = f"-c listen_addresses='' -c unix_socket_directories={path} -c fsync=off"
    # A server that inherits the pipes would keep `run` waiting for their end.
    started = subprocess.run(
        [control, "-D", data, "-w", "-o", options, "-l", str(path / "log"), "start"],
        cwd=path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        timeout=60, **account,
    )  # fmt: skip
    if started.returncode:
        pytest.skip("the server of Postgres does not start here")
    url = f"postgresql://tester:very-secret@/postgres?host={path}"
    try:
        with adbc.connect(url) as connection, connection.cursor() as cursor:
            fill(cursor)
            connection.commit()
        yield url
    finally:
        run(control, "-D", data, "-w", "-m", "immediate", "stop")


def fill(cursor):
    cursor.execute(
        "CREATE TABLE log (patient TEXT, charttime TIMESTAMP, age INTEGER, sex TEXT, "
        "lactate NUMERIC(6, 2), pressure DOUBLE PRECISION, drug TEXT, outcome TEXT, "
        "reward DOUBLE PRECISION)"
    )
    columns = patients()

    def literal(value):
        if value is None:
            return "NULL"
        return str(value) if isinstance(value, int | float) else f"'{value}'"

    rows = [f"({', '.join(map(literal, row))})" for row in zip(*columns.values(), strict=True)]
    cursor.execute(f"INSERT INTO log VALUES {', '.join(rows)}")


def test_reading(server, same):
    expected = da.read(patients(), **IMPORT)
    same(da.read(server, **IMPORT), expected)
    reading = da.read_reported(server, **IMPORT, sql="SELECT * FROM log WHERE sex = 'F'")
    assert reading.transitions.num_episodes == 150
    assert "URL of a database" in reading.reason


def test_nothing_is_written_and_nothing_told(server):
    with pytest.raises(da.InputError, match="read-only") as refused:
        da.read(server, **IMPORT, sql="DELETE FROM log RETURNING *")
    assert "very-secret" not in str(refused.value)
    assert da.read(server, **IMPORT).num_episodes == 300
    with pytest.raises(da.InputError, match="can answer") as refused:
        da.read(server, **IMPORT, sql="SELECT * FROM nowhere")
    assert "very-secret" not in str(refused.value)


def test_a_server_that_is_not_there(tmp_path):
    pytest.importorskip("adbc_driver_postgresql.dbapi")
    with pytest.raises(da.StorageError, match=r"postgresql://me@/db cannot be reached") as refused:
        da.read(f"postgresql://me:very-secret@/db?host={tmp_path}", **IMPORT)
    assert "very-secret" not in str(refused.value)
