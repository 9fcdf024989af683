"""What a policy earns: played in Gymnasium, or solved for in a finite world.

Everybody plays the same episodes: number e is reset with the same seed. The return counts the
rewards up to the environment's own time limit. The value is discounted and goes on behind that
limit, as logged episodes that were cut off are taken to go on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from .finite import FiniteWorld

GAMMA = 0.99
VALUE_STEPS = 690
"""Steps that a value counts at least: what follows weighs less than 0.1 %."""
EPISODE_SEED = 1_000_000
"""Seeds of the episodes: this and the numbers after it. Data have others."""
Act = Callable[[Any], Any]
"""From observations [B, ...] to actions [B]."""


@dataclass(frozen=True)
class Earned:
    """What a policy earned.

    Attributes:
        returns: of each episode; one exact number in a finite world.
        values: the same, discounted.
    """

    returns: list[float]
    values: list[float]


def played(make: Callable[[int], gymnasium.Env[Any, Any]], limit: int, act: Act, episodes: int
) -> Earned:  # fmt: skip
    """Play episodes side by side.

    Args:
        make: the environment, for a number of steps after which episodes are cut off.
        limit: steps that count for the return.
        act: the policy.
        episodes: number of them.
    """
    envs = [make(max(limit, VALUE_STEPS)) for _ in range(episodes)]
    seen = {number: env.reset(seed=EPISODE_SEED + number)[0] for number, env in enumerate(envs)}
    returns, values = np.zeros(episodes), np.zeros(episodes)
    step = 0
    while seen:
        numbers = list(seen)
        actions = np.asarray(act(np.stack([np.asarray(seen[number]) for number in numbers])))
        for number, action in zip(numbers, actions, strict=True):
            seen[number], reward, ended, cut, _ = envs[number].step(int(action))
            returns[number] += float(reward) * (step < limit)
            values[number] += GAMMA**step * float(reward)
            if ended or cut:
                del seen[number]
        step += 1
    for env in envs:
        env.close()
    return Earned(returns.tolist(), values.tolist())


def solved(world: FiniteWorld, shares: Any) -> Earned:
    """Return the exact return and value of a policy with chances [S, A] of its actions."""
    return Earned([world.value(shares, 1.0)], [world.value(shares, GAMMA)])
