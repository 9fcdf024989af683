"""Small whole files of every format that is read, for harming."""

from __future__ import annotations

import gzip
import importlib.util
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da
from deepaveragers.data.tables.per_transition import read_flags, read_numbers

CORPUS = Path(__file__).parents[1] / "corpus"
COLUMNS = {
    "episode": "e",
    "time": "t",
    "observations": "x,y",
    "action": "a",
    "reward": "r",
    "terminated": "d",
}
MAPPING = "".join(f'{role} = "{name}"\n' for role, name in COLUMNS.items())


@dataclass(frozen=True)
class Seed:
    """A format.

    Attributes:
        name: of the format.
        path: a file, or a directory of files.
        read: reads it from a path like this.
    """

    name: str
    path: Path
    read: Callable[[Path], Any]


def table(path: Path) -> Any:
    """Read a table with known columns, as careful users and careless ones do."""
    missing = "drop" if path.stat().st_size % 2 else "error"
    return da.read(path, **COLUMNS, missing=missing)


def make_seeds(folder: Path) -> list[Seed]:
    """Write one file of every format whose library is there, and return them."""
    folder.mkdir(parents=True, exist_ok=True)
    sound = (CORPUS / "tables" / "sound.csv").read_bytes()
    data = da.load(CORPUS / "bundles" / "transitions")
    (folder / "log.csv").write_bytes(sound)
    (folder / "log.csv.gz").write_bytes(gzip.compress(sound))
    with zipfile.ZipFile(folder / "log.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("log.csv", sound)
    (folder / "map.toml").write_text(MAPPING)
    np.save(folder / "rewards.npy", np.arange(20.0))
    np.save(folder / "mask.npy", np.ones((20, 2), bool))
    _write_sqlite(folder / "log.sqlite", sound)
    da.write(data, folder / "own.npz")
    np.savez_compressed(folder / "packed.npz", **{name: getattr(data, name) for name in FLAT})
    seeds = [
        Seed("csv", folder / "log.csv", table),
        Seed("csv.gz", folder / "log.csv.gz", table),
        Seed("zip", folder / "log.zip", table),
        Seed("sqlite", folder / "log.sqlite", table),
        Seed("toml", folder / "map.toml", lambda path: da.read(folder / "log.csv", mapping=path)),
        Seed("npy", folder / "rewards.npy", read_numbers),
        Seed("npy flags", folder / "mask.npy", lambda path: read_flags(path, ["a", "b"])),
        Seed("npz", folder / "own.npz", da.read),
        Seed("npz packed", folder / "packed.npz", da.read),
    ]
    for kind in sorted(path.name for path in (CORPUS / "bundles").iterdir()):
        shutil.copytree(CORPUS / "bundles" / kind, folder / kind)
        seeds.append(Seed(f"bundle of {kind}", folder / kind, da.load))
    for library, more in OPTIONAL.items():
        if importlib.util.find_spec(library) is not None:
            seeds.extend(more(folder, data, sound))
    return seeds


FLAT = ("observations", "actions", "rewards", "next_observations", "terminations", "truncations")


def _write_sqlite(path: Path, text: bytes) -> None:
    names, *rows = [line.split(",") for line in text.decode().splitlines()]
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE log ({', '.join(names)})")
        places = ", ".join("?" * len(names))
        connection.executemany(f"INSERT INTO log VALUES ({places})", rows)
    connection.close()


def _arrow(folder: Path, data: da.Transitions, sound: bytes) -> list[Seed]:
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet

    rows = pyarrow.csv.read_csv(folder / "log.csv")
    pyarrow.parquet.write_table(rows, folder / "log.parquet")
    pyarrow.feather.write_feather(rows, folder / "log.feather")
    pyarrow.feather.write_feather(rows, folder / "plain.arrow", compression="uncompressed")
    da.write(data, folder / "own.parquet")
    robot = folder / "robot"
    (robot / "meta").mkdir(parents=True)
    (robot / "data").mkdir()
    (robot / "meta" / "info.json").write_text("{}")
    size = 20
    frames = pyarrow.table(
        {
            "observation.state": [[float(i), float(-i)] for i in range(size)],
            "action": [i % 2 for i in range(size)],
            "next.reward": [float(i) for i in range(size)],
            "next.done": [i % 5 == 4 for i in range(size)],
            "episode_index": [i // 5 for i in range(size)],
            "frame_index": [i % 5 for i in range(size)],
        }
    )
    pyarrow.parquet.write_table(frames, robot / "data" / "episodes.parquet")
    return [
        Seed("parquet", folder / "log.parquet", table),
        Seed("feather", folder / "log.feather", table),
        Seed("arrow", folder / "plain.arrow", table),
        Seed("own parquet", folder / "own.parquet", da.read),
        Seed("lerobot", robot, da.read),
    ]


def _hdf5(folder: Path, data: da.Transitions, sound: bytes) -> list[Seed]:
    return [
        Seed(name, Path(shutil.copy(CORPUS / "archives" / f"{name}.h5", folder)), da.read)
        for name in ("d4rl", "d3rlpy")
    ]


def _minari(folder: Path, data: da.Transitions, sound: bytes) -> list[Seed]:
    path = da.write(data, folder / "made-v0")
    return [Seed("minari", path, da.read)]


def _excel(folder: Path, data: da.Transitions, sound: bytes) -> list[Seed]:
    import openpyxl

    book = openpyxl.Workbook()
    for line in sound.decode().splitlines():
        book.active.append(line.split(","))  # type: ignore[union-attr]
    book.save(folder / "log.xlsx")
    return [Seed("xlsx", folder / "log.xlsx", table)]


def _duckdb(folder: Path, data: da.Transitions, sound: bytes) -> list[Seed]:
    import duckdb

    with duckdb.connect(str(folder / "log.duckdb")) as connection:
        source = str(folder / "log.csv").replace("'", "''")
        connection.execute(f"CREATE TABLE log AS SELECT * FROM read_csv('{source}')")
    return [Seed("duckdb", folder / "log.duckdb", table)]


OPTIONAL: dict[str, Callable[[Path, da.Transitions, bytes], list[Seed]]] = {
    "pyarrow": _arrow,
    "h5py": _hdf5,
    "minari": _minari,
    "openpyxl": _excel,
    "duckdb": _duckdb,
}
