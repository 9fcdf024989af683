"""append and forget: datasets and models that change, in memory or where they are saved."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from ..arguments import file_path, flag
from ..data.editing import joined, rows_without
from ..data.transitions import Transitions
from ..errors import InputError
from ..mdp.compilation import compile
from ..mdp.model import DacMdp
from ..mdp.updating import extended, without
from ..neighbors.candidates import CandidateGraph
from ..representation.encoder import Encoder
from ..representation.network_encoder import NetworkEncoder
from ..representation.random_network import RANDOM
from ..representation.standardizing import MEAN, standardization
from ..representation.transformer import TransformerEncoder
from .bundle import check_target
from .lock import only_writer
from .records import WORDS, kind_of, load, load_as, save

Editable: TypeAlias = Transitions | DacMdp


def append(
    target: Editable | str | os.PathLike[str],
    new: Transitions | str | os.PathLike[str],
    *,
    new_actions: bool = False,
) -> Editable:
    """Return the target with new transitions added at its end.

    A path is loaded, and what is saved there is replaced in one step, which no other update
    comes between; a model keeps its fitted encoder and its old distances, and only what
    changed is searched.

    Args:
        target: transitions, a compiled model, or the path of either.
        new: transitions, or their path. Columns and actions are matched by name.
        new_actions: whether `new` may have actions that the target does not know; they become
            further ones of it.
    """
    new_actions = flag("new_actions", new_actions)
    if isinstance(new, str | os.PathLike):
        new = load_as(Transitions, file_path("new", new))
        assert isinstance(new, Transitions)
    if isinstance(target, str | os.PathLike):
        path = file_path("target", target)
        with only_writer(path):
            thing = append(_loaded(path), new, new_actions=new_actions)
            save(thing, path)
        return thing
    if isinstance(target, DacMdp):
        return extended(target, new, new_actions=new_actions)
    if isinstance(target, Transitions):
        return joined(target, new, new_actions=new_actions)
    raise InputError("target", "Transitions, a DacMdp or a path", type(target).__name__)


def forget(
    target: Editable | str | os.PathLike[str],
    episodes: Iterable[int | str] | int | str,
    *,
    refit: bool = False,
) -> Editable:
    """Return the target without the given episodes.

    What is saved at a path is replaced in one step, and the old files are removed: no row of
    a forgotten episode is left there, nor any distance to one.

    Args:
        target: transitions, a compiled model, or the path of either.
        episodes: one id, or several in any collection: the log's own (`episode_names`) where
            the data have them, else numbers of `episode_ids`.
        refit: for a model, fit the encoder again and search everything anew. Otherwise a
            fitted encoder keeps its averages, in which the forgotten episodes were counted.
            A network that was trained on them cannot be fitted again, and is refused.
    """
    refit = flag("refit", refit)
    if isinstance(target, str | os.PathLike):
        path = file_path("target", target)
        with only_writer(path):
            thing = forget(_loaded(path), episodes, refit=refit)
            save(thing, path)
        return thing
    if isinstance(target, DacMdp):
        if not refit:
            return without(target, episodes)
        data = target.transitions.subset(rows_without(target.transitions, episodes))
        encoder = _ready_to_fit(target.encoder, data)
        return compile(data, min(target.graph.k, len(data)), encoder, **_choices(target))
    if isinstance(target, Transitions):
        return target.subset(rows_without(target, episodes))
    raise InputError("target", "Transitions, a DacMdp or a path", type(target).__name__)


def _choices(mdp: DacMdp) -> dict[str, Any]:
    """Return what a model was compiled with where actions are rows."""
    graph = mdp.graph
    if not isinstance(graph, CandidateGraph):
        return {}
    return {"candidates": int(graph.transitions.shape[1]), "landing": graph.landing}


def _ready_to_fit(encoder: Encoder, data: Transitions) -> Encoder:
    """Return the encoder such that compiling leaves nothing in it of other data than these."""
    if isinstance(encoder, TransformerEncoder):
        return replace(encoder, refit=True)
    if not isinstance(encoder, NetworkEncoder) or MEAN not in encoder.weights:
        return encoder
    if encoder.head != RANDOM:
        raise InputError(
            "refit",
            "False for a model on a trained network",
            type(encoder).__name__,
            "Train one on the data that are left, and compile again.",
        )
    return replace(encoder, weights={**encoder.weights, **standardization(data.observations[:])})


def _loaded(path: Path) -> Editable:
    thing = load(path)
    if not isinstance(thing, Transitions | DacMdp):
        raise InputError(
            "target",
            "a bundle of transitions or a model",
            f"{path}, {WORDS[type(thing)]}",
            "Plans and policies are made again from the updated model.",
        )
    check_target(path, kind_of(thing))
    return thing
