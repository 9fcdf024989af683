"""Candidates: what can be done in a state where actions are rows of numbers.

Numbers of actions mean nothing there, so a state has m *candidates* instead: the m logged
transitions, of whatever action, that started nearest to it (ties by index). Candidate j of s is a
transition c_j at the gap d_j = |z(s) - z(s_cj)|; its action, its reward and whether it ended the
episode are those of c_j. Where it leads depends on `landing`:

- "change": to the K core states that go on nearest to z(s) + z(s'_cj) - z(s_cj), at distances e;
- "own": to the core state of c_j itself, K = 1 and e = 0.

A candidate that ended its episode leads to its own core state, where values are 0, at e = 0. Along
a logged trajectory d = e = 0, so its steps stay what they were.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ..arrays import Bool, Float32, Floats, Int32, Int64, frozen
from ..parallel import available_threads
from .choice import serving_index
from .features import Features
from .graph import NO_NEIGHBOR, NeighborGraph, SearchReport
from .index import NeighborIndex
from .search import build_graph

Landing = Literal["change", "own"]


@dataclass(frozen=True, eq=False)
class CandidateGraph(NeighborGraph):
    """For every core state its candidates, and for each of these where it leads.

    `indices` and `distances` [N, m, K] are the core states that a candidate leads to and e, as
    a graph has them; core states that ended lead nowhere.

    Attributes:
        transitions: [N, m] int32, c; `NO_NEIGHBOR` where there are fewer than m transitions.
        gaps: [N, m] float32, d; inf beside `NO_NEIGHBOR`.
        landing: how it was found where candidates lead.
    """

    transitions: Int32
    gaps: Float32
    landing: Landing

    @property
    def jumps(self) -> Float32:
        """How far the states that are planned from lie from those that were logged."""
        return self.gaps


class Candidates(NamedTuple):
    """The candidates of B states; fields as in `CandidateGraph`."""

    transitions: Int32
    gaps: Floats
    indices: Int32
    distances: Floats

    def one(self, row: int, place: int) -> Candidates:
        """Return one candidate of one of the states."""
        at = slice(row, row + 1), slice(place, place + 1)
        return Candidates(self.transitions[at], self.gaps[at], self.indices[at], self.distances[at])

    def replaced(self, rows: Int64, others: Candidates) -> Candidates:
        """Return the candidates with those of some states replaced."""
        fields: dict[str, Any] = {name: np.array(getattr(self, name)) for name in self._fields}
        for name, array in fields.items():
            array[rows] = getattr(others, name)
        return Candidates(**fields)


def build_candidates(
    features: Features,
    ended: Bool,
    m: int,
    k: int,
    landing: Landing,
    *,
    resume_dir: str | os.PathLike[str] | None = None,
    **options: Any,
) -> CandidateGraph:
    """Return the candidates of every core state.

    Args:
        features: of the states that transitions start from and lead to.
        ended: [N] bool, transitions that ended their episode.
        m: candidates of a state.
        k: core states that a candidate leads to.
        landing: "change" or "own".
        resume_dir: where finished blocks of both searches are kept.
        options: of `build_graph`.
    """
    parts = [None if resume_dir is None else Path(resume_dir) / name for name in ("from", "to")]
    found = build_graph(features, _alike(ended), 1, m, resume_dir=parts[0], **options)
    transitions, gaps = found.indices[:, 0], found.distances[:, 0]
    return landed(
        features, ended, transitions, gaps, k, landing,
        report=found.report, resume_dir=parts[1], **options,
    )  # fmt: skip


def landed(
    features: Features,
    ended: Bool,
    transitions: Int32,
    gaps: Float32,
    k: int,
    landing: Landing,
    *,
    report: SearchReport,
    **options: Any,
) -> CandidateGraph:
    """Return the graph of given candidates: where do they lead?

    Args:
        features: of the states that transitions start from and lead to.
        ended: [N] bool.
        transitions: [N, m] the candidates.
        gaps: [N, m] their gaps.
        k, landing: as of `build_candidates`.
        report: how candidates were searched.
        options: of `build_graph`.
    """
    indices, distances, onward = _ends(ended, transitions, k if landing == "change" else 1)
    onward[ended] = False
    indices[ended], distances[ended] = NO_NEIGHBOR, np.inf
    if landing == "own":
        indices[onward, 0], distances[onward, 0] = transitions[onward], 0.0
    elif onward.any():
        living = np.flatnonzero(~ended)
        states, _ = np.nonzero(onward)
        points = _landing_points(features, features.core, states, transitions[onward])
        there = Features(features.core[living], points)
        found = build_graph(there, np.zeros(len(living), np.int32), 1, k, **options)
        indices[onward] = _rows_at(living, found.indices[:, 0])
        distances[onward] = found.distances[:, 0]
        report = _together(report, found.report)
    return CandidateGraph(
        frozen(indices), frozen(distances), report, frozen(transitions), frozen(gaps), landing
    )


def _together(first: SearchReport, second: SearchReport) -> SearchReport:
    return replace(
        first,
        seconds=first.seconds + second.seconds,
        peak_bytes=max(first.peak_bytes, second.peak_bytes),
        recall=min(first.recall, second.recall),
    )


@dataclass(frozen=True, eq=False)
class CandidateSearch:
    """The candidates of any state; indexes are built when they are first needed.

    Attributes:
        features: of the states that transitions start from and lead to.
        ended: [N] bool.
        m, k, landing: as of `build_candidates`.
        rows: numbers of the transitions that may be candidates, ascending; None: all.
        known_sources: index over the states that these start from; None: built.
        known_living: index over the states that go on; None: built.
    """

    features: Features
    ended: Bool
    m: int
    k: int
    landing: Landing
    rows: Int64 | None = None
    known_sources: NeighborIndex | None = None
    known_living: NeighborIndex | None = None

    def find(self, states: Floats) -> Candidates:
        """Return the candidates of states with features [B, D]."""
        threads = available_threads()
        found, gaps = self.sources.query(states, self.m, threads=threads)
        transitions = found if self.rows is None else _rows_at(self.rows, found)
        own = self.landing == "own"
        indices, near, onward = _ends(self.ended, transitions, 1 if own else self.k)
        distances = near.astype(np.float64)
        if own:
            indices[onward, 0], distances[onward, 0] = transitions[onward], 0.0
        elif onward.any():
            which, _ = np.nonzero(onward)
            points = _landing_points(self.features, states, which, transitions[onward])
            rows, at = self.living.query(points, self.k, threads=threads)
            indices[onward], distances[onward] = _rows_at(self._living_rows, rows), at
        return Candidates(transitions, gaps, indices, distances)

    def among(self, rows: Int64, known_sources: NeighborIndex | None = None) -> CandidateSearch:
        """Return the search among some transitions, by their numbers in ascending order."""
        living = None if self.landing == "own" or self.ended.all() else self.living
        return replace(self, rows=rows, known_sources=known_sources, known_living=living)

    @cached_property
    def sources(self) -> NeighborIndex:
        """Index over the states that candidates start from."""
        if self.known_sources is not None:
            return self.known_sources
        source = self.features.source
        return serving_index(source if self.rows is None else source[self.rows])

    @cached_property
    def living(self) -> NeighborIndex:
        """Index over the core states that go on."""
        if self.known_living is not None:
            return self.known_living
        return serving_index(self.features.core[self._living_rows])

    @cached_property
    def _living_rows(self) -> Int64:
        return np.flatnonzero(~self.ended)


def _alike(ended: Bool) -> Int32:
    return np.zeros(len(ended), np.int32)


def _ends(ended: Bool, transitions: Int32, k: int) -> tuple[Int32, Float32, Bool]:
    """Return [B, m, K] lists with the candidates that ended, and [B, m] which lead on."""
    indices = np.full((*transitions.shape, k), NO_NEIGHBOR, np.int32)
    distances = np.full(indices.shape, np.inf, np.float32)
    there = transitions >= 0
    over = there & ended[transitions]
    indices[over, 0], distances[over, 0] = transitions[over], 0.0
    return indices, distances, there & ~over


def _landing_points(features: Features, states: Floats, which: Int64, transitions: Int32) -> Floats:
    """Return z(s) + z(s') - z(s_c), such that it is z(s') itself where s is s_c."""
    points = states[which] - features.source[transitions]
    points += features.core[transitions]
    return points


def _rows_at(rows: Int64, places: Int32) -> Int32:
    """Return rows[places], and `NO_NEIGHBOR` where there is none."""
    return np.where(places >= 0, rows.astype(np.int32)[places], np.int32(NO_NEIGHBOR))
