"""`dac act`: the decisions of Python, bit for bit, from and to every format."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
import sys

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.cli import main
from deepaveragers.data.tables import csv_file

PROGRAM = "from deepaveragers.cli import main; main()"


def act(*words):
    with pytest.raises(SystemExit) as left:
        main(["act", *map(str, words)])
    return left.value.code


def as_csv(rows, path):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def as_json_lines(rows, path):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def as_parquet(rows, path):
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pytest.importorskip("pyarrow").Table.from_pylist(rows), path)
    return path


def as_database(rows, path):
    with sqlite3.connect(path) as database:
        database.execute(f"create table patients ({', '.join(rows[0])})")
        marks = ", ".join("?" * len(rows[0]))
        database.executemany(
            f"insert into patients values ({marks})", [tuple(row.values()) for row in rows]
        )
    database.close()
    return path


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def check(found, policy, patients):
    """Compare written rows with the policy's own decisions; numbers to the last bit."""
    wanted = policy.decide([{k: row[k] for k in ("age", "sex", "lactate")} for row in patients])
    assert [row["action"] for row in found] == wanted.names
    for place, name in enumerate(wanted.action_names):
        numbers = np.array([float(row[f"q_{name}"]) for row in found])
        assert np.array_equal(numbers, wanted.q_values[:, place])
    assert np.array_equal([float(row["support"]) for row in found], wanted.support)
    assert [str(row["abstained"]) for row in found] == [str(one) for one in wanted.abstained]
    assert wanted.abstained.any()
    assert [row["patient"] for row in found] == [row["patient"] for row in patients]
    assert {row["input_action"] for row in found} == {"low"}
    assert {row["plan"] for row in found} == {policy.compact().digest}


WRITERS = {
    "in.csv": as_csv,
    "in.jsonl": as_json_lines,
    "in.parquet": as_parquet,
    "in.sqlite": as_database,
}


@pytest.mark.parametrize("name", WRITERS)
def test_tables_of_any_format_get_pythons_decisions(
    name, ward_policy, ward_file, patients, tmp_path, monkeypatch
):
    monkeypatch.setattr(csv_file, "CHUNK_CELLS", 100)
    source = WRITERS[name](patients, tmp_path / name)
    assert act(ward_file, source, "-o", tmp_path / "out.csv") == 0
    check(read_csv(tmp_path / "out.csv"), ward_policy, patients)


def test_decimal_commas(ward_policy, ward_file, patients, tmp_path, capsys):
    written = [
        {
            key: str(cell).replace(".", ",") if isinstance(cell, float) else cell
            for key, cell in row.items()
        }
        for row in patients
    ]
    source, out = as_csv(written, tmp_path / "in.csv"), tmp_path / "out.csv"
    assert act(ward_file, source, "-o", out) == 2
    assert "If a comma stands before the fraction, say so: --decimal ," in capsys.readouterr().err
    assert act(ward_file, source, "-o", out, "--decimal", ",") == 0
    check(read_csv(out), ward_policy, patients)


