"""Flat arrays, one row a step or a transition, under the names that libraries give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arrays import Array, Bool
from ...errors import InputError
from ..observations import as_observations
from ..steps import Steps, link_steps
from ..transitions import NAMES as TEXT
from ..transitions import OPTIONAL_COLUMNS, Transitions
from .report import ActionMap, Reading

NAMES = {
    "observations": ("observations", "obs", "states", "observation"),
    "actions": ("actions", "action", "acts"),
    "rewards": ("rewards", "reward"),
    "next_observations": ("next_observations", "next_obs", "next_states", "observations_next"),
    "terminations": ("terminations", "terminals", "terminated"),
    "truncations": ("truncations", "timeouts", "truncated"),
    "dones": ("dones", "done", "episode_terminals"),
    "episode_ids": ("episode_ids", "episode_id", "episodes", "episode"),
    "times": ("times",),
    "propensities": ("propensities", "propensity", "pscore"),
    **{name: (name,) for name in TEXT},
    "action_bounds": ("action_bounds",),
}


def names_by_field(names: Any) -> dict[str, str]:
    """Return the one of the given names that holds each field."""
    given = set(names)
    return {
        field: next(name for name in aliases if name in given)
        for field, aliases in NAMES.items()
        if given.intersection(aliases)
    }


def flat_reading(
    arrays: Mapping[str, Array], format: str, source: str, actions: ActionMap | None = None
) -> Reading:
    """Return the transitions of flat arrays."""
    fields = names_by_field(arrays)
    for needed in ("observations", "actions", "rewards"):
        if needed not in fields:
            raise InputError(
                source,
                f"a dataset with {needed} (one of {', '.join(NAMES[needed])})",
                f"arrays {', '.join(sorted(arrays)) or 'none'}",
            )
    taken = {field: np.asarray(arrays[name]) for field, name in fields.items()}
    size = len(taken["observations"]) if taken["observations"].ndim else 0
    terminations, truncations, notes = _ends(taken, size)
    names: dict[str, Any] = {name: _texts(taken[name], name) for name in TEXT if name in taken}
    optional: dict[str, Any] = {
        name: _single(taken[name], name, size) for name in OPTIONAL_COLUMNS if name in taken
    }
    bounds = taken.get("action_bounds") if actions is None else None
    rows = bounds is not None and taken["actions"].ndim == 2
    mapped = taken["actions"] if rows else mapped_actions(taken["actions"], actions)
    rewards = _single(taken["rewards"], "rewards", size)
    episode_ids = taken.get("episode_ids")
    if "next_observations" in taken:
        data = Transitions(
            observations=taken["observations"],
            actions=mapped,
            rewards=rewards,
            next_observations=taken["next_observations"],
            terminations=terminations,
            truncations=truncations,
            episode_ids=episode_ids,  # type: ignore[arg-type]
            action_bounds=bounds,
            **optional,
            **names,
        )
        return Reading(data, format, notes=notes)
    if episode_ids is None:
        ended = terminations | truncations
        episode_ids = np.cumsum(np.concatenate(([False], ended[:-1])))
    steps = Steps(
        observations=as_observations(taken["observations"]),
        actions=mapped,
        rewards=rewards,
        terminations=terminations,
        truncations=truncations,
        episodes=episode_ids.astype(np.int64),
        action_bounds=bounds,
        **optional,
        **{name: value for name, value in names.items() if name != "action_names"},
    )
    data, linking = link_steps(steps, names.get("action_names"))
    return Reading(data, format, notes=(*notes, *linking))


def mapped_actions(actions: Array, mapping: ActionMap | None) -> Array:
    """Return [N] actions: mapped by the given function, or as they are; rows [N, Da] too."""
    if mapping is not None:
        mapped = np.asarray(mapping(actions))
        if mapped.shape != (len(actions),):
            raise InputError(
                "actions",
                f"a function that returns {len(actions)} numbers or labels for that many rows",
                f"an array of shape {mapped.shape}",
            )
        return mapped
    whole = actions.dtype.kind != "f" or bool((actions == np.rint(actions)).all())
    if actions.ndim == 2 and actions.shape[1] == 1 and whole:
        return actions[:, 0]
    if actions.ndim == 1 and not whole:
        return actions[:, None]
    if actions.ndim > 2:
        raise InputError(
            "actions",
            "one action per step: a number, a label, or a row of numbers",
            f"shape {actions.shape}",
            "Give a function that maps them to numbers or labels: read(..., actions=function).",
        )
    return actions


def _texts(values: Array, name: str) -> tuple[str, ...]:
    if values.ndim != 1:
        raise InputError(name, "names in one row", f"shape {values.shape}")
    return tuple(map(str, values.tolist()))


def _single(values: Array, name: str, size: int) -> Array:
    if values.shape == (size, 1):
        return values[:, 0]
    if values.shape != (size,):
        raise InputError(name, f"of shape ({size},), one per row", f"shape {values.shape}")
    return values


def _flag(values: Array, name: str, size: int) -> Bool:
    values = _single(values, name, size)
    if values.dtype.kind not in "fiub" or not np.isin(values, (0, 1)).all():
        raise InputError(name, "flags: true or false, 1 or 0", f"values of type {values.dtype}")
    return values.astype(bool)


def _ends(taken: Mapping[str, Array], size: int) -> tuple[Bool, Bool, tuple[str, ...]]:
    given = {
        name: _flag(taken[name], name, size)
        for name in ("terminations", "truncations", "dones")
        if name in taken
    }
    none = np.zeros(size, dtype=bool)
    notes: tuple[str, ...] = ()
    terminations, truncations = given.get("terminations"), given.get("truncations")
    if "dones" in given:
        if terminations is None:
            terminations = given["dones"] & ~(none if truncations is None else truncations)
            if truncations is None:
                notes = ("the episodes' ends were read as terminations, never as time limits",)
        elif truncations is None:
            truncations = given["dones"] & ~terminations
    if terminations is None:
        notes = ("no terminations were given: every episode counts as cut off, not ended",)
    return (
        none if terminations is None else terminations,
        none if truncations is None else truncations,
        notes,
    )
