"""Tables of logged steps become transitions, value by value."""

from __future__ import annotations

import csv
import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepaveragers.data.mapping import TableMapping, read_mapping
from deepaveragers.data.reading import read, read_reported
from deepaveragers.errors import InputError, StorageError

COLUMNS = {
    "run": ["a", "a", "b", "a", "b", "b"],
    "t": [0, 1, 0, 2, 1, 2],
    "x": [0.5, 0.6, 1.5, 0.7, 1.6, 1.7],
    "v": [1, 2, 1, 3, 2, 2],
    "act": ["left", "right", "left", "left", "right", "right"],
    "rew": [1.0, 1.0, 0.0, 1.0, 2.0, 2.0],
    "end": [0, 0, 0, 1, 0, 0],
}
FIELDS = {
    "episode": "run",
    "time": "t",
    "observations": ["x", "v"],
    "action": "act",
    "reward": "rew",
    "terminated": "end",
}


def write_csv(path, columns, delimiter=","):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def changed(**columns):
    return {**COLUMNS, **columns}


def check_expected(data):
    assert data.observations.tolist() == [[0.5, 1], [0.6, 2], [0.7, 3], [1.5, 1], [1.6, 2]]
    assert data.next_observations.tolist() == [[0.6, 2], [0.7, 3], [0.7, 3], [1.6, 2], [1.7, 2]]
    assert data.action_names == ("left", "right")
    assert data.actions.tolist() == [0, 1, 0, 0, 1]
    assert data.rewards.tolist() == [1, 1, 1, 0, 2]
    assert data.terminations.tolist() == [False, False, True, False, False]
    # The log of run b stops: its last step has no next observation and is left out.
    assert data.truncations.tolist() == [False, False, False, False, True]
    assert data.episode_ids.tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [("log.csv", ","), ("log.tsv", "\t"), ("log.csv.gz", ","), ("a.csv", ";")],
)
def test_text_files(tmp_path, name, delimiter):
    check_expected(read(write_csv(tmp_path / name, COLUMNS, delimiter), **FIELDS))


def test_dictionary_of_columns():
    check_expected(read(COLUMNS, **FIELDS))


