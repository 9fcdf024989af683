"""The examples run as they stand, and say what they are there to say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SAYS = {
    "from_csv_to_policy": "inside 17 degrees, outside 2: burner high",
    "broken_actuator": "broken: at [16.0, -3.0] burner low",
    "explain_a_decision": "a heatwave is unlike the data: True; burner off",
    "fit_a_log": "more than what is done today",
    "guarantee": "more data would help at",
}


def test_every_example_is_run_and_listed():
    scripts = {path.stem for path in EXAMPLES.glob("*.py")} - {"heating"}
    assert scripts == SAYS.keys()
    page = (EXAMPLES / "README.md").read_text()
    assert all(f"[{name}.py]({name}.py)" in page for name in SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_example(name, capsys, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert SAYS[name] in capsys.readouterr().out


def test_the_log_can_be_made_again(tmp_path):
    write_log = runpy.run_path(str(EXAMPLES / "heating.py"))["write_log"]
    again = write_log(tmp_path / "again.csv").read_text()
    assert again == (EXAMPLES / "heating.csv").read_text()
