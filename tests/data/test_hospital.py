"""One table of 300 patients, in every form that people have it, gives equal transitions."""

from __future__ import annotations

import gzip
import json
import sqlite3
import zipfile

import numpy as np
import pytest
from tests.data.hospital import IMPORT, patients, write_csv

import deepaveragers as da
from deepaveragers.cli import main


@pytest.fixture(scope="module")
def columns():
    return patients()


@pytest.fixture(scope="module")
def expected(columns):
    return da.read(columns, **IMPORT)


def dac(command, capsys):
    with pytest.raises(SystemExit) as left:
        main(command)
    told = capsys.readouterr()
    assert left.value.code == 0, told.err
    return told.out


def test_what_is_read(columns, expected):
    assert expected.observation_names == (
        "age", "sex=F", "sex=M", "lactate", "pressure", "lactate=missing",
    )  # fmt: skip
    assert expected.action_names == ("high", "low", "none")
    counts = np.bincount(expected.actions)
    assert counts.min() > 0.3 * len(expected)
    assert expected.num_episodes == len(set(expected.episode_names)) == 300
    assert expected.terminations.sum() == sum(end is not None for end in columns["outcome"])
    assert set(expected.rewards.tolist()) == {-1.0, 0.0, 1.0}
    assert expected.times.dtype == "datetime64[us]"
    hours = np.diff(expected.times)[np.diff(expected.episode_ids) == 0]
    assert (hours == np.timedelta64(4, "h")).all()
    sexes = dict(zip(columns["patient"], columns["sex"], strict=True))
    for row in (0, 100, -1):
        name = expected.episode_name(row)
        assert expected.observations[row, 1] == (sexes[name] == "F")
    marked = expected.observations[:, -1].mean()
    assert 0.2 < marked < 0.4


def test_text(tmp_path, columns, expected, same):
    same(da.read(write_csv(tmp_path / "a.csv", columns), **IMPORT), expected)
    semicolon = write_csv(
        tmp_path / "b.csv",
        columns,
        delimiter=";",
        decimal=",",
        dates=lambda moment: moment.strftime("%d.%m.%Y %H:%M"),
    )
    same(da.read(semicolon, **IMPORT, decimal=",", time_format="%d.%m.%Y %H:%M"), expected)
    with pytest.raises(da.InputError, match="decimal=','"):
        da.read(semicolon, **IMPORT, time_format="%d.%m.%Y %H:%M")
    with pytest.raises(da.InputError, match=r"time_format='%d\.%m\.%Y %H:%M'"):
        da.read(semicolon, **IMPORT, decimal=",")
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    same(da.read(packed, **IMPORT), expected)
    with zipfile.ZipFile(tmp_path / "a.csv.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(tmp_path / "a.csv", "export/a.csv")
    same(da.read(tmp_path / "a.csv.zip", **IMPORT), expected)
    for encoding in ("utf-16", "cp1252"):
        (tmp_path / "c.csv").write_text((tmp_path / "a.csv").read_text(), encoding=encoding)
        same(da.read(tmp_path / "c.csv", **IMPORT, encoding=encoding), expected)


def test_many_files(tmp_path, columns, expected, same):
    for part in range(4):
        size = len(columns["drug"])
        rows = range(part * size // 4, (part + 1) * size // 4)
        write_csv(
            tmp_path / f"part{part}.csv",
            {name: [values[row] for row in rows] for name, values in columns.items()},
        )
    reading = da.read_reported(str(tmp_path / "part*.csv"), **IMPORT)
    same(reading.transitions, expected)
    assert any("4 tables were read" in note for note in reading.notes)
    same(da.read(sorted(tmp_path.glob("*.csv")), **IMPORT), expected)
    with zipfile.ZipFile(tmp_path / "parts.zip", "w") as archive:
        for path in tmp_path.glob("*.csv"):
            archive.write(path, path.name)
    same(da.read(tmp_path / "parts.zip", **IMPORT), expected)


@pytest.mark.slow
def test_pandas_and_polars(tmp_path, columns, expected, same):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pd.DataFrame(columns)
    same(da.read(frame, **IMPORT), expected)
    same(da.read(frame.set_index(["patient", "charttime"]), **IMPORT), expected)
    same(da.read(frame.astype({"sex": "category", "drug": "category"}), **IMPORT), expected)
    frame.to_csv(tmp_path / "pandas.csv")
    same(da.read(tmp_path / "pandas.csv", **IMPORT), expected)
    pd.read_csv(tmp_path / "pandas.csv").to_csv(tmp_path / "again.csv", index=False)
    same(da.read(tmp_path / "again.csv", **IMPORT), expected)
    same(da.read(pl.DataFrame(columns), **IMPORT), expected)
    same(da.read(pl.DataFrame(columns).lazy(), **IMPORT), expected)


def test_parquet_and_arrow(tmp_path, columns, expected, same):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table(columns)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=700)
    same(da.read(tmp_path / "a.parquet", **IMPORT), expected)
    same(da.read(table, **IMPORT), expected)
    same(da.read(table.to_reader(max_chunksize=500), **IMPORT), expected)

    class GivesPandas:
        def to_pandas(self):
            return table.to_pandas()

    same(da.read(GivesPandas(), **IMPORT), expected)


def test_pandas_index_in_parquet(tmp_path, columns, expected, same):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(columns)
    frame.iloc[np.arange(len(frame))].to_parquet(tmp_path / "a.parquet")
    same(da.read(tmp_path / "a.parquet", **IMPORT), expected)


@pytest.mark.slow
def test_excel(tmp_path, columns, expected, same):
    pytest.importorskip("python_calamine")
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["nothing here"])
    sheet = book.create_sheet("log")
    sheet.append(["", *columns])
    for number, row in enumerate(zip(*columns.values(), strict=True)):
        sheet.append([number, *row])
    book.save(tmp_path / "a.xlsx")
    reading = da.read_reported(tmp_path / "a.xlsx", **IMPORT, sheet="log")
    same(reading.transitions, expected)
    assert any("sheet 'log' was read, of 2" in note for note in reading.notes)
    with pytest.raises(da.InputError, match=r"sheet must be a sheet of .*Sheet, log"):
        da.read(tmp_path / "a.xlsx", **IMPORT, sheet="none")


