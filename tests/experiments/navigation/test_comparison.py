"""Plans beside networks, and two ways of acting in the tunnel, on walks of some hundred steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("safetensors")
pytest.importorskip("torch")
pytest.importorskip("experiments.navigation.rooms", exc_type=ImportError)
from experiments.navigation.baselines import allowed_actions
from experiments.navigation.cases import CASES, COMPARED
from experiments.navigation.comparison import CURVE, _acting, run_compared
from experiments.navigation.rooms import LEFT, RIGHT, Look
from experiments.navigation.study import QUICK
from experiments.navigation.turning import ACTING, run_turning
from experiments.navigation.walks import FRAMES, Walk

SCALE = replace(
    QUICK, steps=300, updates=8, episodes=dict.fromkeys(QUICK.episodes, 2), choosing_episodes=1
)


def test_a_forbidden_action_is_not_among_those_that_a_network_may_choose():
    case = next(case for case in CASES if case.name == "no left turn")
    actions = allowed_actions(case)
    assert LEFT not in actions
    assert RIGHT in actions

    class Leftish:
        """A network that wants to turn left before all, and to go right next."""

        def q_values(self, pictures):
            assert pictures.shape[1:] == (12, 12, 3)
            return np.tile([3.0, 2.0, 1.0], (len(pictures), 1))

    seen = np.zeros((4, 84, 84, 3), np.uint8)
    assert (_acting(Leftish(), actions)(seen) == RIGHT).all()
    assert (_acting(Leftish(), np.arange(3))(seen) == LEFT).all()


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
