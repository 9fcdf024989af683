"""Figures of the benchmark of policies, from made-up runs."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.policies import page, picture, tables
from benchmarks.policies.cells import CELLS, DATA_SEEDS
from benchmarks.policies.methods import METHODS
from benchmarks.policies.peers.learning import PEERS
from benchmarks.policies.runs import Run, Runs
from benchmarks.policies.scores import CellScores, bootstrap

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs/benchmarks/policies.jsonl"
CELL = "lunarlander-medium-20k"
ABOUT = {
    "command": "python -m benchmarks.policies",
    "commit": "abc1234",
    "processor": "a processor",
    "cores": 2,
    "load": 0.1,
    "python": "3.11",
    "versions": {"numpy": "2"},
    "notes": ["One thing to know."],
}
EARNED = {"random": 0.0, "behaviour": 20.0, "default": 10.0, "fit": 95.0, "cql": 100.0}


def run_of(method, seed, mean, *, spread=1.0, cell=CELL, **changed):
    """A run whose ten episodes are spread evenly around a mean."""
    returns = (mean + spread * np.linspace(-1.0, 1.0, 10)).tolist()
    fields = {
        "cell": cell,
        "seed": seed,
        "method": method,
        "returns": returns,
        "values": returns,
        "predicted": None,
        "seconds": 3.0,
        "commit": "abc1234",
        "logged": (0.0, 100.0),
    }
    return Run(**{**fields, **changed})


def runs_of(earned, **changed):
    return [
        run_of(one, seed, mean, **changed) for one, mean in earned.items() for seed in DATA_SEEDS
    ]


def test_scores_lie_between_random_and_the_best():
    cell = CellScores(CELL, runs_of(EARNED))
    assert cell.best == "cql"
    assert cell.score("random") == 0.0
    assert cell.score("cql") == 1.0
    assert cell.score("fit") == pytest.approx(0.95)
    assert cell.near_the_best("fit")
    assert not cell.with_the_best("fit")
    assert cell.difference("cql", "fit").mean == pytest.approx(5.0)
    assert cell.worse_than_behaviour("default")
    assert not cell.worse_than_behaviour("fit")


def test_a_method_counts_only_with_every_data_seed():
    cell = CellScores(
        CELL, [run for run in runs_of(EARNED) if (run.method, run.seed) != ("cql", 11)]
    )
    assert "cql" not in cell.methods
    assert cell.best == "fit"


def test_a_method_that_wins_on_one_seed_only_is_not_shown_to_be_better():
    by_seed = dict(zip(DATA_SEEDS, (100.0, 60.0, 80.0)))
    cql = [run_of("cql", seed, mean) for seed, mean in by_seed.items()]
    fit = [run_of("fit", seed, 70.0) for seed in DATA_SEEDS]
    cell = CellScores(CELL, [*cql, *fit])
    assert cell.best == "cql"
    assert cell.with_the_best("fit")


def test_differences_pair_the_episodes():
    """Both vary by 50 from episode to episode, and always by 1 from each other."""
    cell = CellScores(CELL, runs_of({"fit": 10.0, "cql": 11.0}, spread=50.0))
    found = cell.difference("cql", "fit")
    assert (found.mean, found.low, found.high) == pytest.approx((1.0, 1.0, 1.0))


def test_the_bootstrap_knows_seeds_and_episodes():
    low, high = bootstrap([[0.0], [3.0], [6.0]])  # exact values: data seeds only
    assert (low, high) == (0.0, 6.0)
    generator = np.random.default_rng(0)
    covered = 0
    for _ in range(60):
        groups = generator.normal(size=(8, 1)) + generator.normal(size=(8, 5))
        low, high = bootstrap(groups)
        covered += low <= 0.0 <= high
    assert covered >= 48  # eight groups are few: a percentile interval is a little short


def test_predictions_are_measured_against_the_range_of_returns():
    runs = [run_of("fit", seed, 50.0, predicted=60.0) for seed in DATA_SEEDS]
    assert CellScores(CELL, runs).prediction("fit") == pytest.approx((60.0, 50.0, 0.1))
    far = [
        run_of("fit", seed, 50.0, predicted=50.0 + d) for seed, d in zip(DATA_SEEDS, (-30, 0, 30))
    ]
    assert CellScores(CELL, far).prediction("fit")[2] == pytest.approx(0.2)
    assert CellScores(CELL, runs_of(EARNED)).prediction("cql") is None


def test_the_page_says_first_who_wins_and_what_is_missing():
    earned = {**EARNED, **dict.fromkeys(set(PEERS) - {"cql"}, 30.0)}
    runs = [
        run_of(one, s, mean, predicted=mean) for one, mean in earned.items() for s in DATA_SEEDS
    ]
    text = page.page(runs, ABOUT)
    first = text.splitlines()
    assert first[2].startswith("1. Worst and median score")
    assert f"ours, fit 0.95 ({CELL}), 0.95; " in first[2]
    assert first[3].startswith(
        "2. `fit` is shown to be worse than logged behaviour in 0 of 1 cells."
    )
    assert "below behaviour's" not in first[3]
    assert "in 0 of the 1 cells" in first[4]
    assert f"{CELL} (CQL, 5.0 more [5.0, 5.0])" in first[4]
    assert "in 1 of 1 cells (100%)" in first[5]
    assert "aim 180, missed" in first[6]
    assert "| **100** [" in text
    assert "- One thing to know." in text
    assert f"- {CELL}: own DQN, own BCQ" in text
    assert "- cartpole-random-2k: everything" in text


def test_the_page_says_where_fit_earns_less_than_behaviour():
    runs = runs_of({**EARNED, "fit": 10.0, "behaviour": 20.0})
    said = page.page(runs, ABOUT).splitlines()[3]
    assert f"worse than logged behaviour in 1 of 1 cells: {CELL}." in said
    assert f"below behaviour's in {CELL} (10.0 against 20.0; discounted," in said


def test_a_value_that_is_withheld_is_not_counted_as_right():
    said = page.page(runs_of(EARNED), ABOUT).splitlines()[5]
    assert "in 0 of 1 cells (0%)" in said
    assert f"it says that it knows nothing of a log of: {CELL}." in said


def test_a_cell_in_which_nobody_beats_random_actions_has_no_score_and_is_named():
    runs = [*runs_of(EARNED), *runs_of({**EARNED, "random": 200.0}, cell="hospital-5k")]
    said = page.page(runs, ABOUT).splitlines()[2]
    assert f"0.95 ({CELL}), 0.95; no method that was run beats random actions in hospital" in said


def test_a_page_of_nothing_says_so():
    text = page.page([], ABOUT)
    assert "**Unfinished: `fit` was not run" in text
    assert text.count(": everything") == len(CELLS)


def test_a_single_run_of_fit_is_shown_though_it_proves_nothing():
    behaviour = [run_of("behaviour", seed, 20.0) for seed in DATA_SEEDS]
    lost = run_of("fit", 10, -170.0, predicted=23.0, chosen="columns support=0.3")
    text = page.page([*behaviour, lost], ABOUT)
    assert text.splitlines()[2].startswith("**Unfinished")
    assert f"- {CELL}, data seed 10: -170 (behaviour 20.0)" in text
    assert f"| {CELL} | 10 | ours, fit | -170 | 20.0 | 23.0 / -170 | columns support=0.3 |" in text


def test_a_run_of_fit_is_shown_where_behaviour_was_not_run():
    text = page.page([run_of("fit", 10, 5.0)], ABOUT)
    assert f"- {CELL}, data seed 10: 5.0 (behaviour not run)" in text


def test_worst_stands_before_median():
    other = "hospital-5k"
    runs = [*runs_of(EARNED), *runs_of({**EARNED, "fit": 100.0, "cql": -50.0}, cell=other)]
    lines = tables.over_cells(tables.cells_with(runs, ("fit", "cql")))
    row = next(line for line in lines if line.startswith("| CQL |"))
    assert row.startswith(f"| CQL | 2 | -0.50 ({other}) | 0.25 |")


def test_runs_are_kept_whole_and_found_again(tmp_path):
    runs = Runs(tmp_path / "runs")
    one, other = run_of("fit", 10, 1.0, chosen="imitation", shown=False), run_of("cql", 11, 2.0)
    runs.add(one)
    assert runs.has(CELL, 10, "fit")
    assert not runs.has(CELL, 11, "cql")
    (tmp_path / "runs" / "torn.123.part").write_text('{"cell": "lun')
    Runs(tmp_path / "runs").add(other)
    assert runs.has(CELL, 11, "cql")  # another process made it meanwhile
    runs.refresh()
    published = tmp_path / "policies.jsonl"
    runs.publish(published)
    again = list(Runs(tmp_path / "none", published))
    assert [run.key for run in again] == [one.key, other.key]
    assert again[0].chosen == "imitation"
    np.testing.assert_allclose(again[0].returns, one.returns, rtol=1e-5)


def test_the_picture_shows_every_method(tmp_path):
    runs = runs_of({method: float(place) for place, method in enumerate(METHODS)})
    picture.draw(tables.cells_with(runs, ()), tmp_path / "scores.png")
    assert (tmp_path / "scores.png").stat().st_size > 10_000


@pytest.mark.skipif(not PUBLISHED.exists(), reason="nothing published yet")
def test_the_published_page_is_what_the_runs_make_of_it(tmp_path):
    runs = Runs(tmp_path / "none", PUBLISHED)
    about = json.loads(PUBLISHED.with_suffix(".json").read_text())
    assert PUBLISHED.with_suffix(".md").read_text() == page.page(runs, about)
