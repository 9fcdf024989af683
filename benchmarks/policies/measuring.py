"""Making a policy from a cell's log and playing it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import deepaveragers as da

from . import methods
from .cells import Cell
from .peers.learning import Peers
from .playing import GAMMA
from .runs import Run


def log_of(cell: Cell, seed: int, folder: Path) -> da.Transitions:
    """Return the data of a cell and seed; they are kept in the folder."""
    place = folder / "data" / f"{cell.name}.{seed}"
    if place.exists():
        return da.load(place)
    data = cell.task.log(cell.steps, seed)
    place.parent.mkdir(parents=True, exist_ok=True)
    da.save(data, place)
    return data


def measure(
    cell: Cell, seed: int, method: str, data: da.Transitions, peers: Peers, commit: str
) -> Run:
    """Make a method's policy and play it.

    Args:
        cell: the cell.
        seed: of its data.
        method: name of the method.
        data: the log.
        peers: where peers learn.
        commit: that runs.
    """
    if method in methods.REFERENCES:
        play = cell.task.behaviour if method == "behaviour" else cell.task.random
        earned, made = play(seed), None
    else:
        made = methods.make(method, data, seed, peers)
        earned = cell.task.earned(made.act)
    return Run(
        cell=cell.name,
        seed=seed,
        method=method,
        returns=earned.returns,
        values=earned.values,
        predicted=_said(made),
        seconds=made.seconds if made else 0.0,
        commit=commit,
        logged=logged_range(data),
        chosen=made.chosen if made else None,
        shown=made.shown if made else None,
    )


def _said(made: methods.Made | None) -> float | None:
    """Return the predicted value; None where there is none, or a method says that it has none."""
    if made is None or made.predicted is None or not np.isfinite(made.predicted):
        return None
    return made.predicted


def logged_range(data: da.Transitions) -> tuple[float, float]:
    """Return the least and the largest discounted return of the logged episodes."""
    cuts = np.flatnonzero(data.episode_ids[1:] != data.episode_ids[:-1]) + 1
    found = [
        float(np.dot(GAMMA ** np.arange(len(part)), part))
        for part in np.split(np.asarray(data.rewards, float), cuts)
    ]
    return min(found), max(found)
