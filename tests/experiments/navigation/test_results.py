from __future__ import annotations

import csv

import numpy as np
import pytest

pytest.importorskip("experiments.navigation.rooms", exc_type=ImportError)
from experiments.navigation.cases import CASES
from experiments.navigation.representations import PoseEncoder, shrink
from experiments.navigation.results import (
    Row,
    forbidden_taken,
    interval,
    read,
    tabulate,
    write,
)
from experiments.navigation.rollouts import Rollouts


def row(seed, returns):
    """Return a row with these returns and nothing else of note."""
    numbers = dict.fromkeys(("wall", "pillar", "cone", "encode_seconds", "search_seconds"), 0.0)
    mean = float(np.mean(returns))
    return Row(
        **numbers,
        room="tunnel",
        case="safe",
        representation="pose",
        seed=seed,
        episodes=len(returns),
        policy_k=11,
        mean=mean,
        clipped=mean,
        reached=mean,
        forbidden=0,
        plan_seconds=0.1,
        sweeps=1,
        behavior=-20.0,
        returns=tuple(returns),
    )


def test_the_interval_covers_the_walks():
    low, high = interval([[0.0] * 50, [1.0] * 50, [0.5] * 50])
    assert low < 0.5 < high
    assert high - low > 0.5  # walks differ more than their episodes
    assert interval([[1.0, 1.0], [1.0, 1.0]]) == (1.0, 1.0)


def test_files_come_back_and_walks_are_put_together(tmp_path):
    rows = [row(0, [1.0, 0.0]), row(1, [1.0, 1.0])]
    for one in rows:
        write([one], tmp_path, f"tunnel-{one.seed}")
    assert [(one.seed, list(one.returns)) for one in read(tmp_path)] == [
        (0, [1.0, 0.0]),
        (1, [1.0, 1.0]),
    ]
    tabulate(tmp_path)
    (together,) = csv.DictReader((tmp_path / "cases.csv").open())
    assert together["walks"] == "2"
    assert together["episodes"] == "4"
    assert float(together["mean"]) == 0.75
    assert len(list(csv.DictReader((tmp_path / "rows.csv").open()))) == 2


def test_a_forbidden_action_is_counted():
    no_left = next(case for case in CASES if case.name == "no left turn")
    played = Rollouts(np.zeros(2), np.zeros(2, bool), [[], []], [[0, 1, 2], [2, 0]], [])
    assert forbidden_taken(no_left, played) == 2
    assert forbidden_taken(CASES[0], played) == 0


def test_shrinking_averages_squares():
    picture = np.zeros((1, 4, 4, 3), np.uint8)
    picture[0, :2, :2] = 100
    picture[0, 0, 0] = 200
    small = shrink(picture, 2)
    assert small.shape == (1, 2, 2, 3)
    assert small[0, 0, 0, 0] == 125
    assert small[0, 1, 1, 0] == 0


def test_poses_know_that_headings_go_round():
    poses = np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 2 * np.pi]])
    one, two = PoseEncoder().encode(poses)
    np.testing.assert_allclose(one, two, atol=1e-9)
