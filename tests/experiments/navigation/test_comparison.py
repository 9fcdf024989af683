"""Plans beside networks, and two ways of acting in the tunnel, on walks of some hundred steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("safetensors")
pytest.importorskip("torch")
pytest.importorskip("experiments.navigation.rooms", exc_type=ImportError)
from experiments.navigation.cases import CASES, COMPARED
from experiments.navigation.comparison import CURVE, allowed_best, run_compared
from experiments.navigation.rooms import LEFT, RIGHT, Look
from experiments.navigation.study import QUICK
from experiments.navigation.turning import ACTING, run_turning
from experiments.navigation.walks import FRAMES, Walk

SCALE = replace(
    QUICK, steps=300, updates=8, episodes=dict.fromkeys(QUICK.episodes, 2), choosing_episodes=1
)


def test_a_network_does_not_take_a_forbidden_action():
    q_values = np.array([[3.0, 1.0, 2.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]])
    for name, banned in (("all actions", ()), ("no left turn", LEFT), ("no right turn", RIGHT)):
        case = next(case for case in CASES if case.name == name)
        allowed = q_values.copy()
        allowed[:, banned] = -np.inf
        assert np.array_equal(allowed_best(q_values, case), allowed.argmax(axis=1))


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