def test_pandas(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(COLUMNS)
    check_expected(read(frame, **FIELDS))
    check_expected(read(frame.convert_dtypes(), **FIELDS))
    check_expected(read(frame.astype({"act": "category"}), **FIELDS))


def test_polars():
    pl = pytest.importorskip("polars")
    check_expected(read(pl.DataFrame(COLUMNS), **FIELDS))
    check_expected(read(pl.DataFrame(COLUMNS).lazy(), **FIELDS))


def test_arrow_tables_and_files(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    table = pa.table(COLUMNS)
    check_expected(read(table, **FIELDS))
    pq.write_table(table, tmp_path / "log.parquet", row_group_size=2, use_dictionary=True)
    check_expected(read(tmp_path / "log.parquet", **FIELDS))
    feather.write_feather(table, str(tmp_path / "log.feather"), chunksize=2)
    check_expected(read(tmp_path / "log.feather", **FIELDS))


def test_parquet_keeps_float32_and_lists(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    values = np.arange(12, dtype=np.float32).reshape(4, 3)
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), 3)
    columns = {"s": fixed, "l": pa.array(values.tolist()), "a": [0, 1, 0, 1], "r": [1, 2, 3, 4]}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    data = read(tmp_path / "x.parquet", observations="s", action="a", reward="r")
    assert data.observations.dtype == np.float32
    assert np.array_equal(data.observations, values[:3])
    assert np.array_equal(data.next_observations, values[1:])
    lists = read(tmp_path / "x.parquet", observations="l", action="a", reward="r")
    assert np.array_equal(lists.observations, values[:3])


def test_whole_numbers_stay_the_numbers_of_actions_and_episodes():
    data = read(changed(act=[2, 0, 1, 1, 2, 0], run=[7, 7, 3, 7, 3, 3]), **FIELDS)
    assert data.actions.tolist() == [2, 0, 1, 1, 2]
    assert data.action_names == ("0", "1", "2")
    assert data.episode_ids.tolist() == [7, 7, 7, 3, 3]


def test_large_codes_become_labels_in_the_order_of_numbers():
    reading = read_reported(
        changed(act=[900, 1000, 900, -5, 900, 900]), mapping=TableMapping.of(FIELDS)
    )
    assert reading.transitions.action_names == ("-5", "900", "1000")
    assert reading.transitions.actions.tolist() == [1, 2, 0, 1, 1]
    assert any("-5, 900, 1000" in note for note in reading.notes)


def test_action_names_fix_the_numbers():
    names = {**FIELDS, "action_names": ["right", "left", "up"]}
    assert read(COLUMNS, **names).actions.tolist() == [1, 0, 1, 1, 0]
    with pytest.raises(InputError, match="left"):
        read(COLUMNS, **{**FIELDS, "action_names": ["right"]})


def test_a_column_of_quantities_is_an_action_where_that_is_said():
    columns = {"x": range(2000), "a": np.linspace(0, 1, 2000), "r": np.zeros(2000)}
    fields = {"observations": "x", "action": "a", "reward": "r", "one_series": True}
    with pytest.raises(InputError, match="--continuous"):
        read(columns, **fields)
    data = read(columns, **fields, continuous=True)
    assert data.actions.shape == (len(data), 1)


def test_zero_padded_episodes_stay_apart():
    data = read(changed(run=["01", "01", "1", "01", "1", "1"]), **FIELDS)
    assert data.num_episodes == 2


def test_a_last_row_without_action_is_the_final_observation():
    data = read(
        {
            "e": [0, 0, 0, 1, 1],
            "x": [1.0, 2.0, 3.0, 4.0, 5.0],
            "a": [0, 1, None, 1, None],
            "r": [1.0, 2.0, None, 3.0, None],
            "d": [0, 0, 1, 0, None],
        },
        episode="e",
        observations="x",
        action="a",
        reward="r",
        terminated="d",
    )
    assert data.next_observations.reshape(-1).tolist() == [2, 3, 5]
    assert data.terminations.tolist() == [False, True, False]
    assert data.truncations.tolist() == [False, False, False]


def test_truncated_last_step_is_left_out_and_the_one_before_is_cut():
    fields = {**FIELDS, "terminated": None, "truncated": "end"}
    data = read(COLUMNS, **fields)
    assert data.observations[:, 0].tolist() == [0.5, 0.6, 1.5, 1.6]
    assert data.truncations.tolist() == [False, True, False, True]
    assert not data.terminations.any()


def test_done_is_terminated_unless_truncated():
    columns = {
        "x": [1.0, 2, 3, 4],
        "y": [2.0, 3, 4, 5],
        "a": [0, 0, 0, 0],
        "r": [0, 0, 0, 0],
        "done": [False, True, True, False],
        "cut": [False, False, True, False],
    }
    fields = {"observations": "x", "next_observations": "y", "action": "a", "reward": "r"}
    data = read(columns, **fields, done="done", truncated="cut")
    assert data.terminations.tolist() == [False, True, False, False]
    assert data.truncations.tolist() == [False, False, True, False]
    assert data.next_observations.reshape(-1).tolist() == [2, 3, 4, 5]
    assert data.episode_ids.tolist() == [0, 0, 1, 2]
    reading = read_reported(columns, mapping=TableMapping.of({**fields, "done": "done"}))
    assert any("'done' was read as terminated" in note for note in reading.notes)


def test_an_end_flag_inside_an_episode_splits_it():
    columns = changed(end=[1, 0, 0, 1, 0, 0])
    reading = read_reported(columns, mapping=TableMapping.of(FIELDS))
    data = reading.transitions
    assert data.num_episodes == 3
    assert data.next_observations[0].tolist() == [0.5, 1]
    assert any("split" in note for note in reading.notes)


def test_without_episode_column_flags_and_time_separate_episodes():
    columns = {
        "t": [0, 1, 2, 0, 1, 0, 1],
        "x": [0, 1, 2, 10, 11, 20, 21],
        "a": [0] * 7,
        "r": [0] * 7,
        "d": [0, 0, 1, 0, 0, 0, 1],
    }
    data = read(columns, time="t", observations="x", action="a", reward="r", terminated="d")
    assert data.observations.reshape(-1).tolist() == [0, 1, 2, 10, 20, 21]
    assert data.next_observations.reshape(-1).tolist() == [1, 2, 2, 11, 21, 21]
    assert data.num_episodes == 3


@pytest.mark.parametrize(
    "times",
    [
        [
            "2026-01-01",
            "2026-01-02T00:00:00",
            "2026-01-01",
            "2026-01-03",
            "2026-02-01",
            "2026-03-01",
        ],
        [f"2026-01-01T0{hour}" for hour in ("0Z", "3:00+01:00", "0Z", "4Z", "1Z", "2Z")],
        [str(1_700_000_000_000_000_000 + i) for i in (0, 1, 0, 2, 1, 2)],
        [0.1, 0.2, 0.1, 0.3, 0.2, 0.3],
    ],
)
def test_kinds_of_time(tmp_path, times):
    check_expected(read(changed(t=times), **FIELDS))
    check_expected(read(write_csv(tmp_path / "log.csv", changed(t=times)), **FIELDS))


def test_pandas_dates(tmp_path):
    pd = pytest.importorskip("pandas")
    stamps = pd.to_datetime([f"2026-01-0{1 + t}" for t in COLUMNS["t"]])
    check_expected(read(pd.DataFrame(changed(t=stamps)), **FIELDS))
    check_expected(read(pd.DataFrame(changed(t=stamps.tz_localize("UTC"))), **FIELDS))


def test_equal_rows_count_once_and_different_ones_are_refused(tmp_path):
    twice = {name: [*values, values[1]] for name, values in COLUMNS.items()}
    check_expected(read(twice, **FIELDS))
    twice["x"][-1] = 9.0
    path = write_csv(tmp_path / "log.csv", twice)
    with pytest.raises(InputError, match="same time at line 3 and line 8"):
        read(path, **FIELDS)
    check_expected(read(path, **FIELDS, duplicates="first"))
    last = read(path, **FIELDS, duplicates="last")
    assert last.observations[1].tolist() == [9.0, 2]


@pytest.mark.parametrize("column", ["x", "act", "rew", "end", "t", "run"])
def test_a_missing_value_is_reported_with_its_place(tmp_path, column):
    values = list(COLUMNS[column])
    values[1] = ""
    path = write_csv(tmp_path / "log.csv", changed(**{column: values}))
    with pytest.raises(InputError, match=f"column '{column}'.*line 3"):
        read(path, **FIELDS)


def test_places_count_blank_lines_and_cells_of_several_lines(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text('x,a,r,note\n1,0,0,"two\nlines"\n\n2,0,0,\n3,0,oops,\n')
    with pytest.raises(InputError, match="column 'r' at line 6"):
        read(path, observations="x", action="a", reward="r")


def test_dropping_missing_observations_leaves_out_both_steps_that_touch_them():
    columns = {"x": [0, 1, np.nan, 3, 4, 5.0], "a": [0] * 6, "r": [0] * 6}
    fields = {"observations": "x", "action": "a", "reward": "r", "missing": "drop"}
    data = read(columns, **fields)
    assert data.observations.reshape(-1).tolist() == [0, 3, 4]
    assert data.next_observations.reshape(-1).tolist() == [1, 4, 5]
    assert data.truncations.tolist() == [True, False, True]
    assert data.num_episodes == 2
    columns = {"x": [0, 1, 2, 3, 4, 5.0], "a": [0] * 6, "r": [0, 0, np.nan, 0, 0, 0]}
    data = read(columns, **fields)
    assert data.observations.reshape(-1).tolist() == [0, 1, 3, 4]
    assert data.truncations.tolist() == [False, True, False, True]


def test_observations_by_pattern_and_by_default():
    pattern = read(COLUMNS, **{**FIELDS, "observations": ["v", "?"], "time": None})
    assert pattern.observations.shape[1] == 3
    reading = read_reported(COLUMNS, mapping=TableMapping.of({**FIELDS, "observations": None}))
    assert reading.transitions.observations.shape[1] == 2
    assert any("columns x, v" in note for note in reading.notes)


def test_mapping_file(tmp_path):
    path = tmp_path / "mapping.toml"
    path.write_text(
        'episode = "run"\ntime = "t"\nobservations = ["x", "v"]\naction = "act"\n'
        'reward = "rew"\nterminated = "end"\n'
    )
    check_expected(read(COLUMNS, mapping=TableMapping.of(read_mapping(path))))
    path.write_text("episode = ")
    with pytest.raises(InputError, match="TOML"):
        read_mapping(path)
    with pytest.raises(StorageError, match="cannot be read"):
        read_mapping(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"episode": "nope"}, "episode must be a column: run, t"),
        ({"observations": ["q*"]}, "observations must be columns"),
        ({"action": None}, "action must be the name of a column"),
        ({"terminated": "x"}, "column 'x' at row 0 must be a flag"),
        ({"time": "act"}, "ISO date"),
        ({"colour": "x"}, "mapping must be among"),
        ({"done": "end"}, "done must be given only"),
        ({"missing": "guess"}, "missing must be"),
    ],
)
def test_wrong_mappings_say_what_is_wrong(fields, message):
    with pytest.raises(InputError, match=message):
        read(COLUMNS, **{**FIELDS, **fields})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "first line names every column"),
        (b"x,a,r\n1\n", r"1 cell\(s\) in line 2"),
        (b"x,a,r\n\xff,1,2\n", "0xff"),
        (b'x,a,r\n"1,1,2\n', "near line"),
        (b"x,a,r\n", "at least one row"),
        (b"x,x,r\n1,1,1\n", "'x' twice"),
        (b"\x1f\x8bnot gzip", "0x8b"),
    ],
)
def test_broken_text_files(tmp_path, content, message):
    path = tmp_path / "log.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(path, observations="x", action="a", reward="r")


