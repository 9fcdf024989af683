"""Compiled models after data came or went: updated, not searched anew.

The fitted encoder is kept, so that old distances stay what they are. The result equals,
bit for bit, a fresh compile of the changed data with that same fitted encoder.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..arrays import Floats, frozen, rows_at
from ..data.editing import joined, rows_without
from ..data.transitions import Transitions
from ..neighbors.graph import NeighborGraph
from ..neighbors.updating import extend_graph, shrink_graph
from .candidate_updating import extended_candidates, shrunk_candidates
from .far_numbers import warn_of_far_numbers
from .model import DacMdp


def extended(
    mdp: DacMdp, new: Transitions, *, new_actions: bool = False, threads: int | None = None
) -> DacMdp:
    """Return the model with new transitions added; see `data.editing.joined` for how."""
    data = joined(mdp.transitions, new, new_actions=new_actions)
    # Encoded as the joined data store them, which may be wider numbers than the new ones had.
    added = slice(len(mdp), len(data))
    source = _stacked(mdp.source_features, mdp.encoder.encode(data.observations[added]))
    core = _stacked(mdp.core_features, mdp.encoder.encode(data.next_observations[added]))
    graph: NeighborGraph
    if data.action_vectors:
        graph = extended_candidates(mdp, data, source, core, threads)
    else:
        graph = extend_graph(
            mdp.graph, source, core, data.actions, data.num_actions, threads=threads
        )
    warn_of_far_numbers(data, mdp.encoder, source, core[added], stacklevel=4)
    return DacMdp(data, mdp.encoder, frozen(source), frozen(core), graph)


def without(
    mdp: DacMdp, episodes: Iterable[int | str] | int | str, *, threads: int | None = None
) -> DacMdp:
    """Return the model without the given episodes.

    The averages that a fitted encoder keeps (a mean, a scale, a network) have still seen
    them; compile again to forget them there too.
    """
    kept = rows_without(mdp.transitions, episodes)
    data = mdp.transitions.subset(kept)
    source, core = rows_at(mdp.source_features, kept), rows_at(mdp.core_features, kept)
    graph: NeighborGraph
    if data.action_vectors:
        graph = shrunk_candidates(mdp, kept, data, source, core, threads)
    else:
        graph = shrink_graph(mdp.graph, kept, source, core, data.actions, threads=threads)
    return DacMdp(data, mdp.encoder, frozen(source), frozen(core), graph)


def _stacked(old: Floats, new: Floats) -> Floats:
    return np.concatenate([old, new])
