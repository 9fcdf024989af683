"""Graphs of candidates after data came or went.

Which transitions are nearest to a state is updated as lists of a graph with one action are. Where
candidates lead is searched anew: any state that came or went may be the nearest to any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Bool, Floats
from ..data.transitions import Transitions
from ..neighbors.candidates import CandidateGraph, landed
from ..neighbors.features import Features
from ..neighbors.graph import NeighborGraph
from ..neighbors.updating import extend_graph, shrink_graph
from .candidate_problem import candidate_graph

if TYPE_CHECKING:
    from .model import DacMdp


def extended_candidates(
    mdp: DacMdp, data: Transitions, source: Floats, core: Floats, threads: int | None
) -> CandidateGraph:
    """Return the candidates in all data, of which the model has the first."""
    alike = np.zeros(len(data), np.int32)
    lists = extend_graph(_as_lists(mdp), source, core, alike, 1, threads=threads)
    return _landed(mdp, lists, data, source, core, threads)


def shrunk_candidates(
    mdp: DacMdp, kept: Bool, data: Transitions, source: Floats, core: Floats, threads: int | None
) -> CandidateGraph:
    """Return the candidates in the kept data."""
    alike = np.zeros(len(data), np.int32)
    lists = shrink_graph(_as_lists(mdp), kept, source, core, alike, threads=threads)
    return _landed(mdp, lists, data, source, core, threads)


def _as_lists(mdp: DacMdp) -> NeighborGraph:
    graph = candidate_graph(mdp)
    return NeighborGraph(graph.transitions[:, None], graph.gaps[:, None], graph.report)


def _landed(
    mdp: DacMdp,
    lists: NeighborGraph,
    data: Transitions,
    source: Floats,
    core: Floats,
    threads: int | None,
) -> CandidateGraph:
    old, features = candidate_graph(mdp), Features(source, core)
    parts = lists.indices[:, 0], lists.distances[:, 0]
    ended, engine = data.terminations, lists.report.engine
    return landed(
        features, ended, *parts, old.k, old.landing,
        report=lists.report, engine=engine, threads=threads,
    )  # fmt: skip
