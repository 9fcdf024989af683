"""ICU-Sepsis (Choudhary et al., 2024): 716 states, 25 treatments, the clinicians' own policy.

States are seen as the 47 vitals of their cluster's centre. The reward is 1 for survival.
"""

from __future__ import annotations

import contextlib
import io

import numpy as np

from .finite import FiniteWorld

LEVELS = 5
"""Doses of fluids and of vasopressors."""
LAST_STATES = 3
"""Death, survival, and where both lead."""


def icu_sepsis() -> FiniteWorld:
    """Return the world, from the tables of the package `icu-sepsis`."""
    with contextlib.redirect_stderr(io.StringIO()):  # It imports gym, which says that it is old.
        from icu_sepsis import ICUSepsisEnv
    env = ICUSepsisEnv()
    tables = env.dynamics
    states = env.num_states
    ends = np.arange(states) >= states - LAST_STATES
    clinicians = np.where(ends[:, None], 1.0 / env.num_actions, env.expert_policy)
    chances = tables["tx_mat"] / tables["tx_mat"].sum(axis=2, keepdims=True)
    return FiniteWorld(
        chances=chances,
        arriving=tables["r_mat"].max(axis=(0, 1)),
        prices=np.zeros(env.num_actions),
        ends=ends,
        starts=tables["d_0"],
        observations=env.state_cluster_centers.astype(np.float32),
        behaviour=clinicians / clinicians.sum(axis=1, keepdims=True),
        actions=tuple(f"fluids {a} vasopressor {b}" for a in range(LEVELS) for b in range(LEVELS)),
    )
