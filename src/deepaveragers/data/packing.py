"""Transitions as plain settings and arrays, for bundles and for the nodes of a cluster.

Text is JSON in bytes. Stacked frames are there once, beside which of them make an observation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import BundleError
from .columns import DATES
from .frame_stacks import FrameStacks, stacks_or_none, without_unused
from .transitions import COLUMNS, Transitions

TEXTS = ("observation_names", "observation_units", "episode_names")
NUMBERS = ("times", "propensities", "action_bounds")


def pack_transitions(data: Transitions) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the settings and arrays of transitions."""
    settings: dict[str, Any] = {"action_names": list(data.action_names)}
    arrays = {"observations": data.observations, "next_observations": data.next_observations}
    here, later = (stacks_or_none(column) for column in arrays.values())
    if here is not None and later is not None:
        settings["stack"], arrays = _pack_stacks(here, later)
    columns = {name: getattr(data, name) for name in COLUMNS}
    return settings, {**arrays, **columns, **_pack_names(data)}


def unpack_transitions(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> Transitions:
    """Return the transitions that were packed; what none could be is refused."""
    here, later = (
        _unpack_stacks(settings["stack"], arrays)
        if "stack" in settings
        else (arrays["observations"], arrays["next_observations"])
    )
    columns: dict[str, Any] = {name: arrays[name] for name in COLUMNS}
    return Transitions(
        observations=here,  # type: ignore[arg-type]
        next_observations=later,  # type: ignore[arg-type]
        **columns,
        action_names=tuple(settings["action_names"]),
        **_unpack_names(arrays),
    )


def _pack_names(data: Transitions) -> dict[str, Array]:
    """Return what the log says beside its numbers; nothing for what it does not say."""
    given = {name: getattr(data, name) for name in (*TEXTS, *NUMBERS)}
    arrays = {name: value for name, value in given.items() if value is not None}
    for name in TEXTS:
        if name in arrays:
            text = json.dumps(list(arrays[name])).encode()
            arrays[name] = np.frombuffer(text, dtype=np.uint8)
    if "times" in arrays and arrays["times"].dtype == DATES:
        arrays["dates"] = arrays.pop("times").view(np.int64)
    return arrays


def _unpack_names(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Return the fields of `Transitions`."""
    fields: dict[str, Any] = {name: _names(arrays, name) for name in TEXTS if name in arrays}
    fields |= {name: arrays[name] for name in NUMBERS if name in arrays}
    if "dates" in arrays:
        fields["times"] = np.asarray(arrays["dates"]).view(DATES)
    return fields


def _names(arrays: Mapping[str, Array], name: str) -> list[str]:
    try:
        names = json.loads(np.asarray(arrays[name], dtype=np.uint8).tobytes())
    except (ValueError, RecursionError) as error:
        raise BundleError(f"its {name} are not text.") from error
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise BundleError(f"its {name} are not text.")
    return names


def _pack_stacks(here: FrameStacks, later: FrameStacks) -> tuple[int, dict[str, Array]]:
    """Return the size of a stack and the arrays; frames that no stack needs are left out."""
    here, later = without_unused(here, later)
    return here.size, {
        "frames": here.frames,
        "places": here.places,
        "starts": here.starts,
        "next_places": later.places,
        "next_starts": later.starts,
    }


def _unpack_stacks(size: Any, arrays: Mapping[str, Array]) -> tuple[FrameStacks, FrameStacks]:
    """Return observations and next observations; the frames stay where they are."""
    frames = np.asarray(arrays["frames"])
    return (
        FrameStacks(frames, arrays["places"], arrays["starts"], size),
        FrameStacks(frames, arrays["next_places"], arrays["next_starts"], size),
    )