def test_broken_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "log.parquet"
    path.write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(InputError, match="whole Parquet"):
        read(path, observations="x", action="a", reward="r")


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5),
    seed=st.integers(0, 2**32 - 1),
    final=st.booleans(),
)
def test_shuffled_logs_give_the_transitions_they_were_made_of(lengths, seed, final):
    random = np.random.default_rng(seed)
    rows, expected = [], []
    for episode, length in enumerate(lengths):
        states = random.normal(size=(length + 1, 2))
        actions = random.integers(3, size=length)
        ends = bool(random.integers(2))
        for t in range(length):
            last = t == length - 1
            rows.append([episode, t, *states[t], actions[t], t + 0.5, ends and last])
            if not last or final:
                expected.append((*states[t], actions[t], *states[t + 1], ends and last))
            elif ends:
                expected.append((*states[t], actions[t], *states[t], True))
        if final:
            rows.append([episode, length, *states[length], None, None, None])
    firsts = [r for r in rows if r[1] == 0]
    others = [r for r in rows if r[1] > 0]
    shuffled = firsts + [others[i] for i in random.permutation(len(others))]
    columns = dict(zip("etxyard", map(list, zip(*shuffled, strict=True)), strict=True))
    fields = {"episode": "e", "time": "t", "observations": "x,y", "action": "a", "reward": "r"}
    if not expected:
        with pytest.raises(InputError, match="next observation"):
            read(columns, **fields, terminated="d")
        return
    data = read(columns, **fields, terminated="d")
    got = np.column_stack(
        [data.observations, data.actions, data.next_observations, data.terminations]
    )
    assert np.array_equal(got, np.array(expected, dtype=float))


def test_named_episodes_say_their_numbers():
    notes = read_reported(COLUMNS, mapping=TableMapping.of(FIELDS)).notes
    assert any("a is 0, b is 1" in note for note in notes)
