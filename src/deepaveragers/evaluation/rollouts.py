"""Evaluating a policy in an environment, many episodes side by side."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import flag, known_keywords, optional, seed_number, whole_number
from ..arrays import Float64, Int64, frozen
from ..data.collecting import EpsilonMixture, PolicySource
from ..data.environment_actions import EnvironmentActions
from ..data.environments import EnvironmentSource, offer_of
from ..data.play import Episode, play
from ..data.transitions import Transitions
from ..errors import DataWarning, InputError
from ..policy.policy import Policy
from ..progress import progress
from .statistics import bootstrap_interval, interquartile_mean

LONGEST_EPISODE = 100_000
"""Steps of an episode, at most, where the environment states no limit: far beyond usual ones."""


@dataclass(frozen=True, eq=False)
class EvaluationReport:
    """What a policy earned.

    Attributes:
        returns: [E] float64, undiscounted return of each episode, in the order of its seeds.
        lengths: [E] int64, steps of each episode.
        seconds: wall-clock time.
        cut_off: episodes that `max_steps`, or the default limit, ended.
    """

    returns: Float64
    lengths: Int64
    seconds: float
    cut_off: int = 0

    def __repr__(self) -> str:
        low, high = self.interval
        cut_off = f", {self.cut_off:,} of them cut off" if self.cut_off else ""
        return (
            f"EvaluationReport(mean return {self.mean:.5g}, 95 % interval {low:.5g} to {high:.5g}, "
            f"{len(self.returns):,} episodes{cut_off})"
        )

    @property
    def mean(self) -> float:
        """Mean return."""
        return float(self.returns.mean())

    @property
    def interquartile_mean(self) -> float:
        """Mean of the middle half of the returns."""
        return float(interquartile_mean(self.returns))

    @property
    def interval(self) -> tuple[float, float]:
        """95 % bootstrap interval of the mean return."""
        return bootstrap_interval(self.returns)

    def summary(self) -> dict[str, Any]:
        """Return the figures as plain numbers, for JSON."""
        return {
            "episodes": len(self.returns),
            "mean_return": self.mean,
            "interval": list(self.interval),
            "interquartile_mean": self.interquartile_mean,
            "mean_length": float(self.lengths.mean()),
            "cut_off": self.cut_off,
            "seconds": self.seconds,
        }


@known_keywords
def evaluate(
    policy: PolicySource,
    env: EnvironmentSource,
    episodes: int = 100,
    *,
    seed: int = 0,
    epsilon: float = 0.0,
    side_by_side: int = 100,
    max_steps: int | None = None,
    show_progress: bool | None = None,
) -> EvaluationReport:
    """Play a policy for a number of episodes and report the returns.

    Args:
        policy: a `Policy`, "random", a function from observations [B, ...] to actions [B],
            an object with `act`, or a Stable-Baselines3 model.
        env: a Gymnasium id, or a function that makes the environment.
        episodes: number of episodes; episode e is always reset with the same seed (seed, e).
        seed: of the episodes and of random actions.
        epsilon: chance of a random action instead of the policy's.
        side_by_side: episodes played at the same time, at most.
        max_steps: of an episode; None leaves it to the environment, or takes 100,000 where that
            states no limit: a policy might never end.
        show_progress: force the bar on or off; None shows it on a terminal.
    """
    episodes = whole_number("episodes", episodes)
    side_by_side = whole_number("side_by_side", side_by_side)
    seed = seed_number(seed)
    optional(flag, "show_progress", show_progress)
    asked = optional(whole_number, "max_steps", max_steps)
    actions, _, limited = offer_of(env)
    longest = LONGEST_EPISODE if asked is None and not limited else asked
    if isinstance(policy, Policy):
        _check_actions(policy.plan.mdp.transitions, actions)
    choose = EpsilonMixture(policy, epsilon, actions, seed)
    began = time.perf_counter()
    with progress("evaluate", episodes, show=show_progress) as advance:
        played = play(
            env,
            choose,
            seed=seed,
            side_by_side=side_by_side,
            episodes=episodes,
            max_steps=longest,
            record=False,
            advance=advance,
        )
    return EvaluationReport(
        returns=frozen(np.array([sum(episode.rewards) for episode in played])),
        lengths=frozen(np.array([len(episode.rewards) for episode in played])),
        seconds=time.perf_counter() - began,
        cut_off=_cut_off(played, asked),
    )


def _cut_off(played: Sequence[Episode], asked: int | None) -> int:
    """Return how many episodes were cut off; warn if nobody asked for that."""
    count = sum(one.stopped for one in played)
    if count and asked is None:
        warnings.warn(
            f"{count} of {len(played)} episodes were cut off after {LONGEST_EPISODE:,} steps: the "
            "environment states no time limit. Give max_steps to choose one.",
            DataWarning,
            stacklevel=4,
        )
    return count


def _check_actions(data: Transitions, offer: EnvironmentActions) -> None:
    """Raise where the data's actions cannot be those of the environment."""
    logged, offered = data.action_names, offer.names
    if data.actions.shape[1:] != offer.shape:
        raise InputError(
            "env",
            f"an environment with actions as in the data, {data.actions_in_words}",
            f"the action space {offer.space}",
        )
    if data.action_vectors:
        return
    if len(logged) > len(offered):
        raise InputError(
            "env", f"an environment with {len(logged)} actions, as in the data", len(offered)
        )
    if logged != offered and sorted(logged) == sorted(offered):
        raise InputError(
            "env",
            f"an environment whose actions are numbered as in the data, {logged}",
            f"{offered}",
            "Import the data with action_names in the environment's order.",
        )