def test_decisions_in_any_format(ward_policy, ward_file, patients, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    source = as_csv(patients, tmp_path / "in.csv")
    for name in ("out.jsonl", "out.parquet"):
        assert act(ward_file, source, "-o", tmp_path / name) == 0
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    check([json.loads(line) for line in lines], ward_policy, patients)
    check(parquet.read_table(tmp_path / "out.parquet").to_pylist(), ward_policy, patients)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_standard_input_to_standard_output(format, ward_policy, ward_file, patients, tmp_path):
    writer = as_csv if format == "csv" else as_json_lines
    text = writer(patients, tmp_path / "in").read_text()
    command = [sys.executable, "-c", PROGRAM, "act", str(ward_file), "-", "--format", format]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    rows = (
        list(csv.DictReader(io.StringIO(done.stdout)))
        if format == "csv"
        else [json.loads(line) for line in done.stdout.splitlines()]
    )
    check(rows, ward_policy, patients)


def test_plans_act_too(ward_policy, patients, tmp_path, capsys):
    da.save(ward_policy.plan, tmp_path / "plan")
    source = as_csv(patients, tmp_path / "in.csv")
    out = tmp_path / "out.csv"
    assert act(tmp_path / "plan", source, "-o", out, "--keys", "patient", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"] == len(patients)
    wanted = ward_policy.plan.policy().decide(
        [{k: row[k] for k in ("age", "sex", "lactate")} for row in patients]
    )
    rows = read_csv(out)
    assert [row["action"] for row in rows] == wanted.names
    assert "input_action" not in rows[0]


def test_policies_without_names(plan, cartpole, tmp_path):
    da.save(plan.policy(), tmp_path / "policy")
    rows = cartpole.observations[:50]
    source = tmp_path / "in.csv"
    np.savetxt(source, rows, delimiter=",", header="a,b,c,d", comments="", fmt="%.9g")
    assert act(tmp_path / "policy", source, "-o", tmp_path / "out.csv") == 0
    taken = [int(row["action"]) for row in read_csv(tmp_path / "out.csv")]
    assert taken == plan.policy().act(rows).tolist()
    order = ["--observations", "b,a,c,d"]
    assert act(tmp_path / "policy", source, "-o", tmp_path / "out.csv", *order) == 0
    turned = plan.policy().act(rows[:, [1, 0, 2, 3]])
    assert [int(row["action"]) for row in read_csv(tmp_path / "out.csv")] == turned.tolist()


def test_what_cannot_be_used_is_named_or_skipped(ward_file, patients, tmp_path, capsys):
    broken = [dict(row) for row in patients]
    broken[17]["age"] = ""
    broken[40]["sex"] = None
    broken[41]["sex"] = "X"
    source, out = as_csv(broken, tmp_path / "in.csv"), tmp_path / "out.csv"
    assert act(ward_file, source, "-o", out) == 2
    assert "line 19, column 'age'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [source]
    assert act(ward_file, source, "-o", out, "--missing", "skip", "--json") == 0
    assert json.loads(capsys.readouterr().out)["skipped"] == 3
    rows = [int(row["row"]) for row in read_csv(out)]
    assert sorted({*range(200)} - {*rows}) == [17, 40, 41]


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        ({"age": "old"}, [], "line 3, column 'age' must be a number; received 'old'. Repair it; a"),
        ({"sex": "X"}, [], "line 3, column 'sex' must be one of 'F', 'M'; received 'X'."),
        ({}, ["--keys", "nobody"], "--keys"),
        ({}, ["-o", "out.txt"], "--output"),
        ({}, ["--missing", "guess"], "missing"),
    ],
)
def test_wrong_tables_are_refused_in_a_sentence(
    change, options, sentence, ward_file, patients, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    as_csv([patients[0], patients[1] | change], tmp_path / "in.csv")
    options = options if "-o" in options else [*options, "-o", "out.csv"]
    assert act(ward_file, "in.csv", *options) == 2
    assert sentence in capsys.readouterr().err


def test_a_missing_column_is_named(ward_file, tmp_path, capsys):
    as_csv([{"age": 60, "sex": "F"}], tmp_path / "in.csv")
    assert act(ward_file, tmp_path / "in.csv", "-o", tmp_path / "out.csv") == 2
    said = capsys.readouterr().err
    assert "none named 'lactate'" in said
    assert "=" not in said


def test_policy_files_from_the_command_line(ward_policy, tmp_path, capsys):
    da.save(ward_policy.plan, tmp_path / "plan")
    words = ["policy", str(tmp_path / "plan"), "-o"]
    manner = ["--support-threshold", "0.2", "--fallback", "none", "--json"]
    for name, more in (("small", []), ("whole", ["--with-evidence"]), ("thin", ["--states", "99"])):
        with pytest.raises(SystemExit) as left:
            main([*words, str(tmp_path / name), *more, *manner])
        assert left.value.code == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["agreement"] is None) == (name != "thin")
        with pytest.raises(SystemExit):
            main(["info", str(tmp_path / name), "--json"])
        assert json.loads(capsys.readouterr().out)["plan"] == told["plan"]
        if name != "thin":
            assert told["plan"] == ward_policy.compact().origin.plan
    for name, code, said in (("whole", 0, "support"), ("small", 2, "--with-evidence")):
        with pytest.raises(SystemExit) as left:
            main(["explain", str(tmp_path / name), "--transition", "3"])
        assert left.value.code == code
        assert said in "".join(capsys.readouterr())
