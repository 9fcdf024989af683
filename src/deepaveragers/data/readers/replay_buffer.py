"""Stable-Baselines3 replay buffers in memory.

Their files are pickles, which can run any code when opened, so this package never opens
them: load the buffer with Stable-Baselines3 and hand over the object.

Arrays are (size, environments, ...), a ring whose oldest entry is at `pos` once it is full.
The episode truly ended where `dones` holds and `timeouts` does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arrays import Array, Int64
from ...errors import InputError
from ..transitions import Transitions
from .flat import mapped_actions
from .report import ActionMap, Reading


def from_replay_buffer(buffer: Any, actions: ActionMap | None = None) -> Reading:
    """Return the transitions of a Stable-Baselines3 ReplayBuffer, oldest first."""
    compact = bool(getattr(buffer, "optimize_memory_usage", False))
    times = _times(buffer, compact)
    if not len(times):
        raise InputError("buffer", "a replay buffer with transitions", "an empty one")
    count = int(buffer.n_envs)
    dones = _by_environment(buffer.dones, times).astype(bool)
    timeouts = _by_environment(buffer.timeouts, times).astype(bool)
    observations = _observations(buffer.observations, times)
    notes: tuple[str, ...] = ()
    if compact:
        following = _observations(buffer.observations, (times + 1) % buffer.buffer_size)
        # The next episode's first observation was stored over the true final one.
        following[dones] = observations[dones]
        notes = (
            "the buffer keeps no final observations: at the end of an episode the state itself "
            "stands in for its successor, and time limits count as ends",
        )
    else:
        following = _observations(buffer.next_observations, times)
    flat_actions = _by_environment(buffer.actions, times)
    terminations, truncations = dones & ~timeouts, dones & timeouts
    newest = np.arange(1, count + 1) * len(times) - 1
    truncations[newest] |= ~dones[newest]
    starts = np.zeros(len(dones), dtype=bool)
    starts[1:] = dones[:-1]
    starts[newest[:-1] + 1] = True
    data = Transitions(
        observations=observations,
        actions=mapped_actions(_shifted(flat_actions, buffer, actions), actions),
        rewards=_by_environment(buffer.rewards, times),
        next_observations=following,
        terminations=terminations,
        truncations=truncations,
        episode_ids=np.cumsum(starts),
        action_names=_names(buffer, actions),  # type: ignore[arg-type]
    )
    return Reading(data, "replay-buffer", notes=notes)


def _times(buffer: Any, compact: bool) -> Int64:
    size, position = int(buffer.buffer_size), int(buffer.pos)
    if not buffer.full:
        return np.arange(position)
    # In a compact buffer the entry at `pos` was overwritten by its predecessor's successor.
    first = position + 1 if compact else position
    return np.arange(first, position + size) % size


def _by_environment(array: Array, times: Int64) -> Array:
    """Return [environments * times, ...], each environment's steps in the order of time."""
    taken = np.swapaxes(array[times], 0, 1)
    return taken.reshape(-1, *array.shape[2:])


def _observations(stored: Any, times: Int64) -> Array:
    if isinstance(stored, Mapping):
        # The buffer has them in the order of its space, as the space flattens them.
        parts = [_by_environment(part, times) for part in stored.values()]
        return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
    return _by_environment(stored, times)


def _discrete(buffer: Any) -> tuple[int, int] | None:
    space = getattr(buffer, "action_space", None)
    if space is None or not hasattr(space, "n") or not hasattr(space, "start"):
        return None
    return int(space.start), int(space.n)


def _shifted(actions: Array, buffer: Any, mapping: ActionMap | None) -> Array:
    space = _discrete(buffer)
    return actions - space[0] if space and mapping is None else actions


def _names(buffer: Any, mapping: ActionMap | None) -> tuple[str, ...] | None:
    space = _discrete(buffer)
    if space is None or mapping is not None:
        return None
    return tuple(str(space[0] + number) for number in range(space[1]))
