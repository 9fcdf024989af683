"""The coverage benchmark: its worlds, its rows, and that it goes on where it was stopped."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from benchmarks.policies import coverage
from benchmarks.policies.worlds import WORLDS


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_behaviour_earns_in_the_log_what_playing_says(world):
    data = world.log(3)
    assert data.action_names == world.actions
    assert (data.propensities is not None) == world.logged
    value, error = world.behaviour(4_000, 0)
    gone = world.gamma**world.cut
    if gone > 0.05:
        return  # what lies beyond the cut counts
    returns = np.array(
        [
            data.rewards[one] @ world.gamma ** np.arange(one.stop - one.start)
            for one in data.episodes()
        ]
    )
    spread = np.hypot(error, returns.std() / np.sqrt(len(returns)))
    assert abs(returns.mean() - value) < 4.5 * spread + gone * np.abs(returns).max()


def test_rows_are_kept_and_summed_up(tmp_path, monkeypatch, capsys):
    row = {
        "world": "bandit", "seed": 10_000, "plain": True, "truth": 0.2, "low": 0.1, "high": 0.4,
        "truth_error": 0.01, "better": 0.25, "shown": True, "seconds": 1.0, "commit": "abc1234",
    }  # fmt: skip
    file = tmp_path / "rows.jsonl"
    missed = {**row, "seed": 10_001, "truth": -0.1}
    file.write_text(json.dumps(row) + "\n" + json.dumps(missed) + "\n" + '{"torn')
    arguments = ["coverage", "--plain", "--worlds", "bandit", "--repetitions", "2"]
    page = tmp_path / "page.md"
    monkeypatch.setattr(sys, "argv", [*arguments, "--results", str(file), "--page", str(page)])
    monkeypatch.setattr(coverage, "repeat", lambda *_, **__: pytest.fail("run again"))
    coverage.main()
    line = capsys.readouterr().out.splitlines()[-1]
    assert "| bandit | no | 2 | 50% | 0% | 50% | 100% | 1 |" in line
    assert "covers the truth in 50% of the logs" in page.read_text()
    assert "better in 2 logs; 1 times wrongly" in page.read_text()
    assert "earns less than logged behaviour in 1 logs" in page.read_text()


def test_logs_with_networks_are_reported_apart():
    row = {
        "world": "bandit", "seed": 10_000, "plain": True, "truth": 0.2, "low": 0.1, "high": 0.4,
        "truth_error": 0.01, "better": 0.25, "shown": True, "seconds": 1.0, "commit": "abc1234",
    }  # fmt: skip
    text = coverage.page([row, {**row, "plain": False, "truth": 0.5}], ["One thing to know."])
    plain, networks = text.split("## With networks")
    assert "in 100% of the logs" in plain
    assert "in 0% of the logs" in networks.split("##")[0]
    assert text.endswith("Commits: abc1234.\n\n- One thing to know.\n")
