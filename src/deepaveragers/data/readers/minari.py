"""Minari datasets, by id or path or as objects.

Episodes have T+1 observations, or T where the last one was not kept; then the last step of
an episode that did not terminate is left out. The library is asked to open a dataset only if
its own files say what its spaces are: otherwise it would make, and so run, an environment
that the files name.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from ...arrays import Array
from ...errors import DeepAveragersError, InputError, MissingExtraError, StorageError
from ...progress import progress
from ..action_parts import row_names
from ..scratch import Growing
from ..spaces import (
    action_batch,
    action_space_names,
    observation_batch,
    observation_space_names,
    space_bounds,
)
from ..steps import Steps, link_steps
from .flat import mapped_actions
from .minari_own import own_names
from .report import ActionMap, Reading


def read_minari(source: Path, actions: ActionMap | None = None) -> Reading:
    """Return the transitions of a Minari dataset that is on this machine."""
    try:
        from minari.dataset.minari_dataset import MinariDataset
        from minari.storage import get_dataset_path
    except ImportError as error:
        raise MissingExtraError("minari", "data") from error
    found = data_directory(source)
    name = source.as_posix()  # an id has "/" on every system
    directory = found or data_directory(get_dataset_path(name))
    if directory is None:
        raise StorageError(
            f"{name} is neither a Minari dataset's directory nor the id of one on this machine. "
            f"Fetch it with: minari download {name}"
        )
    _check_metadata(directory)
    try:
        return from_minari(MinariDataset(str(directory)), actions)
    except DeepAveragersError:
        raise
    except Exception as error:  # whatever a damaged file makes the libraries raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(str(source), "a whole Minari dataset", reason) from error


def data_directory(source: str | Path) -> Path | None:
    """Return the directory of a Minari dataset that holds its metadata, if there is one."""
    path = Path(source)
    candidates = (path, path / "data")
    return next((each for each in candidates if (each / "metadata.json").is_file()), None)


def from_minari(dataset: Any, actions: ActionMap | None = None) -> Reading:
    """Return the transitions of an opened Minari dataset."""
    parts: dict[str, Growing] = {}
    short = 0
    own = own_names(dataset)
    with progress("read", dataset.total_episodes) as advance:
        for number, episode in enumerate(dataset.iterate_episodes()):
            rows = _rows(episode, number, dataset, own.action_rows)
            rows |= own.rows(episode, len(episode.rewards))
            short += len(rows["observations"]) == len(episode.rewards)
            for name, values in rows.items():
                parts.setdefault(name, Growing()).append(values)
            advance(1)
    if not parts:
        raise InputError("dataset", "a Minari dataset with episodes", "an empty one")
    joined = {name: parts.pop(name).whole() for name in list(parts)}
    acted = joined["acted"]
    names, bounds = None, None
    noted: tuple[str, ...] = ()
    taken = joined["actions"]
    if actions is None:
        space = dataset.action_space
        names = own.action_names or action_space_names(space) or row_names(space)
        bounds, noted = space_bounds(space, taken)
    as_rows = own.action_rows or isinstance(
        dataset.action_space, gym.spaces.Box | gym.spaces.Tuple | gym.spaces.Dict
    )
    if actions is not None or not as_rows:
        taken = mapped_actions(taken, actions)
    data, notes = link_steps(
        Steps(
            observations=joined["observations"],
            actions=_spread(taken, acted),
            rewards=_spread(joined["rewards"], acted),
            terminations=_spread(joined["terminations"], acted),
            truncations=_spread(joined["truncations"], acted),
            episodes=joined["episodes"],
            acted=acted,
            observation_names=observation_space_names(dataset.observation_space),
            action_bounds=bounds,
        ),
        names,
    )
    data, notes = own.put(data, joined), (*noted, *notes)
    if short:
        notes = (f"{short:,} episode(s) come without their final observation", *notes)
    return Reading(data, "minari", notes=notes)


def _rows(episode: Any, number: int, dataset: Any, action_rows: bool) -> dict[str, Array]:
    observations = observation_batch(dataset.observation_space, episode.observations)
    size = len(episode.rewards)
    if len(observations) not in (size, size + 1):
        raise InputError(
            f"episode {number}",
            f"of {size} or {size + 1} observations for its {size} rewards",
            f"{len(observations)} observations",
        )
    taken = (
        np.asarray(episode.actions).reshape(size, -1)
        if action_rows
        else action_batch(dataset.action_space, episode.actions)
    )
    if len(taken) != size:
        raise InputError(f"episode {number}", f"of {size} actions", f"{len(taken)}")
    return {
        "observations": observations,
        "actions": taken,
        "rewards": np.asarray(episode.rewards, dtype=np.float64),
        "terminations": np.asarray(episode.terminations, dtype=bool),
        "truncations": np.asarray(episode.truncations, dtype=bool),
        "acted": np.arange(len(observations)) < size,
        "episodes": np.full(len(observations), number, dtype=np.int64),
    }


def _spread(values: Array, acted: Array) -> Array:
    """Return one entry per observation; final observations get an empty one."""
    spread = np.zeros((len(acted), *values.shape[1:]), dtype=values.dtype)
    spread[acted] = values
    return spread


def _check_metadata(directory: Path) -> None:
    try:
        metadata = json.loads((directory / "metadata.json").read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(str(directory), "a Minari dataset", "a broken metadata.json") from error
    for needed in ("observation_space", "action_space"):
        if not isinstance(metadata, dict) or not isinstance(metadata.get(needed), str):
            raise InputError(
                str(directory),
                "a Minari dataset that says what its spaces are",
                f"metadata without {needed}",
                "Open it with minari itself if you trust it, and hand over the object.",
            )
