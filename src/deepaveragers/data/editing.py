"""Adding episodes to a dataset and taking episodes out of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Bool, Int32, Int64
from ..errors import InputError
from .action_names import resembled
from .action_vectors import joined_rows
from .column_names import MENTIONED, listed
from .columns import joined_column
from .episodes import distinct_ids, names_at, names_of_ids, rows_of
from .frame_stacks import joined_stacks, stacks_or_none
from .scratch import end_to_end
from .transitions import MAX_TRANSITIONS, OPTIONAL_COLUMNS, Transitions, of_checked


def joined(data: Transitions, new: Transitions, *, new_actions: bool = False) -> Transitions:
    """Return a dataset with the new transitions after the old ones.

    Columns of observations and actions are matched by name; names of actions that were not
    known are refused, or, if that is asked for, added at the end. Episode ids stay as they are,
    unless some of the new ones are also old ones: then all new episodes are numbered on from
    the largest old id. Names of episodes stay as they are.
    """
    if not isinstance(new, Transitions):
        raise InputError("new", "Transitions", type(new).__name__)
    if new.observation_shape != data.observation_shape:
        raise InputError(
            "new",
            f"transitions with observations of shape {data.observation_shape}",
            f"shape {new.observation_shape}",
        )
    new = _in_order_of(data, new)
    actions = _joined_actions(data, new, new_actions)
    observations, next_observations = _joined_observations(data, new)
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(data, name), getattr(new, name)])
        for name in ("rewards", "terminations", "truncations")
    }
    for name in OPTIONAL_COLUMNS:
        pair = getattr(data, name), getattr(new, name)
        columns[name] = joined_column(*pair, (len(data), len(new)))
    # Columns of one type stay sound side by side; others become a third, which is looked at.
    alike = data.observations.dtype == new.observations.dtype
    fits = len(data) + len(new) <= MAX_TRANSITIONS
    fresh = _fresh_ids(data, new)
    return (of_checked if alike and fits else Transitions)(
        **columns,
        observations=observations,
        next_observations=next_observations,
        **actions,
        episode_ids=np.concatenate([data.episode_ids, fresh]),
        observation_names=data.observation_names or new.observation_names,
        observation_units=data.observation_units or new.observation_units,
        episode_names=_joined_episode_names(data, new, fresh),
    )


def _joined_actions(data: Transitions, new: Transitions, new_actions: bool) -> dict[str, Any]:
    """Return the fields of `Transitions` that are about actions."""
    if data.action_vectors or new.action_vectors:
        old, later = ((one.actions, one.action_names, one.action_bounds) for one in (data, new))
        rows, bounds = joined_rows(old, later)
        return {"actions": rows, "action_names": data.action_names, "action_bounds": bounds}
    unknown = tuple(name for name in new.action_names if name not in data.action_names)
    if unknown and not new_actions:
        raise InputError(
            "new",
            f"transitions with the actions {listed(data.action_names)}",
            f"unknown {listed(unknown)}",
            _meant(unknown, data.action_names)
            + "Rename those, or add them as further actions: new_actions=True (--new-actions).",
        )
    names = (*data.action_names, *unknown)
    return {"actions": np.concatenate([data.actions, _renamed(new, names)]), "action_names": names}


def _in_order_of(data: Transitions, new: Transitions) -> Transitions:
    """Return the new transitions with their columns in the order of the old ones'."""
    names, others = data.observation_names, new.observation_names
    if names is None or others is None:
        return new
    if set(names) != set(others):
        lacking = [name for name in names if name not in others]
        extra = [name for name in others if name not in names]
        raise InputError(
            "new",
            f"transitions with the columns {listed(names)}",
            f"without {listed(lacking)}, with {listed(extra)}",
            "Rename them, or import the same columns.",
        )
    order = [others.index(name) for name in names]
    units = new.observation_units and tuple(new.observation_units[place] for place in order)
    for name, old_unit, unit in zip(names, data.observation_units or (), units or (), strict=False):
        if old_unit and unit and old_unit != unit:
            raise InputError("new", f"transitions with {name!r} in {old_unit}", f"in {unit}")
    if names == others:
        return new
    return with_columns(new, np.array(order))


def _joined_episode_names(
    data: Transitions, new: Transitions, fresh: Int64
) -> tuple[str, ...] | None:
    """Return the names of all episodes; where one part has none, their numbers."""
    if data.episode_names is None and new.episode_names is None:
        return None
    old_ids, new_ids = distinct_ids(data.episode_ids), distinct_ids(fresh)
    old_names = names_of_ids(data.episode_names, data.episode_ids)
    firsts = np.unique(fresh, return_index=True)[1]
    named = names_of_ids(new.episode_names, new.episode_ids)
    own = names_at(named, new.episode_ids, new.episode_ids[firsts])
    order = np.argsort(np.concatenate([old_ids, new_ids]), kind="stable")
    both = [*old_names, *own]
    return tuple(both[place] for place in order.tolist())


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
    observations, next_observations = (end_to_end(both) for both in zip(*pairs, strict=True))
    return observations, next_observations


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


def renumbered(data: Transitions, episode_ids: Int64) -> Transitions:
    """Return the data with other numbers of episodes; every row keeps its episode's name."""
    names = data.episode_names
    if names is not None:
        firsts = np.unique(episode_ids, return_index=True)[1]
        names = names_at(names, data.episode_ids, data.episode_ids[firsts])
    return replace(data, episode_ids=episode_ids, episode_names=names)


def with_columns(data: Transitions, columns: Int64) -> Transitions:
    """Return the data with some columns of their observations, and the names of those."""
    names, units = (
        None if texts is None else tuple(texts[column] for column in columns.tolist())
        for texts in (data.observation_names, data.observation_units)
    )
    return replace(
        data,
        observations=np.asarray(data.observations)[:, columns],
        next_observations=np.asarray(data.next_observations)[:, columns],
        observation_names=names,
        observation_units=units,
    )


def rows_without(data: Transitions, episodes: Iterable[int | str] | int | str) -> Bool:
    """Return [N] bool: true for the rows of all other episodes."""
    kept: Bool = ~rows_of(episodes, data.episode_ids, data.episode_names)
    if not kept.any():
        raise InputError("episodes", "fewer than all episodes", "every one of them")
    return kept
