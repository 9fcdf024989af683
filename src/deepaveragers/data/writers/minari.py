"""Minari datasets, without loss: raw pictures instead of JPEG, every final observation.

A Minari episode is a chain of observations, so an episode of ours is written as several
where its chain is broken. Action names and our episode ids stand in the metadata, from
which our reader takes them back.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from ...arrays import Int64
from ...errors import InputError, MissingExtraError, StorageError
from ..action_vectors import rounded_bounds
from ..columns import DATES
from ..episodes import names_at
from ..observations import rows_at_once
from ..readers.minari_own import INFOS, OWN
from ..transitions import Transitions

EPISODES_AT_ONCE = 256
DATASET_NAME = re.compile(r"[-_\w]+-v\d+")


def write_minari(data: Transitions, path: Path) -> None:
    """Write the transitions as a Minari dataset's directory; its name must end in -v0 or such."""
    try:
        from minari import __version__ as minari_version
        from minari.dataset.minari_storage import MinariStorage
    except ImportError as error:
        raise MissingExtraError("minari", "data") from error
    if DATASET_NAME.fullmatch(path.name) is None:
        raise InputError("path", "a directory named as Minari asks, like 'walks-v0'", path.name)
    if path.exists():
        raise StorageError(f"{path} cannot be written: it exists already.")
    # Minari joins a relative path to itself.
    temporary = path.absolute().with_name(f".{path.name}.tmp-{os.getpid()}")
    bounds = _chains(data)
    try:
        (temporary / "data").mkdir(parents=True)
        storage = MinariStorage.new(
            temporary / "data",
            observation_space=_observation_space(data),
            action_space=_action_space(data),
            jpeg_encoding=False,
        )
        storage.update_metadata(
            {"dataset_id": path.name, "minari_version": minari_version, OWN: _own(data, bounds)}
        )
        episodes = _episodes(data, bounds)
        while batch := list(islice(episodes, EPISODES_AT_ONCE)):
            storage.update_episodes(batch)
        os.replace(temporary, path)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _own(data: Transitions, bounds: Int64) -> dict[str, Any]:
    """Return the names, and which fields stand among the infos, with their types."""
    ids = data.episode_ids[bounds[:-1]]
    own: dict[str, Any] = {"action_names": list(data.action_names), "episode_ids": ids.tolist()}
    if data.action_vectors:
        own["action_rows"] = True
    for field in ("observation_names", "observation_units"):
        if getattr(data, field) is not None:
            own[field] = list(getattr(data, field))
    if data.episode_names is not None:
        own["episode_names"] = list(names_at(data.episode_names, data.episode_ids, ids))
    own["infos"] = {
        field: str(getattr(data, field).dtype)
        for field in INFOS
        if getattr(data, field) is not None
    }
    return own


def _infos(data: Transitions, rows: slice) -> dict[str, Any] | None:
    """Return what stands beside the steps; Minari has an info more than steps."""
    infos = {}
    for field, name in INFOS.items():
        values = getattr(data, field)
        if values is not None:
            numbers = values.view(np.int64) if values.dtype == DATES else values
            infos[name] = np.append(numbers[rows], numbers[rows.stop - 1])
    return infos or None


def _observation_space(data: Transitions) -> gym.Space[Any]:
    if data.observations.dtype == np.uint8:
        return gym.spaces.Box(0, 255, data.observation_shape, np.uint8)
    dtype: Any = data.observations.dtype
    return gym.spaces.Box(-np.inf, np.inf, data.observation_shape, dtype)


def _action_space(data: Transitions) -> gym.Space[Any]:
    if not data.action_vectors:
        return gym.spaces.Discrete(data.num_actions)
    width, dtype = len(data.action_names), data.actions.dtype
    if dtype.kind == "f":
        if data.action_bounds is None:
            return gym.spaces.Box(-np.inf, np.inf, (width,), dtype.type)
        return gym.spaces.Box(*rounded_bounds(data.action_bounds, dtype), dtype=dtype.type)
    ends = data.actions if data.action_bounds is None else data.action_bounds
    least, most = ends.min(axis=0).astype(np.int64), ends.max(axis=0).astype(np.int64)
    return gym.spaces.MultiDiscrete(most - least + 1, start=least)


def _chains(data: Transitions) -> Int64:
    """Return where chains begin, and the end: runs in which every s' is the next row's s."""
    ends = (data.terminations | data.truncations)[:-1] | (np.diff(data.episode_ids) != 0)
    step = rows_at_once(data.observations)
    for start in range(0, len(ends), step):
        rows = slice(start, min(start + step, len(ends)))
        following = data.observations[rows.start + 1 : rows.stop + 1]
        jumps = data.next_observations[rows] != following
        ends[rows] |= jumps.reshape(len(jumps), -1).any(axis=1)
    return np.concatenate(([0], np.flatnonzero(ends) + 1, [len(data)]))


def _episodes(data: Transitions, bounds: Int64) -> Iterator[Any]:
    from minari.data_collector.episode_buffer import EpisodeBuffer

    for start, stop in pairwise(bounds.tolist()):
        rows = slice(start, stop)
        final = data.next_observations[stop - 1 : stop]
        yield EpisodeBuffer(
            observations=np.concatenate([data.observations[rows], final]),
            actions=data.actions[rows]
            if data.action_vectors
            else data.actions[rows].astype(np.int64),
            rewards=data.rewards[rows],
            terminations=data.terminations[rows],
            truncations=data.truncations[rows],
            infos=_infos(data, rows),
        )
