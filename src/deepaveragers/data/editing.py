"""Adding episodes to a dataset and taking episodes out of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..arrays import Bool, Int32, Int64
from ..errors import InputError
from .action_names import resembled
from .frame_stacks import joined_stacks, stacks_or_none
from .transitions import MAX_TRANSITIONS, Transitions, of_checked

MENTIONED = 20


def joined(data: Transitions, new: Transitions, *, new_actions: bool = False) -> Transitions:
    """Return a dataset with the new transitions after the old ones.

    Actions are matched by name; names that were not known are refused, or, if that is asked
    for, added at the end. Episode ids stay as they are, unless some of the new ones are also
    old ones: then all new episodes are numbered on from the largest old id.
    """
    if not isinstance(new, Transitions):
        raise InputError("new", "Transitions", type(new).__name__)
    if new.observation_shape != data.observation_shape:
        raise InputError(
            "new",
            f"transitions with observations of shape {data.observation_shape}",
            f"shape {new.observation_shape}",
        )
    unknown = tuple(name for name in new.action_names if name not in data.action_names)
    if unknown and not new_actions:
        raise InputError(
            "new",
            f"transitions with the actions {_listed(data.action_names)}",
            f"unknown {_listed(unknown)}",
            _meant(unknown, data.action_names)
            + "Rename those, or add them as further actions: new_actions=True (--new-actions).",
        )
    names = (*data.action_names, *unknown)
    observations, next_observations = _joined_observations(data, new)
    columns = {
        name: np.concatenate([getattr(data, name), getattr(new, name)])
        for name in ("rewards", "terminations", "truncations")
    }
    # Columns of one type stay sound side by side; others become a third, which is looked at.
    alike = data.observations.dtype == new.observations.dtype
    fits = len(data) + len(new) <= MAX_TRANSITIONS
    return (of_checked if alike and fits else Transitions)(
        **columns,
        observations=observations,
        next_observations=next_observations,
        actions=np.concatenate([data.actions, _renamed(new, names)]),
        episode_ids=np.concatenate([data.episode_ids, _fresh_ids(data, new)]),
        action_names=names,
    )


def _joined_observations(data: Transitions, new: Transitions) -> tuple[Any, Any]:
    pairs = [(one.observations, one.next_observations) for one in (data, new)]
    here, later, new_here, new_later = (stacks_or_none(one) for pair in pairs for one in pair)
    if here and later and new_here and new_later:
        return joined_stacks((here, later), (new_here, new_later))
    if here or new_here:
        raise InputError(
            "new",
            "transitions whose pictures are stored like those of the target",
            "frames stored once and whole pictures",
            "Make FrameStacks of both, or whole pictures: np.asarray(data.observations).",
        )
    observations, next_observations = (np.concatenate(both) for both in zip(*pairs, strict=True))
    return observations, next_observations


def _listed(names: Sequence[str]) -> str:
    more = f", ... ({len(names)})" if len(names) > MENTIONED else ""
    return ", ".join(map(repr, names[:MENTIONED])) + more


def _meant(unknown: Sequence[str], names: Sequence[str]) -> str:
    pairs = ((name, resembled(name, names)) for name in unknown[:MENTIONED])
    return "".join(f"{name!r} looks like {known!r}. " for name, known in pairs if known)


def _renamed(new: Transitions, names: tuple[str, ...]) -> Int32:
    numbers = np.array([names.index(name) for name in new.action_names], dtype=np.int32)
    return numbers[new.actions]


def _fresh_ids(data: Transitions, new: Transitions) -> Int64:
    if not np.isin(new.episode_ids, data.episode_ids).any():
        return new.episode_ids
    runs = np.cumsum(np.diff(new.episode_ids, prepend=new.episode_ids[0]) != 0)
    return data.episode_ids.max() + 1 + runs


def rows_without(data: Transitions, episodes: Iterable[int] | int) -> Bool:
    """Return [N] bool: true for the rows of all other episodes."""
    if isinstance(episodes, Iterable) and not isinstance(episodes, Sequence | np.ndarray):
        episodes = list(episodes)
    wanted = np.atleast_1d(np.asarray(episodes))
    if wanted.ndim != 1 or wanted.dtype.kind not in "iu" or not len(wanted):
        raise InputError("episodes", "one or more episode ids", episodes)
    unknown = wanted[~np.isin(wanted, data.episode_ids)]
    if len(unknown):
        raise InputError("episodes", "ids of episodes in the data", int(unknown.min()))
    kept: Bool = ~np.isin(data.episode_ids, wanted)
    if not kept.any():
        raise InputError("episodes", "fewer than all episodes", "every one of them")
    return kept
