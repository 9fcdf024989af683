"""A thousand random MDPs: every solver agrees with an independent one, within its bounds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.explicit import KINDS, Explicit, random_mdp

import deepaveragers as da
from deepaveragers.kernels.bellman import reference
from deepaveragers.mdp.problem import pose
from deepaveragers.solvers.greedy import greedy_chances

GAMMAS = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999)
TOLERANCES = (1e-2, 1e-3, 1e-6)
SWEEPS_REACH = 0.99


@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_solvers_agree(first):
    for seed in range(first, first + 100):
        rng = np.random.default_rng(seed)
        size, actions, k = (int(rng.integers(low, high)) for low, high in ((2, 13), (1, 4), (1, 5)))
        mdp = random_mdp(seed, size, actions, k, KINDS[seed % len(KINDS)])
        objective = da.Objective(
            gamma=float(rng.choice(GAMMAS)),
            cost=float(rng.choice([0.0, 1.0, 30.0])),
            slip=float(rng.choice([0.0, 0.0, 0.2])),
        )
        explicit = Explicit(mdp, objective)
        optimum = explicit.optimum()
        slack = 1e-12 * (1.0 + np.abs(optimum).max()) / (1.0 - objective.gamma)
        once_more = reference.bellman(pose(mdp, objective), optimum)
        assert np.allclose(once_more, optimum, rtol=0.0, atol=slack)
        tolerance = float(rng.choice(TOLERANCES))
        for method in ("policy_iteration", "value_iteration"):
            if method == "value_iteration" and objective.gamma > SWEEPS_REACH:
                continue
            plan = mdp.solve(objective, method=method, tolerance=tolerance)
            assert plan.converged
            assert (plan.lower <= optimum + slack).all()
            assert (optimum <= plan.upper + slack).all()
            followed = explicit.evaluate(greedy_chances(plan.q_values, objective.slip))
            assert (optimum - followed).max() <= plan.greedy_loss + slack
