"""Gymnasium environments as this package needs them: plain actions, array observations."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import gymnasium as gym
import numpy as np

from ..arguments import check_takes, shown
from ..arrays import Array
from ..errors import InputError
from .environment_actions import EnvironmentActions, actions_of
from .spaces import observation_space_names

EnvironmentSource: TypeAlias = str | gym.Env[Any, Any] | Callable[[], gym.Env[Any, Any]]
"""A registered id, an environment that can be made again, or a function that makes one."""
LONGEST_REASON = 300
"""Letters of what Gymnasium says."""
NEEDED = ("reset", "step", "action_space", "observation_space")
"""What an environment has; it need not be a `gym.Env`."""


def maker(source: EnvironmentSource) -> Callable[[], gym.Env[Any, Any]]:
    """Return a function that makes fresh copies of the environment."""
    if isinstance(source, str):
        name = source
        return lambda: _make(name)
    if isinstance(source, gym.Env):
        if source.spec is None:
            raise InputError(
                "env", "a registered id or a function that makes it", "an environment with no spec"
            )
        spec = source.spec
        return lambda: gym.make(spec, disable_env_checker=True)
    if callable(source):
        check_takes("env", source)
        return lambda: _checked(source())
    raise InputError(
        "env",
        "an id, a gym.Env with a spec, or a function that makes an environment",
        type(source).__name__,
    )


def _make(name: str) -> gym.Env[Any, Any]:
    try:
        return gym.make(name, disable_env_checker=True)
    except gym.error.Error as error:
        reason = textwrap.shorten(str(error).splitlines()[0], LONGEST_REASON)
        raise InputError(
            "env", "the id of a registered Gymnasium environment", f"{shown(name)} ({reason})"
        ) from error


def _checked(made: Any) -> gym.Env[Any, Any]:
    absent = [name for name in NEEDED if not hasattr(made, name)]
    if absent:
        raise InputError(
            "env",
            f"a function that makes an environment, with {', '.join(NEEDED)}",
            f"one that makes {type(made).__name__}, without {', '.join(absent)}",
        )
    return made


def close(env: gym.Env[Any, Any]) -> None:
    """Close an environment, if it can be closed."""
    getattr(env, "close", lambda: None)()


class Offer(NamedTuple):
    """What an environment says of itself.

    Attributes:
        actions: what can be done in it.
        columns: names of its observations' columns, if they have any.
        limited: whether it states a number of steps after which it ends an episode.
    """

    actions: EnvironmentActions
    columns: tuple[str, ...] | None
    limited: bool


def offer_of(source: EnvironmentSource) -> Offer:
    """Return what an environment says of itself."""
    env = maker(source)()
    try:
        limit = getattr(getattr(env, "spec", None), "max_episode_steps", None)
        names = observation_space_names(env.observation_space)
        return Offer(actions_of(env), names, limited=limit is not None)
    finally:
        close(env)


def observation_reader(space: gym.Space[Any]) -> Callable[[Any], Array]:
    """Return a function from one observation to the array that is stored.

    Boxes stay as they are; discrete, dictionary and tuple observations are flattened as
    Gymnasium does it (a discrete part becomes one column per value).
    """
    if isinstance(space, gym.spaces.Box):
        return np.asarray
    if not space.is_np_flattenable:
        raise InputError("env", "an environment with array observations", f"the space {space}")
    return lambda observation: np.asarray(
        gym.spaces.utils.flatten(space, observation), dtype=np.float32
    )
