"""The planner's page says what its rows say."""

import json
import sys
from pathlib import Path

import pytest
from benchmarks.planner import __main__ as command
from benchmarks.planner import reporting
from benchmarks.planner.questions import Question
from benchmarks.planner.rows import BEFORE, FIRST, Results, append, read
from benchmarks.planner.summary import ratios, seconds

from .conftest import row_of

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs/benchmarks/planner.jsonl"
ABOUT = {
    "command": "python -m benchmarks.planner",
    "commit": "abc1234",
    "processor": "a processor",
    "cores": 2,
    "load": 0.1,
    "python": "3.11",
    "versions": {"numpy": "2"},
    "seconds": 60.0,
}


def test_worst_median_and_best_over_the_families(made_up_rows):
    results = Results(made_up_rows)
    spread = ratios(results, 100_000, Question())
    assert spread.worst == (pytest.approx(4.0), "cartpole")
    assert spread.median == pytest.approx(10.0)
    assert spread.best == (pytest.approx(30.0), "grid")
    assert ratios(results, 100_000, Question(), ours=FIRST).median == pytest.approx(5.0)
    assert seconds(results, 100_000, Question()).worst == (0.2, "walks")
    assert ratios(results, 100_000, Question(), "mdpsolver") is None


def test_the_page_leads_with_the_worst(made_up_rows):
    page = reporting.page(Results(made_up_rows), ABOUT)
    line = next(line for line in page.splitlines() if line.startswith("| 100k | 0.99 |"))
    assert line.index("4 (cartpole)") < line.index("| 10 |") < line.index("30 (grid)")
    assert "The bounds held in all." in page


def test_the_page_does_not_hide_what_went_wrong(made_up_rows):
    slow = row_of("walks", 100_000, BEFORE, 3.0, question=Question(gamma=0.999))
    wrong = row_of("grid", 100_000, FIRST, 0.1, bounds_hold=False)
    late = row_of("cartpole", 100_000, "quantecon", 60.0, stopped=True, commit="def5678")
    page = reporting.page(Results([*made_up_rows, slow, wrong, late]), ABOUT)
    assert "BOUNDS BROKEN: grid 100k gamma 0.99" in page
    assert "walks 100k (15 times)" in page
    assert "1 of 18 rows are of earlier runs: commits def5678." in page
    assert "| >60.0 |" in page


def test_rows_come_back_from_their_file(made_up_rows, tmp_path):
    file = tmp_path / "rows" / "planner.jsonl"
    append(file, made_up_rows[:2])
    append(file, made_up_rows[1:])
    assert list(read(file)) == made_up_rows
    assert len(read(tmp_path / "none.jsonl")) == 0


def test_a_readme_without_marks_is_refused(made_up_rows):
    with pytest.raises(ValueError, match="begin planner"):
        reporting.with_summary("no marks", Results(made_up_rows), ABOUT)


def test_the_command_measures_writes_and_goes_on(tmp_path, monkeypatch, capsys):
    where = ["--cache", str(tmp_path), "--output", str(tmp_path / "out")]
    asked = ["--families", "grid", "--sizes", "1000", "--gammas", ".9", "--peers", "none", *where]
    monkeypatch.setattr(sys, "argv", ["planner", *asked])
    command.main()
    rows = tmp_path / "out" / "planner.jsonl"
    first = rows.read_text()
    assert {json.loads(line)["solver"] for line in first.splitlines()} == {BEFORE, FIRST}
    assert "grid" in (tmp_path / "out" / "planner.md").read_text()
    monkeypatch.setattr(sys, "argv", ["planner", *asked, "--keep", "all"])
    command.main()
    assert rows.read_text() == first
    assert str(tmp_path) not in (tmp_path / "out" / "planner.md").read_text()
    (tmp_path / "out" / "planner.md").unlink()
    monkeypatch.setattr(sys, "argv", ["planner", "--page", *where])
    command.main()
    assert rows.read_text() == first
    assert "grid" in (tmp_path / "out" / "planner.md").read_text()
    monkeypatch.setattr(sys, "argv", ["planner", *asked, "--prepare"])
    command.main()
    assert rows.read_text() == first
    assert "Written to" in capsys.readouterr().out


@pytest.mark.skipif(not PUBLISHED.exists(), reason="no report of this version yet")
def test_the_published_page_and_the_readme_are_what_the_rows_make_of_them():
    results, about = read(PUBLISHED), json.loads(PUBLISHED.with_suffix(".json").read_text())
    assert PUBLISHED.with_suffix(".md").read_text() == reporting.page(results, about)
    readme = (ROOT / "README.md").read_text()
    assert reporting.with_summary(readme, results, about) == readme


def test_the_readme_names_the_commits_of_the_rows_and_what_was_not_run(made_up_rows):
    rows = [row for row in made_up_rows if row.solver != "quantecon"]
    page = reporting.with_summary(f"{reporting.BEGIN}\n{reporting.END}", Results(rows), ABOUT)
    assert "| not run | not run | not run |" in page
    named = ", ".join(f"`{commit}`" for commit in sorted({row.commit for row in rows}))
    assert f"rows of commit {named}," in page
