"""d3rlpy's datasets: HDF5 files of version 2.1 and 1, and MDPDataset or ReplayBuffer objects.

An episode has T observations, T actions, T rewards, and one flag `terminated`. The final
observation of an episode that was cut off is not in the data, so its last step is left out,
as d3rlpy itself does.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import InputError
from ..scratch import Growing
from ..steps import Steps, link_steps
from .flat import flat_reading, mapped_actions, names_by_field
from .hdf5 import open_hdf5, values
from .report import ActionMap, Reading

MAX_EPISODES = 10_000_000


def read_d3rlpy(path: Path, actions: ActionMap | None = None) -> Reading:
    """Return the transitions of a file that d3rlpy wrote."""
    with open_hdf5(path) as file:
        if "columns" not in file:
            return _version_1(file, str(path), actions)
        count = int(values(file, "num_episodes"))
        if not 0 < count <= min(len(file), MAX_EPISODES):
            raise InputError(f"{path}, num_episodes", "the number of episodes in the file", count)
        episodes = ({key: _part(file, key, i) for key in EPISODE_PARTS} for i in range(count))
        return _linked(episodes, str(path), actions)


def from_dataset(dataset: Any, actions: ActionMap | None = None) -> Reading:
    """Return the transitions of a d3rlpy MDPDataset or ReplayBuffer in memory."""
    episodes = (
        {
            "observations": _joined(episode.observations),
            "actions": np.asarray(episode.actions),
            "rewards": np.asarray(episode.rewards),
            "terminated": np.asarray(episode.terminated),
        }
        for episode in dataset.episodes
    )
    return _linked(episodes, "dataset", actions)


EPISODE_PARTS = ("observations", "actions", "rewards", "terminated")


def _version_1(file: Any, path: str, actions: ActionMap | None) -> Reading:
    arrays = {name: values(file, name) for name in names_by_field(file).values()}
    return flat_reading(arrays, "d3rlpy", path, actions)


def _part(file: Any, key: str, episode: int) -> Array:
    if f"{key}_{episode}" in file:
        return values(file, f"{key}_{episode}")
    parts: list[Array] = []
    while f"{key}_{episode}_{len(parts)}" in file:
        parts.append(values(file, f"{key}_{episode}_{len(parts)}"))
    if not parts:
        raise InputError(file.filename, f"a file with {key}_{episode}", "none")
    return _joined(parts)


def _joined(parts: Any) -> Array:
    """Return one array; several observations of a step are laid side by side."""
    if isinstance(parts, np.ndarray):
        return parts
    if len({len(part) for part in parts}) != 1:
        raise InputError("observations", "parts of equal length", [len(part) for part in parts])
    return np.concatenate([np.asarray(part).reshape(len(part), -1) for part in parts], axis=1)


def _linked(
    episodes: Iterable[dict[str, Array]], source: str, actions: ActionMap | None
) -> Reading:
    lengths: list[int] = []
    terminated: list[bool] = []
    parts = {part: Growing() for part in ("observations", "actions", "rewards")}
    for number, episode in enumerate(episodes):
        size = len(episode["rewards"])
        for part in ("observations", "actions"):
            if len(episode[part]) != size or not size:
                raise InputError(
                    f"{source}, {part} of episode {number}",
                    f"one per reward ({size}), at least one",
                    len(episode[part]),
                )
        for part, growing in parts.items():
            growing.append(episode[part])
        lengths.append(size)
        terminated.append(bool(episode["terminated"]))
    if not lengths:
        raise InputError(source, "a dataset with episodes", "an empty one")
    last = np.cumsum(lengths) - 1
    terminations = np.zeros(sum(lengths), dtype=bool)
    terminations[last] = terminated
    truncations = np.zeros_like(terminations)
    truncations[last] = ~terminations[last]
    joined = {part: growing.whole() for part, growing in parts.items()}
    steps = Steps(
        observations=joined["observations"],
        actions=mapped_actions(joined["actions"], actions),
        rewards=joined["rewards"].reshape(-1),
        terminations=terminations,
        truncations=truncations,
        episodes=np.repeat(np.arange(len(lengths)), lengths),
    )
    data, notes = link_steps(steps)
    return Reading(data, "d3rlpy", notes=notes)
