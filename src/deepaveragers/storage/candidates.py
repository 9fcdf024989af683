"""Graphs of candidates as settings and arrays, and whether what was read can be one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from ..arguments import choice
from ..arrays import Array
from ..data.transitions import Transitions
from ..errors import BundleError
from ..neighbors.candidates import CandidateGraph, Landing
from ..neighbors.graph import NeighborGraph, SearchReport


def pack_graph(graph: NeighborGraph) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the settings and arrays of a graph beside those of its report."""
    arrays = {"graph.indices": graph.indices, "graph.distances": graph.distances}
    if not isinstance(graph, CandidateGraph):
        return {}, arrays
    own = {"graph.transitions": graph.transitions, "graph.gaps": graph.gaps}
    return {"landing": graph.landing}, {**arrays, **own}


def unpack_graph(
    settings: Mapping[str, Any], arrays: Mapping[str, Array], report: SearchReport
) -> NeighborGraph:
    """Return the graph that was packed."""
    lists = arrays["graph.indices"], arrays["graph.distances"]
    if "landing" not in settings:
        return NeighborGraph(*lists, report)
    landing = choice("landing", settings["landing"], get_args(Landing))
    return CandidateGraph(
        *lists, report, arrays["graph.transitions"], arrays["graph.gaps"], landing
    )


def check_candidates(graph: NeighborGraph, data: Transitions) -> int:
    """Return the number of candidates of a state, or raise an error if they do not fit."""
    if not isinstance(graph, CandidateGraph):
        raise BundleError("its actions are rows, and its graph has no candidates.")
    transitions, gaps = graph.transitions, graph.gaps
    if (
        transitions.ndim != 2
        or len(transitions) != len(data)
        or not transitions.shape[1]
        or gaps.shape != transitions.shape
        or graph.indices.shape[:2] != transitions.shape
        or transitions.dtype != np.int32
        or gaps.dtype != np.float32
        or graph.indices.dtype != np.int32
    ):
        raise BundleError("its candidates do not fit together.")
    ended, there = data.terminations, transitions >= 0
    if transitions.max() >= len(data) or transitions.min() < -1:
        raise BundleError("a candidate lies outside of the data.")
    first = graph.indices[:, :, 0]
    if first.max() >= len(data) or ((first >= 0) != (there & ~ended[:, None])).any():
        raise BundleError("a candidate leads nowhere, or what leads somewhere is none.")
    led, over = first[first >= 0], ended[transitions[first >= 0]]
    if (ended[led] != over).any() or (led[over] != transitions[first >= 0][over]).any():
        raise BundleError("a candidate leads on where its episode ended, or the other way round.")
    return int(transitions.shape[1])
