"""Plans beside networks, and two ways of acting in the tunnel, on walks of some hundred steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("safetensors")
pytest.importorskip("torch")
pytest.importorskip("experiments.navigation.rooms", exc_type=ImportError)
from experiments.navigation.baselines import PictureWalk, allowed_actions
from experiments.navigation.cases import CASES, COMPARED
from experiments.navigation.comparison import CURVE, run_compared
from experiments.navigation.rooms import LEFT, RIGHT, Look
from experiments.navigation.study import QUICK
from experiments.navigation.turning import ACTING, run_turning
from experiments.navigation.walks import FRAMES, Walk

SCALE = replace(
    QUICK, steps=300, updates=8, episodes=dict.fromkeys(QUICK.episodes, 2), choosing_episodes=1
)


def test_a_forbidden_action_is_taken_out_of_the_walk(tmp_path):
    walk = Walk("simple-room", 0, 200, Look(), tmp_path)
    list(walk.make())
    data = PictureWalk.of(walk, average=7)
    case = next(case for case in CASES if case.name == "no left turn")
    actions = allowed_actions(case)
    assert LEFT not in actions
    assert RIGHT in actions
    limited = data.limited_to(actions)
    rows = np.flatnonzero(data.actions != LEFT)
    assert limited.num_actions == 2
    assert np.array_equal(actions[limited.actions], data.actions[rows])
    assert limited.observations.shape == (len(rows), 12, 12, 3)
    assert np.array_equal(limited.next_observations[5], data.next_observations[rows[5]])


def test_every_case_has_plans_and_networks_and_none_is_run_twice(tmp_path):
    room = "tunnel"
    rows = list(run_compared(room, 0, SCALE, tmp_path, set()))
    labels = [row.representation for row in rows]
    cases = [case for case in COMPARED if case.room == room]
    for label in ("random features", "dynamics features"):
        assert labels.count(label) == len(cases)
    for baseline in ("DQN", "BCQ"):
        assert labels.count(baseline) == 1, "networks know no slip"
        assert sum(label.startswith(f"{baseline} at") for label in labels) == len(CURVE) - 1
    assert all(row.episodes == 2 for row in rows if " at " not in row.representation)
    done = {(row.case, row.representation) for row in rows}
    assert list(run_compared(room, 0, SCALE, tmp_path, done)) == []


def test_both_ways_of_acting_from_the_same_plans(tmp_path):
    rows = list(run_turning(0, SCALE, tmp_path))
    assert len(rows) == 2 * len(ACTING) * 2, "two cases, without slips and with"
    assert not list(tmp_path.rglob(FRAMES)), "poses need no pictures"
    drawn = Walk("tunnel", 0, SCALE.steps, Look(), tmp_path)
    list(drawn.make())
    poses = replace(drawn, drawn=False).transitions()
    assert np.array_equal(poses.observations, drawn.transitions().observations)