def test_excel_that_claims_to_be_small(tmp_path, monkeypatch):
    pytest.importorskip("python_calamine")
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "a.xlsx"
    openpyxl.Workbook().save(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", b"a" * 3_000_001)
    whole = path.read_bytes()
    # Both places in which a zip archive tells a member's size.
    size = (3_000_001).to_bytes(4, "little")
    assert whole.count(size) == 2
    path.write_bytes(whole.replace(size, (1000).to_bytes(4, "little")))
    with pytest.raises(da.InputError, match=r"'xl/sharedStrings\.xml' is broken"):
        da.read(path, **IMPORT)
    path.write_bytes(whole)
    monkeypatch.setattr("deepaveragers.data.tables.excel.LARGEST", 2_000_000)
    with pytest.raises(da.InputError, match="at most 2,000,000 bytes unpacked"):
        da.read(path, **IMPORT)


def fill_database(connection, columns):
    connection.execute(
        "CREATE TABLE log (patient TEXT, charttime TIMESTAMP, age INTEGER, sex TEXT, "
        "lactate DOUBLE PRECISION, pressure DOUBLE PRECISION, drug TEXT, outcome TEXT, "
        "reward DOUBLE PRECISION)"
    )
    rows = list(zip(*columns.values(), strict=True))
    plain = [tuple(str(x) if hasattr(x, "year") else x for x in row) for row in rows]
    connection.executemany(f"INSERT INTO log VALUES ({', '.join('?' * 9)})", plain)
    connection.commit()


def test_sqlite(tmp_path, columns, expected, same):
    path = tmp_path / "log.sqlite"
    with sqlite3.connect(path) as connection:
        fill_database(connection, columns)
        same(da.read(connection, **IMPORT), expected)
    same(da.read(path, **IMPORT), expected)
    same(da.read(f"sqlite:///{path}", **IMPORT, sql="SELECT * FROM log"), expected)
    sqlalchemy = pytest.importorskip("sqlalchemy")
    same(da.read(sqlalchemy.create_engine(f"sqlite:///{path}"), **IMPORT), expected)
    before = path.read_bytes()
    with pytest.raises(da.InputError, match="readonly"):
        da.read(path, **IMPORT, sql="DELETE FROM log")
    assert path.read_bytes() == before
    few = da.read(path, **IMPORT, sql="SELECT * FROM log WHERE sex = 'F'")
    assert few.num_episodes == 150
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE other (a)")
    with pytest.raises(da.InputError, match=r"one of the tables of .*log, other"):
        da.read(path, **IMPORT)
    same(da.read(path, **IMPORT, sql="log"), expected)


def test_duckdb(tmp_path, columns, expected, same):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "log.duckdb"
    with duckdb.connect(str(path)) as connection:
        fill_database(connection, columns)
        same(da.read(connection, **IMPORT, sql="SELECT * FROM log"), expected)
        same(da.read(connection.sql("SELECT * FROM log"), **IMPORT), expected)
        with pytest.raises(da.InputError, match=r"source must be a DuckDBPyRelation"):
            da.read(connection.sql("SELECT error('no') AS drug, 1 AS reward FROM log"), **IMPORT)
    same(da.read(path, **IMPORT), expected)


@pytest.mark.slow
def test_three_commands_to_an_explained_decision(tmp_path, columns, expected, capsys, same):
    write_csv(tmp_path / "patients.csv", columns)
    look = json.loads(dac(["import", str(tmp_path / "patients.csv"), "--json"], capsys))
    meant = {name: value for name, value in IMPORT.items() if name in look["guess"]}
    assert look["guess"] == meant == IMPORT
    options = [
        word
        for name, value in IMPORT.items()
        for word in (f"--{name.replace('_', '-')}", str(value))
    ]
    data, plan = str(tmp_path / "data"), str(tmp_path / "plan")
    dac(["import", str(tmp_path / "patients.csv"), *options, "-o", data], capsys)
    same(da.load(data), expected)
    dac(["solve", data, "-o", plan], capsys)
    asked = "sex=F,pressure=62,lactate=4.1,age=60"
    decision = json.loads(dac(["explain", plan, "--observation", asked, "--json"], capsys))
    assert decision["action"] in range(3)
    text = dac(["explain", plan, "--observation", asked], capsys)
    assert "sex=F" in text
    assert "P0" in text
