"""Files larger than the memory that is allowed are read, and saved in parts, in what is allowed."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.data import scratch

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs Linux's limit of a process's data"
)

ALLOWED = 1 / 3
"""Of the size of the observations alone, of which a reader makes two."""
EPISODE = 100
ALLOCATION = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "65536",
}
"""So that freed memory goes back, and only what is in use is counted."""
COLUMNS = {"episode": "run", "time": "t", "action": "act", "reward": "rew", "terminated": "end"}

CHILD = """
import json, resource, sys
import numpy as np
import deepaveragers as da
from deepaveragers.data import scratch

small, large, target, allowed, options = json.loads(sys.argv[1])
scratch.IN_MEMORY = scratch.BLOCK = 1 << 20
# Libraries, their threads and their pools are there before the limit is set.
da.save(da.read(small, **options), target, part_rows=4096)
status = open("/proc/self/status").read()
used = int(status.split("VmData:")[1].split()[0]) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (used + allowed, used + allowed))
data = da.read(large, **options)
da.save(data, target, part_rows=4096)
print(len(data))
"""


def observations(size, width, dtype):
    numbers = np.arange(size * width, dtype=np.int64).reshape(size, width)
    return (numbers % 9973).astype(dtype) / 8


def columns(size, width, dtype):
    here = observations(size, width, dtype)
    ends = np.arange(size) % EPISODE == EPISODE - 1
    return {"observations": here, "actions": np.arange(size) % 3, "rewards": np.ones(size),
            "terminals": ends, "timeouts": np.zeros(size, bool)}  # fmt: skip


def write_hdf5(path, size, width):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for name, values in columns(size, width, np.float32).items():
            file[name] = values


def write_npz(path, size, width):
    np.savez(path, **columns(size, width, np.float32))


def write_csv(path, size, width):
    here = columns(size, width, np.float64)
    with open(path, "w") as file:
        file.write(",".join([*COLUMNS.values(), *(f"x{i}" for i in range(width))]) + "\n")
        for row in range(size):
            known = (row // EPISODE, row % EPISODE, row % 3, 1, int(here["terminals"][row]))
            cells = [*map(str, known), *map(str, here["observations"][row].tolist())]
            file.write(",".join(cells) + "\n")


def write_json_lines(path, size, width):
    here = columns(size, width, np.float64)
    with open(path, "w") as file:
        for row in range(size):
            known = (row // EPISODE, row % EPISODE, row % 3, 1, bool(here["terminals"][row]))
            cells = dict(zip(COLUMNS.values(), known, strict=True))
            cells |= {f"x{i}": x for i, x in enumerate(here["observations"][row].tolist())}
            file.write(json.dumps(cells) + "\n")


def write_tables(path, size, width):
    """Write two Parquet files, as those that a pattern finds."""
    pa, pq = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    here = columns(size, width, np.float64)
    for half in range(2):
        rows = np.arange(half * size // 2, (half + 1) * size // 2)
        known = (rows // EPISODE, rows % EPISODE, rows % 3, rows * 0 + 1, here["terminals"][rows])
        cells = dict(zip(COLUMNS.values(), known, strict=True))
        cells |= {f"x{i}": here["observations"][rows, i] for i in range(width)}
        file = path.with_name(path.name.replace("*", str(half)))
        pq.write_table(pa.table(cells), file, row_group_size=5_000, use_dictionary=False)


def write_sqlite(path, size, width):
    here = columns(size, width, np.float64)
    rows = (
        (row // EPISODE, row % EPISODE, row % 3, 1, int(here["terminals"][row]),
         *here["observations"][row].tolist())
        for row in range(size)
    )  # fmt: skip
    names = [*COLUMNS.values(), *(f"x{place}" for place in range(width))]
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE log ({', '.join(f'[{name}]' for name in names)})")
        marks = ", ".join("?" * len(names))
        connection.executemany(f"INSERT INTO log VALUES ({marks})", rows)
    connection.close()


def write_own(path, size, width):
    pytest.importorskip("pyarrow")
    if path.name.endswith("-v0"):
        pytest.importorskip("minari")
    own = columns(size, width, np.float32)
    here = own["observations"]
    da.write(
        da.Transitions(
            observations=here,
            actions=own["actions"],
            rewards=own["rewards"],
            next_observations=np.concatenate([here[1:], here[-1:]]),
            terminations=own["terminals"],
        ),
        path,
    )


CASES = {
    "log.hdf5": (write_hdf5, 30_000, 512, {}),
    "log.npz": (write_npz, 30_000, 512, {}),
    "log.parquet": (write_own, 30_000, 512, {}),
    "log-v0": (write_own, 40_000, 512, {}),
    "log.csv": (write_csv, 90_000, 100, {**COLUMNS, "observations": "x*"}),
    "log.jsonl": (write_json_lines, 60_000, 100, {**COLUMNS, "observations": "x*"}),
    "log-*.parquet": (write_tables, 200_000, 100, {**COLUMNS, "observations": "x*"}),
    "log.sqlite": (write_sqlite, 90_000, 100, {**COLUMNS, "observations": "x*"}),
}


TEXT = ("log.csv", "log.jsonl", "log-*.parquet", "log.sqlite")
"""What is read as float64."""


@pytest.mark.parametrize("name", CASES)
def test_reading_and_saving_in_bounded_memory(name, tmp_path):
    write, size, width, options = CASES[name]
    small, large = tmp_path / "small" / name, tmp_path / "large" / name
    # Minari keeps about 150 episodes' worth of HDF5's caches, whatever comes after them.
    few = 160 * EPISODE if name == "log-v0" else 4 * EPISODE
    for path, rows in ((small, few), (large, size)):
        path.parent.mkdir()
        write(path, rows, width)
    wide = size * width * (8 if name in TEXT else 4)
    allowed = int(wide * ALLOWED)
    asked = json.dumps([str(small), str(large), str(tmp_path / "data"), allowed, options])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHILD, asked],
        capture_output=True,
        text=True,
        env={**os.environ, **ALLOCATION},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    data = da.load(tmp_path / "data")
    assert int(done.stdout) == len(data) == size
    dtype = np.float64 if name in TEXT else np.float32
    here = observations(size, width, dtype)
    assert np.array_equal(data.observations, here)
    inner = np.flatnonzero(~data.terminations)
    assert np.array_equal(data.next_observations[inner], here[inner + 1])


def test_growing_arrays(monkeypatch):
    random = np.random.default_rng(0)
    parts = [random.normal(size=(n, 3)).astype(kind) for n, kind in
             ((4, "f4"), (0, "f4"), (9, "f8"), (1, "f4"))]  # fmt: skip
    for allowed in (1 << 20, 100, 0):
        monkeypatch.setattr(scratch, "IN_MEMORY", allowed)
        growing = scratch.Growing()
        for part in parts:
            growing.append(part)
        whole = growing.whole()
        assert whole.dtype == np.float64
        assert np.array_equal(whole, np.concatenate(parts))
    growing = scratch.Growing()
    growing.append(parts[0])
    with pytest.raises(ValueError, match="rows of one shape"):
        growing.append(parts[0][:, :2])
