"""From logged steps to transitions: where does the next observation come from?

A log has one row a step: the observation s_t, the action taken in it, the reward that
followed, and whether the episode ended there. The next observation s'_t is the
observation of the episode's next row. At the end of an episode there are four cases:

- a last row without an action holds the final observation: it is s' of the row before;
- the row is marked terminated: nothing more can be earned, so s' has no influence on any
  plan, and the row's own observation stands in for it;
- the row is marked truncated, or the log simply stops: s' was an ordinary state that
  nobody wrote down. A guess would invent a transition, so the row is left out, and the
  row before it becomes the (truncated) end of the episode;
- the log names its next observations: nothing has to be derived.

An end flag ends the episode: the row after it starts a new one, whatever its episode id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bool, Int64
from ..errors import InputError
from .episodes import names_at
from .scratch import taken
from .transitions import Transitions


@dataclass(frozen=True, eq=False, kw_only=True)
class Steps:
    """Logged steps, R rows, episodes one after the other and each in the order of time.

    Attributes:
        observations: [R, ...] s.
        actions: [R] numbers or labels, or [R, Da] rows; anything where `acted` is false.
        rewards: [R] float.
        terminations: [R] bool.
        truncations: [R] bool.
        episodes: [R] int64, equal within an episode.
        acted: [R] bool, false where a row holds only a final observation; None: all true.
        usable: [R] bool, false where the observation is missing or wrong; None: all true.
        skipped: [R] bool, true where the observation is good and the rest of the step is
            not; None: all false.
        times: [R] when each row was, or None.
        propensities: [R] chance of the logged action, or None.
        observation_names: of the columns, or None.
        observation_units: of the columns, or None.
        episode_names: the log's own ids, one per distinct number among `episodes`, in
            ascending order; or None.
        action_bounds: [2, Da] of actions that are rows, or None.
    """

    observations: Array
    actions: Array
    rewards: Array
    terminations: Bool
    truncations: Bool
    episodes: Int64
    acted: Bool | None = None
    usable: Bool | None = None
    skipped: Bool | None = None
    times: Array | None = None
    propensities: Array | None = None
    observation_names: Sequence[str] | None = None
    observation_units: Sequence[str] | None = None
    episode_names: Sequence[str] | None = None
    action_bounds: Array | None = None


def link_steps(
    steps: Steps, action_names: Sequence[str] | None = None
) -> tuple[Transitions, tuple[str, ...]]:
    """Return the transitions of logged steps, and what had to be decided on the way."""
    size = len(steps.episodes)
    if size == 0:
        raise InputError("data", "at least one row", "an empty table")
    acted = np.ones(size, dtype=bool) if steps.acted is None else steps.acted
    usable = np.ones(size, dtype=bool) if steps.usable is None else steps.usable
    terminations, truncations = steps.terminations.copy(), steps.truncations.copy()
    same = steps.episodes[1:] == steps.episodes[:-1]
    final = np.flatnonzero(same & acted[:-1] & ~acted[1:])
    # A final observation may carry the flags of the step that led to it.
    terminations[final] |= terminations[final + 1]
    truncations[final] |= truncations[final + 1]

    ended = terminations | truncations
    follows = np.zeros(size, dtype=bool)
    follows[:-1] = same & ~(ended[:-1] & acted[1:])
    linked = follows & np.append(usable[1:], False)
    wanted = acted & usable
    if steps.skipped is not None:
        wanted &= ~steps.skipped
    kept = wanted & (linked | terminations)
    if not kept.any():
        raise InputError(
            "data",
            "at least one step with a next observation",
            f"{size} row(s), none of which is followed by another of its episode or terminated",
            "Check the episode column.",
        )
    stops = np.append(acted[1:] & ~kept[1:], False)
    cut = kept & linked & ~ended & stops
    truncations |= cut
    rows = np.flatnonzero(kept)
    successors = rows + linked[rows]
    episodes, split = _episode_ids(steps.episodes, follows, rows, kept)
    data = Transitions(
        observations=(steps.observations if len(rows) == size else taken(steps.observations, rows)),
        actions=steps.actions[rows],
        rewards=steps.rewards[rows],
        next_observations=taken(steps.observations, successors),
        terminations=terminations[rows],
        truncations=truncations[rows],
        episode_ids=episodes,
        action_names=action_names,  # type: ignore[arg-type]
        action_bounds=steps.action_bounds,
        observation_names=steps.observation_names,  # type: ignore[arg-type]
        observation_units=steps.observation_units,  # type: ignore[arg-type]
        episode_names=_names(steps, rows, episodes),
        times=None if steps.times is None else steps.times[rows],
        propensities=None if steps.propensities is None else steps.propensities[rows],
    )
    return data, _notes(int((wanted & ~kept).sum()), split)


def _notes(dropped: int, split: int) -> tuple[str, ...]:
    """Return what had to be decided: steps that were left out, episodes that were split."""
    notes = [
        f"{dropped:,} step(s) without a known next observation were left out: the log stops "
        "there and the episode is not marked terminated."
    ] * bool(dropped)
    if split:
        notes.append(
            f"{split:,} episode(s) go on after an end flag or a gap; they were split there, and "
            "all episodes numbered anew."
        )
    return tuple(notes)


def _episode_ids(given: Int64, follows: Bool, rows: Int64, kept: Bool) -> tuple[Int64, int]:
    """Return the ids of the kept rows, and how many given episodes had to be split."""
    # A row starts a new run unless the row before leads to it and was kept itself.
    joined = np.zeros(len(given), dtype=bool)
    joined[1:] = follows[:-1] & kept[:-1]
    runs = np.cumsum(~joined[rows]) - 1
    ids = given[rows]
    starts = np.flatnonzero(np.diff(runs, prepend=-1))
    run_ids = ids[starts]
    _, counts = np.unique(run_ids, return_counts=True)
    split = int((counts > 1).sum())
    if split:
        return runs.astype(np.int64), split
    return ids, 0


def _names(steps: Steps, rows: Int64, episodes: Int64) -> tuple[str, ...] | None:
    """Return the names of the episodes of the kept rows, also where they are numbered anew."""
    if steps.episode_names is None:
        return None
    firsts = rows[np.unique(episodes, return_index=True)[1]]
    return names_at(steps.episode_names, steps.episodes, steps.episodes[firsts])
