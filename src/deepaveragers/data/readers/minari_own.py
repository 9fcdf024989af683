"""What our writer leaves in the metadata of a Minari dataset, taken back where it fits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array, Int64
from ..columns import DATES
from ..transitions import Transitions

OWN = "deepaveragers"
INFOS = {"times": "time", "propensities": "propensity"}
"""Fields of ours, and their names among the infos of an episode."""


@dataclass(frozen=True, eq=False)
class OwnNames:
    """Names beside the arrays of a dataset; None where they are not ours or do not fit.

    Attributes:
        action_names: A names.
        observation_names: D names.
        observation_units: D units.
        episode_ids: [E] int64, of the episodes that are read.
        episode_names: E names of those.
        action_rows: whether actions are rows, also where they could be numbered.
        infos: fields that stand among the infos of every episode, with their types.
    """

    action_names: tuple[str, ...] | None = None
    observation_names: tuple[str, ...] | None = None
    observation_units: tuple[str, ...] | None = None
    episode_ids: Int64 | None = None
    episode_names: tuple[str, ...] | None = None
    action_rows: bool = False
    infos: tuple[tuple[str, np.dtype[Any]], ...] = ()

    def rows(self, episode: Any, size: int) -> dict[str, Array]:
        """Return the fields of an episode's first steps that its infos hold."""
        infos = episode.infos if isinstance(episode.infos, dict) else {}
        found = {field: (np.asarray(infos.get(INFOS[field])), kind) for field, kind in self.infos}
        return {
            field: values[:size].astype(np.int64 if kind == DATES else kind)
            for field, (values, kind) in found.items()
            if values.shape in ((size,), (size + 1,)) and values.dtype.kind in "fiu"
        }

    def put(self, data: Transitions, columns: dict[str, Array]) -> Transitions:
        """Return the transitions of numbered episodes with the names, and columns [N]."""
        fields: dict[str, Any] = {}
        for field, kind in self.infos:
            if field in columns and len(columns[field]) == len(data):
                fields[field] = columns[field].astype(kind)
        if self.episode_ids is not None:
            fields["episode_ids"] = self.episode_ids[data.episode_ids]
            if self.episode_names is not None:
                names = zip(self.episode_ids.tolist(), self.episode_names, strict=True)
                fields["episode_names"] = dict(names)
        width = data.observation_shape
        if self.observation_names is not None and width == (len(self.observation_names),):
            fields["observation_names"] = self.observation_names
            units = self.observation_units
            fields["observation_units"] = units if units and width == (len(units),) else None
        return replace(data, **fields) if fields else data


def own_names(dataset: Any) -> OwnNames:
    """Return what our writer left in a dataset."""
    own = dataset.storage.metadata.get(OWN)
    if not isinstance(own, dict):
        return OwnNames()
    episodes, chosen = dataset.storage.total_episodes, dataset.episode_indices
    ids = own.get("episode_ids")
    whole = isinstance(ids, list) and all(type(one) is int and abs(one) < 2**63 for one in ids)
    names = _texts(own, "episode_names", episodes)
    return OwnNames(
        action_names=_texts(own, "action_names", _count(dataset.action_space)),
        observation_names=_texts(own, "observation_names"),
        observation_units=_texts(own, "observation_units"),
        episode_ids=(
            np.asarray(ids, dtype=np.int64)[chosen]
            if whole and len(ids) == episodes  # type: ignore[arg-type]
            else None
        ),
        episode_names=None if names is None else tuple(names[place] for place in chosen),
        action_rows=own.get("action_rows") is True,
        infos=_kinds(own.get("infos")),
    )


def _count(space: Any) -> int | None:
    """Return how many names the actions of a space have; None where that is not known."""
    return getattr(space, "n", None) or math.prod(getattr(space, "shape", None) or ()) or None


def _texts(own: dict[str, Any], name: str, size: int | None = None) -> tuple[str, ...] | None:
    values = own.get(name)
    if not isinstance(values, list) or (size is not None and len(values) != size):
        return None
    return tuple(str(value) for value in values)


def _kinds(stored: Any) -> tuple[tuple[str, np.dtype[Any]], ...]:
    known: dict[str, np.dtype[Any]] = {
        name: np.dtype(name) for name in (str(DATES), "int64", "float64")
    }
    given = stored if isinstance(stored, dict) else {}
    return tuple((field, known[given[field]]) for field in INFOS if str(given.get(field)) in known)
