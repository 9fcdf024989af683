"""Defects of episodes: their ends, their order, their copies, and their rewards."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from ..arrays import Array, Bool
from ..data.deadlines import are_paid
from ..data.far_values import SPIKE
from ..data.observations import rows_at_once
from ..data.transitions import Transitions
from .findings import Finding

ENOUGH_EPISODES = 5
LONG_EPISODE = 10
SHOWN = 20
ONE_STEP = Finding(
    "one_step",
    "every step is marked terminated: these are one-step data",
    "terminations",
    "possible",
    "Each decision is judged by its own reward alone, and nothing is planned ahead.",
    "Right where every row is a case of its own; otherwise check the column of the ends.",
)
CHAINED_SAMPLE = 1_000
"""Rows that are looked at to tell one-step data from steps that follow each other."""


def end_findings(data: Transitions) -> Iterator[Finding]:
    """Yield the defects of ends, order, copies and rewards."""
    starts = np.array([rows.start for rows in data.episodes()])
    last = np.append(starts[1:], len(data)) - 1
    yield from _flags(data, starts, last)
    yield from _order(data, starts, last)
    yield from _copies(data, starts, last)
    yield from _rewards(data)


def _flags(data: Transitions, starts: Array, last: Array) -> Iterator[Finding]:
    ended = data.terminations | data.truncations
    lengths = last - starts + 1
    if data.terminations.all() and lengths.max() == 1 and len(data) >= 20 and not _chained(data):
        yield ONE_STEP
        return
    if data.terminations.mean() > 0.9 and len(data) >= 20:
        yield Finding(
            "done_everywhere",
            f"{data.terminations.mean():.0%} of all steps are marked terminated",
            "terminations",
            "certain" if data.terminations.all() else "likely",
            "Nothing can be earned after a terminated step, so a plan looks one step ahead only.",
            "Check which column marks the end of an episode, and whether it is inverted.",
        )
        return
    inside = ended.copy()
    inside[last] = False
    if inside.any():
        yield Finding(
            "end_inside_episode",
            f"{int(inside.sum()):,} steps are marked as ends and go on in the same episode",
            f"first at {data.row_name(int(np.flatnonzero(inside)[0]))}",
            "certain",
            "Either the flag or the episode id is wrong, and s' there may be of another episode.",
            "Import again without the episode column: end flags then separate the episodes.",
            rows=np.flatnonzero(inside),
        )
    if not ended.any():
        single = len(starts) == 1
        yield Finding(
            "no_ends",
            "no step is marked terminated or truncated"
            + (", and all rows are one episode" if single else ""),
            "terminations, truncations",
            "likely" if len(starts) >= ENOUGH_EPISODES else "possible",
            "Ends that matter (a failure, a goal) look like ordinary states to the planner.",
            "Name the columns: dac import ... --terminated COL --truncated COL.",
        )
    both = data.terminations & data.truncations
    if both.sum() > 0.5 * max(1, int(data.terminations.sum())) and both.sum() >= ENOUGH_EPISODES:
        yield Finding(
            "both_flags",
            f"{int(both.sum()):,} steps are marked both terminated and truncated",
            f"first at {data.row_name(int(np.flatnonzero(both)[0]))}",
            "likely",
            "A time limit that is also called an end makes good states look worthless.",
            "If the column means 'ended in some way', import it as --done with --truncated.",
            rows=np.flatnonzero(both),
        )
    yield from _time_limits(data, lengths, last)


def _time_limits(data: Transitions, lengths: Array, last: Array) -> Iterator[Finding]:
    terminal = data.terminations[last]
    long = len(lengths) >= ENOUGH_EPISODES and lengths[0] >= LONG_EPISODE
    equal = long and terminal.all() and (lengths == lengths[0]).all()
    # What is paid at the end is earned once: such an end is a deadline.
    if equal and not are_paid(last, data.rewards):
        yield Finding(
            "time_limit_as_end",
            f"all {len(lengths):,} episodes are {lengths[0]} steps long and marked terminated",
            "terminations",
            "likely",
            "A time limit was probably logged as an end: good states then look worthless.",
            "Import that column as --truncated instead of --terminated.",
            rows=last,
        )


def _chained(data: Transitions) -> bool:
    """Whether most rows begin in the state that the row before led to."""
    rows = np.arange(len(data) - 1)[:CHAINED_SAMPLE]
    same = data.next_observations[rows] == data.observations[rows + 1]
    return bool(same.reshape(len(rows), -1).all(axis=1).mean() > 0.5)


def _order(data: Transitions, starts: Array, last: Array) -> Iterator[Finding]:
    inner = np.ones(len(data), dtype=bool)
    inner[last] = False
    inner &= ~(data.terminations | data.truncations)
    rows = np.flatnonzero(inner)
    broken = _different(data.next_observations, rows, data.observations, rows + 1)
    if broken.any():
        share = broken.mean()
        yield Finding(
            "broken_chain",
            f"in {int(broken.sum()):,} steps ({share:.1%}) s' is not the next row's observation",
            f"first at {data.row_name(int(rows[np.flatnonzero(broken)[0]]))}",
            "likely" if share > 0.01 else "possible",
            "Rows are out of order, steps are missing, or episodes are mixed up.",
            "Name the episode and time columns when importing, or split episodes at gaps.",
            rows=rows[broken],
        )
    everywhere = np.arange(len(data))
    still = ~_different(data.observations, everywhere, data.next_observations, everywhere)
    living = ~data.terminations
    if living.any() and still[living].mean() > 0.98 and len(data) >= 20:
        yield Finding(
            "no_motion",
            f"in {still[living].mean():.1%} of the steps s' equals s",
            "next_observations",
            "certain",
            "No action seems to change anything: the next observation was probably not shifted.",
            "Import the table without next observations: they are taken from the next row.",
        )
    if len(starts) > ENOUGH_EPISODES:
        reset = ~_different(data.next_observations, last[:-1], data.observations, starts[1:])
        if reset.mean() > 0.5:
            yield Finding(
                "reset_as_successor",
                f"{reset.mean():.0%} of the episodes end in the first state of the next episode",
                f"first at {data.row_name(int(last[:-1][reset][0]))}",
                "certain",
                "The environment was reset before s' was written down; that transition is false.",
                "Log the final observation, or leave those last steps out unless terminated.",
                tuple(last[:-1][reset].tolist()),
                rows=last[:-1][reset],
            )


def _different(left: Array, left_rows: Array, right: Array, right_rows: Array) -> Bool:
    """Return whether rows differ, looked at a few at a time: pictures are large."""
    found = np.empty(len(left_rows), dtype=bool)
    step = rows_at_once(left)
    for start in range(0, len(found), step):
        part = slice(start, start + step)
        differs = left[left_rows[part]] != right[right_rows[part]]
        found[part] = differs.reshape(len(differs), -1).any(axis=1)
    return found


def _copies(data: Transitions, starts: Array, last: Array) -> Iterator[Finding]:
    seen: dict[bytes, int] = {}
    copies = []
    for number, (start, stop) in enumerate(zip(starts, last + 1, strict=True)):
        if stop - start < 2 * LONG_EPISODE:
            continue
        digest = hashlib.sha256(np.ascontiguousarray(data.observations[start:stop]).data)
        digest.update(np.ascontiguousarray(data.actions[start:stop]).data)
        if seen.setdefault(digest.digest(), number) != number:
            copies.append(number)
    if copies:
        rows = np.concatenate([np.arange(starts[n], last[n] + 1) for n in copies])
        yield Finding(
            "repeated_episodes",
            f"{len(copies):,} episodes are exact copies of earlier ones",
            f"episodes {_listed([data.episode_name(int(starts[n])) for n in copies])}",
            "certain",
            "Copies count as evidence: neighbours are then the same transition several times.",
            "Drop them: dac forget DATA --episodes ..., da.forget, or import with --fix.",
            tuple(rows.tolist()),
            rows=rows,
        )


def _listed(ids: list[str]) -> str:
    more = f" and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else ""
    return ",".join(ids[:SHOWN]) + more


def _rewards(data: Transitions) -> Iterator[Finding]:
    if not data.rewards.any():
        yield Finding(
            "no_rewards",
            "every reward is 0",
            "rewards",
            "certain",
            "All plans are equally good.",
            "Check the reward column, or give rewards when solving.",
        )
        return
    sizes = np.abs(data.rewards[data.rewards != 0])
    usual = float(np.quantile(sizes, 0.9))
    if sizes.max() > SPIKE * usual:
        row = int(np.argmax(np.abs(data.rewards)))
        yield Finding(
            "reward_spike",
            f"a reward of {data.rewards[row]:g}, where 9 of 10 are below {usual:g} in size",
            data.row_name(row),
            "likely",
            "One wrong number decides the whole plan.",
            "Check that row; drop its episode with da.forget.",
            rows=np.array([row]),
        )
