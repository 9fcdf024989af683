"""Harmed files of every format give the right data or a clear error."""

from __future__ import annotations

import csv
import gzip
import os
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pytest

from deepaveragers.data.reading import read
from deepaveragers.errors import DeepAveragersError

COLUMNS = {
    "episode": "e",
    "time": "t",
    "observations": "x,y",
    "action": "a",
    "reward": "r",
    "terminated": "d",
}
CORPUS = Path(__file__).parents[1] / "corpus"
ROUNDS = int(os.environ.get("FUZZ_ROUNDS", "300"))
"""FUZZ_ROUNDS=5000 pytest -s tests/data/test_fuzzing.py tests/storage/test_fuzzing.py"""


def harmed(content, random):
    content = bytearray(content)
    for _ in range(int(random.integers(1, 4))):
        place = int(random.integers(len(content) + 1))
        kind = int(random.integers(5))
        if kind == 0 and place < len(content):
            content[place] ^= 1 << int(random.integers(8))
        elif kind == 1:
            content[place : place + 1] = random.bytes(int(random.integers(1, 9)))
        elif kind == 2:
            del content[place : place + int(random.integers(1, 40))]
        elif kind == 3:
            content[place:place] = content[: int(random.integers(1, 200))]
        else:
            token = [b"nan", b"inf", b",", b'"', b"\n", b"-1", b"1e400", b"\x00"]
            content[place:place] = token[int(random.integers(len(token)))]
    return bytes(content)


def attempt(path, **columns):
    """Read a file; a dataset must be sound, and an error one of ours."""
    try:
        data = read(path, **columns)
    except DeepAveragersError:
        return 0
    assert np.isfinite(data.observations).all()
    assert np.isfinite(data.rewards).all()
    return 1


@pytest.mark.parametrize("seed", sorted((CORPUS / "tables").iterdir()), ids=lambda file: file.stem)
def test_odd_tables(seed):
    attempt(seed, **COLUMNS)


def test_harmed_text_tables(tmp_path):
    random = np.random.default_rng(0)
    path = tmp_path / "log.csv"
    seeds = [file.read_bytes() for file in sorted((CORPUS / "tables").iterdir())]
    sound = (CORPUS / "tables" / "sound.csv").read_bytes()
    read_well, rounds = 0, 5 * ROUNDS
    for _ in range(rounds):
        seed = sound if random.random() < 0.7 else seeds[int(random.integers(len(seeds)))]
        path.write_bytes(harmed(seed, random))
        missing = "drop" if random.random() < 0.5 else "error"
        read_well += attempt(path, **COLUMNS, missing=missing)
    assert 0 < read_well < rounds
    print(f"{rounds} harmed tables: {read_well} read, {rounds - read_well} refused")  # noqa: T201


@pytest.mark.parametrize(
    "seed", sorted((CORPUS / "archives").iterdir()), ids=lambda file: file.name
)
def test_harmed_archives(seed, tmp_path, same):
    needs = {".npz": "numpy", ".parquet": "pyarrow", ".h5": "h5py"}
    pytest.importorskip(needs[seed.suffix])
    path = tmp_path / seed.name
    whole = seed.read_bytes()
    random = np.random.default_rng(1)
    read_well = 0
    for _ in range(ROUNDS):
        path.write_bytes(harmed(whole, random))
        read_well += attempt(path)
    print(f"{ROUNDS} harmed {seed.name}: {read_well} read, {ROUNDS - read_well} refused")  # noqa: T201
    path.write_bytes(whole)
    assert attempt(path) == 1


def sound_table(path, kind):
    """Write the sound table of the corpus in another form."""
    text = (CORPUS / "tables" / "sound.csv").read_text()
    rows = list(csv.reader(text.splitlines()))
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("log.csv", text)
    elif kind == "gz":
        path.write_bytes(gzip.compress(text.encode()))
    elif kind == "xlsx":
        book = pytest.importorskip("openpyxl").Workbook()
        for row in rows:
            book.active.append([_number_or_text(cell) for cell in row])
        book.save(path)
    elif kind == "sqlite":
        with sqlite3.connect(path) as connection:
            connection.execute(f"CREATE TABLE log ({', '.join(rows[0])})")
            places = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO log VALUES ({places})", rows[1:])
        connection.close()
    else:
        duckdb = pytest.importorskip("duckdb")
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE TABLE log ({', '.join(f'{n} TEXT' for n in rows[0])})")
            places = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO log VALUES ({places})", rows[1:])


def _number_or_text(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


@pytest.mark.parametrize("kind", ["zip", "gz", "xlsx", "sqlite", "duckdb"])
def test_harmed_tables_of_other_forms(kind, tmp_path):
    if kind == "xlsx":
        pytest.importorskip("python_calamine")
    path = tmp_path / ("log.csv.gz" if kind == "gz" else f"log.{kind}")
    sound_table(path, kind)
    whole = path.read_bytes()
    assert attempt(path, **COLUMNS) == 1
    random = np.random.default_rng(2)
    read_well, rounds = 0, ROUNDS // 10 if kind == "duckdb" else ROUNDS
    for _ in range(rounds):
        path.write_bytes(harmed(whole, random))
        read_well += attempt(path, **COLUMNS)
    print(f"{rounds} harmed .{kind}: {read_well} read, {rounds - read_well} refused")  # noqa: T201


def test_archives_of_the_corpus_agree(same):
    pytest.importorskip("pyarrow")
    pytest.importorskip("h5py")
    own, parquet = (read(CORPUS / "archives" / f"own.{end}") for end in ("npz", "parquet"))
    same(own, parquet)
    assert np.array_equal(read(CORPUS / "archives" / "d4rl.h5").observations, own.observations)
