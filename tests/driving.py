"""A log of driving whose actions are rows: throttle and steering."""

from __future__ import annotations

import numpy as np

import deepaveragers as da


def driving(seed: int = 0, steps: int = 600) -> da.Transitions:
    """Return cars that follow another one at a distance, by random throttle and steering."""
    random = np.random.default_rng(seed)
    state = np.column_stack([random.uniform(0, 30, steps), random.uniform(2, 60, steps)])
    actions = random.uniform(-1, 1, (steps, 2)).astype(np.float32)
    later = state.copy()
    for row in range(steps):
        if row % 20:
            state[row] = later[row - 1]
        later[row] = state[row] + [2.0 * actions[row, 0], -state[row, 0] / 10 + 1.5]
    return da.Transitions(
        observations=state,
        actions=actions,
        rewards=-np.abs(later[:, 1] - 20.0) - np.abs(actions[:, 1]),
        next_observations=later,
        terminations=later[:, 1] < 0.0,
        episode_ids=np.arange(steps) // 20,
        observation_names=("speed", "gap"),
        action_names=("throttle", "steering"),
        action_bounds=[[-1.0, -1.0], [1.0, 1.0]],
    )
