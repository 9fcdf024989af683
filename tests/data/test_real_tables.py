"""What people's tables have: labels like none, indexes, categories, outcomes, blanks, marks."""

from __future__ import annotations

import gzip
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepaveragers as da
from deepaveragers.data.tables import csv_file
from deepaveragers.data.tables.guess import guessed
from deepaveragers.data.tables.notation import Notation
from deepaveragers.data.tables.sources import open_table
from deepaveragers.data.tables.survey import survey

ROLES = {"episode": "run", "action": "drug", "reward": "gain"}


def columns(**changes):
    plain = {
        "run": ["a", "a", "a", "b", "b"],
        "x": [1.0, 2.0, 3.0, 4.0, 5.0],
        "drug": ["none", "low", "high", "None", "low"],
        "gain": [0.0, 1.0, 2.0, 3.0, 4.0],
        "end": [0, 0, 1, 0, 1],
    }
    return {**plain, **changes}


def written(path, table):
    rows = zip(*table.values(), strict=True)
    lines = [",".join(table), *(",".join("" if x is None else str(x) for x in r) for r in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def reading(table, **options):
    return da.read_reported(table, **{**ROLES, "terminated": "end", **options})


def told(table, **options):
    return " ".join(reading(table, **options).notes)


def test_none_is_a_label(tmp_path):
    for source in (columns(), written(tmp_path / "a.csv", columns())):
        data = reading(source).transitions
        assert data.action_names == ("None", "high", "low", "none")
        assert len(data) == 5
        missing = reading(source, missing_values="none", missing="drop").transitions
        assert missing.action_names == ("high", "low")


def test_a_real_null_is_missing():
    table = columns(drug=["none", None, "high", "low", "low"])
    with pytest.raises(da.InputError, match=r"'drug'.*row 1 \(in the whole column 1 blank\)"):
        reading(table)
    assert reading(table, missing="drop").transitions.action_names == ("high", "low", "none")


def test_what_was_taken_as_missing_is_counted(tmp_path):
    table = columns(x=["1", "NA", "nan", "none", ""], drug=["low", "NA", *["low"] * 3])
    table["end"] = [1, 0, 0, 0, 0]
    note = told(written(tmp_path / "a.csv", table), missing="drop")
    assert "x (1 'NA', 1 'nan', 1 'none', 1 blank)" in note
    assert "drug (1 'NA')" in note
    exact = {"missing_values": "", "observations": "x", "categorical": "x", "missing": "drop"}
    kept = reading({**table, "end": [1] * 5}, **exact).transitions
    assert kept.action_names == ("NA", "low")


def test_codes_for_missing_numbers():
    table = columns(x=[1.0, -999.0, 3.0, 4.0, 5.0])
    with pytest.raises(da.InputError, match=r"'x'.*1 '-999'"):
        reading(table, missing_values="-999")
    data = reading(table, missing_values=["-999"], fill="mean").transitions
    assert data.observations[1].tolist() == [3.25, 1.0]


def test_an_unnamed_first_column_is_an_index(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(",x,a,r\n0,1.5,0,1\n1,2.5,1,2\n2,3.5,0,3\n")
    found = da.read_reported(path, action="a", reward="r", one_series=True)
    assert found.transitions.observation_names == ("x",)
    assert any("no name: it is taken for an index" in note for note in found.notes)
    timed = da.read(path, action="a", reward="r", time="index", one_series=True)
    assert timed.times.tolist() == [0, 1]
    path.write_text("x,,r\n1,2,3\n")
    with pytest.raises(da.InputError, match="names every column"):
        da.read(path, action="a", reward="r")


def test_categories():
    table = columns(sex=["M", "F", "F", None, "M"], ward=[3, 10, 3, 3, 10])
    data = reading(table, fill="forward", categorical="ward").transitions
    assert data.observation_names == ("x", "sex=F", "sex=M", "ward=3", "ward=10", "sex=missing")
    assert data.observations[0].tolist() == [1, 0, 1, 1, 0, 0]
    # b's first row has no value before it: the shares of the labels.
    assert data.observations[3].tolist() == [4, 0.5, 0.5, 1, 0, 1]


def test_text_that_is_no_category():
    many = columns(note=["one", "two", "three", "four", "five"], day=["2026-01-01"] * 5)
    found = reading(many)
    assert "'day' holds dates: it is left out" in " ".join(found.notes)
    assert found.transitions.observation_shape == (6,)
    mixed = columns(x=["1", "2", "<0.5", "3", "4"])
    with pytest.raises(da.InputError, match=r"'x' at row 2 must be a number; received '<0.5'"):
        reading(mixed)
    with pytest.raises(da.InputError, match=r"'x' at row 1 must be text like 'high'"):
        reading(columns(x=["high", "2", "3", "3", "4"]))
    size = 60
    free = {"x": range(size), "a": [0] * size, "r": [0] * size, "t": [f"n{i}" for i in range(size)]}
    asked = {"action": "a", "reward": "r", "one_series": True}
    found = da.read_reported(free, **asked)
    assert found.transitions.observation_names == ("x",)
    assert any("more than 20 different texts" in note for note in found.notes)
    with pytest.raises(da.InputError, match="at most 20 different categories"):
        da.read(free, **asked, observations="x,t")
    assert da.read(free, **asked, categorical="t").observation_shape == (61,)


def test_outcomes_in_text():
    ends = columns(end=["", None, "died", "", "discharged"])
    assert reading(ends).transitions.terminations.tolist() == [False, False, True, False, True]
    assert "every text in column 'end' is an end: died, discharged" in told(ends)
    some = reading(ends, terminal_values="Died").transitions
    assert some.terminations.tolist() == [False, False, True, False]
    with pytest.raises(da.InputError, match="terminal_values must be values of column 'end'"):
        reading(ends, terminal_values="dead")
    with pytest.raises(da.InputError, match="all flags, or all texts"):
        reading(columns(end=["none"] * 5))
    for word in ("none", "no", "0"):
        beside = columns(end=[word, word, "died", word, "discharged"])
        with pytest.raises(da.InputError, match="terminal-values 'died,discharged'"):
            reading(beside)
        data = reading(beside, terminal_values="died,discharged").transitions
        assert data.terminations.sum() == 2
    only = columns(end=[None, None, 1, None, 1])
    assert reading(only).transitions.terminations.sum() == 2
    with pytest.raises(da.InputError, match="a flag: 1 or 0"):
        reading(columns(end=[0, 0, 2, 0, 1]))


def test_an_outcome_in_every_row_is_that_of_its_episode():
    table = columns(end=["died"] * 3 + ["alive"] * 2)
    found = reading(table, terminal_values="died")
    assert found.transitions.terminations.tolist() == [False, False, True, False]
    assert any("stands in every row" in note for note in found.notes)


def test_blank_rewards(tmp_path):
    path = written(tmp_path / "a.csv", columns(gain=["", "", 5, "", -5]))
    with pytest.raises(da.InputError, match=r"'gain'.*line 2, and 2 more.*reward_fill=0"):
        reading(path)
    assert reading(path, reward_fill=0).transitions.rewards.tolist() == [0, 0, 5, 0, -5]


def test_filling_forward_and_by_the_mean():
    table = columns(x=[1.0, None, 3.0, None, 5.0], y=[7.0] * 5)
    forward = reading(table, fill="forward").transitions
    assert forward.observation_names == ("x", "y", "x=missing")
    assert forward.observations[:, 0].tolist() == [1, 1, 3, 3, 5]
    assert forward.observations[:, 2].tolist() == [0, 1, 0, 1, 0]
    assert "1 without one: the column's mean): x 2" in told(table, fill="forward")
    mean = reading(table, fill="mean").transitions
    assert mean.observations[:, 0].tolist() == [1, 3, 3, 3, 5]
    with pytest.raises(da.InputError, match=r"'x'.*fill='forward'"):
        reading(table)
    with pytest.raises(da.InputError, match="an empty column"):
        reading(columns(x=[np.nan] * 5), observations="x", fill="mean")


def test_filling_next_observations():
    table = columns(x=[1.0, None, 3.0, 4.0, 5.0], y=[2.0, None, 4.0, None, 6.0])
    options = {"observations": "x", "next_observations": "y", "fill": "forward"}
    data = reading(table, **options).transitions
    assert data.observations.tolist() == [[1, 0], [1, 1], [3, 0], [4, 0], [5, 0]]
    assert data.next_observations.tolist() == [[2, 0], [1, 1], [4, 0], [4, 1], [6, 0]]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), step=st.integers(1, 7))
def test_filling_in_blocks_is_filling_row_by_row(seed, step):
    from deepaveragers.data.tables import filling

    random = np.random.default_rng(seed)
    size = 20
    numbers = random.normal(size=(size, 3))
    numbers[random.random((size, 3)) < 0.4] = np.nan
    runs = np.sort(random.integers(4, size=size))
    table = {"e": runs, "a": [0] * size, "r": [0] * size, "d": [1] * size}
    table |= {name: numbers[:, place] for place, name in enumerate("xyz")}
    if np.isnan(numbers).all(axis=0).any():
        return
    expected = numbers.copy()
    for row in range(size):
        for column in np.flatnonzero(np.isnan(expected[row])):
            before = row and runs[row - 1] == runs[row]
            expected[row, column] = expected[row - 1, column] if before else np.nan
    expected = np.where(np.isnan(expected), np.nanmean(numbers, axis=0), expected)
    patch = pytest.MonkeyPatch()
    with patch.context() as patched:
        patched.setattr(filling, "rows_at_once", lambda table: step)
        data = da.read(
            table, episode="e", action="a", reward="r", terminated="d", fill="forward",
            observations="x,y,z",
        )  # fmt: skip
    assert np.allclose(data.observations[:, :3], expected, rtol=1e-12)


@settings(max_examples=200, deadline=None)
@given(st.floats(-1e12, 1e12), st.sampled_from([(".", ","), (",", "."), (",", " "), (".", "'")]))
def test_numbers_with_marks(number, marks):
    decimal, thousands = marks
    notation = Notation(decimal=decimal, thousands=thousands)
    text = f"{number:,.6f}".translate(str.maketrans({",": thousands, ".": decimal}))
    assert notation.number(text) == float(f"{number:.6f}")


@pytest.mark.parametrize("text", ["1_000", "１２", "٣", "1.234,5", "1,5", "12,34,567", "0x1", "½"])  # noqa: RUF001
def test_what_is_no_number(text):
    with pytest.raises(da.InputError, match="must be a number"):
        reading(columns(x=[1, 2, text, 4, 5]))


def test_marks_that_are_not_meant_are_refused():
    with pytest.raises(da.InputError, match="--thousands ,"):
        reading(columns(x=["1", "1,234", "3", "4", "5"]))
    with pytest.raises(da.InputError, match=r"thousands='\.'"):
        reading(columns(x=["1", "1.234", "3", "4", "5"]), decimal=",")
    for wrong in ("1.23", "1.2345", "12.34.567"):
        with pytest.raises(da.InputError, match="must be a number"):
            reading(columns(x=["1", wrong, "3", "4", "5"]), decimal=",", thousands=".")


def test_rows_that_stand_alone():
    table = {"x": range(6), "a": [0, 1] * 3, "click": [0, 1, 0, 0, 1, 0], "p": [0.5] * 6}
    data = da.read(table, action="a", reward="click", propensity="p", each_row_ends=True)
    assert len(data) == data.num_episodes == 6
    assert data.terminations.all()
    assert data.propensities.tolist() == [0.5] * 6
    with pytest.raises(da.InputError, match=r"column 'p' at row 2 must be chances in \(0, 1\]"):
        da.read(
            {**table, "p": [0.5, 1, 0, 1, 1, 1]},
            action="a", reward="click", propensity="p", each_row_ends=True,
        )  # fmt: skip
    with pytest.raises(da.InputError, match="each_row_ends must be given alone"):
        da.read(table, action="a", reward="click", each_row_ends=True, done="p")


def test_no_episode_column_is_asked_about():
    table = {"x": range(6), "a": [0, 1] * 3, "r": [0, 1, 0, 0, 1, 0]}
    with pytest.warns(da.DataWarning, match=r"all 6 rows were taken for one series.*each-row-ends"):
        da.read(table, action="a", reward="r")
    assert not da.read_reported(table, action="a", reward="r", one_series=True).warnings
    ended = {**table, "d": [0, 0, 1, 0, 0, 1]}
    found = da.read_reported(ended, action="a", reward="r", terminated="d")
    assert not found.warnings
    assert any("ends where an end is marked, 2 of them" in note for note in found.notes)


def test_lost_reward_is_said():
    table = columns(gain=[0, 0, 5, 0, -5])
    with pytest.warns(da.DataWarning, match=r"2 row\(s\).*hold 100% of all reward.*--terminated"):
        da.read(table, **ROLES, observations="x")
    assert not reading(table).warnings


def test_units_and_a_misspelled_column():
    data = reading(columns(), units="x=mmol/l").transitions
    assert data.observation_units[data.observation_names.index("x")] == "mmol/l"
    with pytest.raises(da.InputError, match="units must be among"):
        reading(columns(), units={"y": "mmol/l"})
    with pytest.raises(da.InputError, match="Did you mean 'drug'"):
        reading(columns(), action="drugs")


def test_places_in_many_files(tmp_path):
    for name in "ab":
        written(tmp_path / f"{name}.csv", columns(x=[1, 2, "oops" if name == "b" else 3, 4, 5]))
    with pytest.raises(da.InputError, match=r"'x' at line 4 of .*b\.csv"):
        reading(str(tmp_path / "*.csv"))
    (tmp_path / "b.csv").write_text("run,x\n1,2\n")
    with pytest.raises(da.InputError, match=r"with the columns of .*a difference: 'drug'"):
        reading(str(tmp_path / "*.csv"))
    with pytest.raises(da.StorageError, match="no file matches"):
        reading(str(tmp_path / "*.tsv"))


def test_every_file_is_a_series_of_its_own(tmp_path):
    for name in "ab":
        written(tmp_path / f"{name}.csv", columns())
    data = da.read(
        str(tmp_path / "*.csv"), observations="x", action="drug", reward="gain", one_series=True
    )
    assert data.num_episodes == 2
    assert len(data) == 8


def test_long_headers_are_whole_and_endless_lines_are_refused(tmp_path, monkeypatch):
    names = [f"{'column' * 10}{number}" for number in range(3000)]
    path = tmp_path / "wide.csv"
    line = ",".join(["1"] * 3000)
    path.write_text(f"{','.join(names)}\n{line}\n{line}\n")
    data = da.read(path, action=names[0], reward=names[1], one_series=True)
    assert data.observation_shape == (2998,)
    monkeypatch.setattr(csv_file, "LONGEST_LINE", 1000)
    for packed in (b"0" * 5000, b"a,b,c\n" + b"0" * 5000):
        (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(packed))
        with pytest.raises(da.InputError, match="more than 1,000 characters"):
            da.read(tmp_path / "bomb.csv.gz", action="a", reward="b")


def test_archives_without_tables(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("readme.md", "nothing")
    with pytest.raises(da.InputError, match=r"one of readme\.md"):
        da.read(tmp_path / "a.zip", action="a", reward="b")
    (tmp_path / "a.zip").write_bytes(b"PK nothing")
    with pytest.raises(da.InputError, match="a zip archive"):
        da.read(tmp_path / "a.zip", action="a", reward="b")


def test_rows_of_a_database_that_mix_types(tmp_path):
    import sqlite3

    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE log (x, a, r)")
    rows = [(1, 1, 0), ("2", "1", 1.5), (3.5, 0, None), (4, "0", 2)]
    connection.executemany("INSERT INTO log VALUES (?, ?, ?)", rows)
    data = da.read(connection, action="a", reward="r", reward_fill=0, one_series=True)
    assert data.actions.tolist() == [1, 1, 0]
    assert data.observations.reshape(-1).tolist() == [1, 2, 3.5]
    with pytest.raises(da.InputError, match=r"sql must be a query that .*no such column"):
        da.read(connection, action="a", reward="r", sql="SELECT y FROM log")


def test_files_elsewhere_are_not_fetched():
    with pytest.raises(
        da.InputError, match=r"https://\w+@example\.org/a\.csv.*Download"
    ) as refused:
        da.read("https://me:very-secret@example.org/a.csv?key=hidden", action="a", reward="r")
    assert "secret" not in str(refused.value)
    assert "hidden" not in str(refused.value)


def test_days_before_months_are_seen(tmp_path):
    days = ["03/05/2026", "04/05/2026", "25/05/2026", "01/06/2026", "02/06/2026"]
    found = survey(open_table(written(tmp_path / "a.csv", columns(day=days))))
    assert guessed(found)["time_format"] == "%d/%m/%Y"
    with pytest.raises(da.InputError, match=r"'25/05/2026'.*time_format='%d/%m/%Y' \("):
        reading(columns(day=days), time="day", time_format="%m/%d/%Y")
    with pytest.raises(da.InputError, match="'%m/%d/%Y' or '%d/%m/%Y'"):
        reading(columns(day=days), time="day")


def test_a_forgotten_column_of_ends():
    table = columns(outcome=[None, None, "died", None, "home"])
    del table["end"]
    with pytest.raises(da.InputError, match=r"terminated='outcome' \(--terminated outcome\)"):
        da.read(table, **ROLES)


def test_blanks_that_mean_no_end_are_not_missing():
    table = columns(end=[None, None, "died", None, "home"])
    assert "missing" not in told(table, terminal_values=["died"])
    assert "missing" not in told(table)


def test_the_only_dates_are_guessed_as_the_time(tmp_path):
    days = ["2026-05-03", "2026-05-04", "2026-05-05", "2026-05-06", "2026-05-07"]
    found = survey(open_table(written(tmp_path / "a.csv", columns(seen=days))))
    assert guessed(found)["time"] == "seen"
    found = survey(open_table(written(tmp_path / "b.csv", columns(seen=days, born=days))))
    assert guessed(found).get("time") not in ("seen", "born")


def test_a_shops_columns_are_guessed(tmp_path):
    rows = range(400)
    shop = {
        "Customer": [*(f"C-{row // 20}" for row in rows), "Total"],
        "Week starting": [*(f"2024-01-{1 + row % 20:02d}" for row in rows), ""],
        "Price score": [*(row % 7 / 2 for row in rows), ""],
        "Coupon": [*(f"{row % 4 * 5}%" for row in rows), ""],
        "Margin EUR": [*(row % 10 / 4 for row in rows), 450.0],
        "Status": [*("unsubscribed" if row % 40 == 39 else "" for row in rows), ""],
    }
    found = guessed(survey(open_table(written(tmp_path / "shop.csv", shop))))
    assert found["episode"] == "Customer"
    assert (found["action"], found["reward"]) == ("Coupon", "Margin EUR")
    assert found["terminated"] == "Status", "the only text that is blank in most rows"
    assert found["missing"] == "drop", "the row of totals has no time"


def test_names_and_costs_are_guessed(tmp_path):
    pumps = {
        "Pump": [f"P-{row // 3:03d}" for row in range(90)],
        "Site": ["north", "south"] * 45,
        "Vibration": [1.5 + row for row in range(90)],
        "Work": ["nothing", "grease", "replace"] * 30,
        "Failed": ["no", "no", "yes"] * 30,
        "Cost EUR": [0, 15, 400] * 30,
    }
    found = guessed(survey(open_table(written(tmp_path / "a.csv", pumps))))
    assert (found["episode"], found["terminated"]) == ("Pump", "Failed")
    assert (found["reward"], found["reward_scale"]) == ("Cost EUR", -1)
    assert "one_series" not in found
    shifts = {**pumps, "Shift": ["day", "day", "night"] * 30}
    found = guessed(survey(open_table(written(tmp_path / "c.csv", shifts))))
    assert found["episode"] == "Pump", "no episode is called day or night"
    two = {**pumps, "Serial": [f"S-{row // 2:03d}" for row in range(90)]}
    found = guessed(survey(open_table(written(tmp_path / "b.csv", two))))
    assert "episode" not in found
