"""`dac act` on a large table: rows a second, by format."""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import deepaveragers as da
from benchmarks.serving.servers import PROGRAM
from benchmarks.serving.worlds import COLUMNS, observations

SMALL = 1_000
"""Rows of the run whose time is taken off: starting Python and mapping the policy."""


def run(folder: Path, policy: Path, rows: int) -> dict[str, Any]:
    """Return rows a second of whole runs, and without the time to start."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for suffix in ("csv", "parquet", "jsonl"):
        names = []
        for count in (SMALL, rows):
            names.append(folder / f"new-{count}.{suffix}")
            _write(names[-1], count)
        _act(policy, names[0])  # compiled kernels are kept
        start, whole = (_act(policy, name) for name in names)
        found[suffix] = {
            "rows": rows,
            "seconds": whole,
            "rows_per_second": rows / whole,
            "rows_per_second_after_start": (rows - SMALL) / (whole - start),
        }
    return found


def load_seconds(path: Path) -> dict[str, float]:
    """Return the seconds that a policy takes to load: verified, and by a quick look."""
    found = {}
    for verify in ("full", "quick"):
        begin = time.perf_counter()
        da.load(path, verify=verify)  # type: ignore[arg-type]
        found[verify] = time.perf_counter() - begin
    return found


def _act(policy: Path, table: Path) -> float:
    output = table.with_name(f"decisions{table.suffix}")
    command = [sys.executable, "-c", PROGRAM, "act", str(policy), str(table), "-o", str(output)]
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def _write(path: Path, count: int) -> None:
    if path.exists():
        return
    rows = observations(count, seed=2)
    if path.suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet

        columns = {name: rows[:, place] for place, name in enumerate(COLUMNS)}
        table = pyarrow.table({"id": [f"p{row}" for row in range(count)], **columns})
        pyarrow.parquet.write_table(table, path)
        return
    with open(path, "w", newline="") as file:
        if path.suffix == ".csv":
            writer = csv.writer(file)
            writer.writerow(["id", *COLUMNS])
            writer.writerows([f"p{row}", *map(float, one)] for row, one in enumerate(rows))
            return
        for row, one in enumerate(rows.tolist()):
            values = ", ".join(f'"{name}": {value!r}' for name, value in zip(COLUMNS, one))
            file.write(f'{{"id": "p{row}", {values}}}\n')
