"""Tables of logged steps: from files, databases and objects in memory."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...arguments import check_known
from ...arrays import Array
from ...errors import InputError
from ..deadlines import is_deadline
from ..episodes import distinct_ids, names_at
from ..mapping import TableMapping
from ..observations import rows_at_once
from ..scratch import converted, taken
from ..steps import Steps, link_steps
from ..tables.columns import Columns, gathered
from ..tables.ends import at_last_rows
from ..tables.filling import Observations, prepared
from ..tables.guess import is_cost
from ..tables.joined import JoinedTable
from ..tables.rows import Quality, ordered, quality
from ..tables.sources import open_table
from ..transitions import Transitions
from .report import Reading

ROLE_NAMES = {
    "episode": ("episode", "trajectory"),
    "time": ("time", "step"),
    "done": ("done", "terminal", "terminated", "outcome"),
    "truncated": ("truncated", "timeout"),
    "propensity": ("propensity", "pscore"),
}
"""How columns that have a role of their own are often named."""
MOST_ROWS = 0.5
"""Share of rows without a reward beyond which there is a warning."""
MOST_REWARD = 0.5
"""Share of all rewards, by their size, beyond which rows that are left out get a warning."""


def read_table(source: Any, mapping: TableMapping) -> Reading:
    """Return the transitions of a table with one row a step, and what was decided.

    The next observation of a step is the observation of its episode's next row. What
    happens at the end of an episode is told in `deepaveragers.data.steps`: a terminated
    last row is kept, any other last row is left out, for its next observation is unknown.

    Args:
        source: see `deepaveragers.data.tables.sources`.
        mapping: the meaning of the columns.
    """
    table = open_table(
        source,
        delimiter=mapping.delimiter,
        encoding=mapping.encoding,
        sheet=mapping.sheet,
        sql=mapping.sql,
    )
    if mapping.join is not None:
        table = JoinedTable(table, open_table(mapping.join), mapping.join)
    columns = gathered(table, mapping)
    rows, ordering = ordered(columns, mapping, table)
    picked = columns.picked(rows)
    observations = prepared(picked, mapping.fill)
    picked, outcome = _ended_last(picked, mapping)
    picked = replace(picked, rewards=mapping.reward_scale * picked.rewards)
    judged = quality(picked, observations, rows, mapping, table)
    steps = _steps(picked, observations, judged, mapping)
    if observations.later is not None:
        data = _as_given(steps, observations.later, picked.action_names)
        linking: tuple[str, ...] = ()
    else:
        data, linking = link_steps(steps, picked.action_names)
    notes = [*table.notes, *_choice(mapping, observations), *columns.notes, *ordering]
    notes += [*observations.notes, *outcome, *judged.notes, *linking, *_done(mapping)]
    assumed = columns.episodes.assumed
    warnings = (*((assumed,) if assumed else ()), *_lost_reward(picked, data, mapping))
    warnings += (*_sought_costs(data, mapping), *_forgotten_deadline(data, observations, mapping))
    warnings += tuple(_blank_rewards(picked, mapping))
    return Reading(data, "table", notes=tuple(notes), warnings=warnings)


def _choice(mapping: TableMapping, observations: Observations) -> Iterator[str]:
    """Yield notes on the columns that became observations by default."""
    if mapping.observations is not None:
        return
    names = tuple(dict.fromkeys(observations.origins))
    yield f"observations are the columns {', '.join(names)}"
    for role, words in ROLE_NAMES.items():
        given = getattr(mapping, role) is not None or (role == "done" and mapping.terminated)
        for name in () if given else names:
            if name.lower().startswith(words):
                yield f"column {name!r} is taken for an observation: if it is the {role}, say so"


def _done(mapping: TableMapping) -> Iterator[str]:
    if mapping.done is not None and mapping.truncated is None and mapping.terminal_values is None:
        yield (
            f"{mapping.done!r} was read as terminated; where it also marks time limits, say "
            "which column tells them apart (truncated)"
        )


def _ended_last(columns: Columns, mapping: TableMapping) -> tuple[Columns, tuple[str, ...]]:
    """Return the columns with ends at last rows only, where a text stands in all rows."""
    if not columns.outcomes or mapping.episode is None:
        return columns, ()
    ended = at_last_rows(columns.terminations == 1, columns.episodes.codes)
    if ended is None:
        return columns, ()
    name = mapping.terminated or mapping.done
    note = f"column {name!r} stands in every row of its episodes: the last row of each is the end"
    rewards = columns.rewards
    if mapping.reward_values is not None and mapping.reward == name:
        rewards = np.where(ended, rewards, mapping.reward_fill or 0.0)
    return replace(columns, terminations=ended.astype(np.int8), rewards=rewards), (note,)


def _sought_costs(data: Transitions, mapping: TableMapping) -> Iterator[str]:
    """Yield a warning if the rewards are called costs and are not below 0."""
    if is_cost(mapping.reward) and float(data.rewards.sum()) > 0.0:
        yield (
            f"column {mapping.reward!r} is the reward: plans will seek much of it. If it is a "
            "cost, say reward_scale=-1 (--reward-scale -1)"
        )


def _forgotten_deadline(
    data: Transitions, observations: Observations, mapping: TableMapping
) -> Iterator[str]:
    """Yield a warning if episodes end or are paid at one time, and time is no observation."""
    names = tuple(dict.fromkeys(observations.origins))
    times = data.times
    if mapping.time is None or mapping.time in names or times is None or times.dtype.kind == "M":
        return
    if is_deadline(times, data.terminations, data.rewards):
        chosen = shlex.quote(",".join((mapping.time, *names)))
        yield (
            f"most episodes end, or are paid, at the same {mapping.time!r}, which is no "
            "observation: a plan does not know how much time is left. If that matters, say "
            f"--observations {chosen}"
        )


def _blank_rewards(columns: Columns, mapping: TableMapping) -> Iterator[str]:
    """Yield a warning if most rows are left out since their reward is blank."""
    blank = int(np.isnan(columns.rewards).sum())
    if mapping.reward_fill is None and blank > MOST_ROWS * len(columns.rewards):
        yield (
            f"the reward is blank in {blank:,} of {len(columns.rewards):,} rows, which were left "
            "out. If a blank is no reward, say reward_fill=0 (--reward-fill 0)"
        )


def _lost_reward(columns: Columns, data: Transitions, mapping: TableMapping) -> Iterator[str]:
    """Yield a warning if the rows that were left out hold most of the reward."""
    finite = np.where(np.isfinite(columns.rewards), np.abs(columns.rewards), 0.0)
    everything, kept = float(finite.sum()), float(np.abs(data.rewards).sum())
    lost = len(finite) - len(data)
    if everything > 0.0 and lost and np.isfinite(everything):
        share = 1.0 - kept / everything
        if share > MOST_REWARD:
            ends = mapping.terminated or mapping.done
            own = mapping.reward_fill is not None and mapping.reward_values is None
            named = f"--terminated {shlex.quote(mapping.reward)}" if own else "--terminated"
            remedy = (
                "Check the missing values"
                if ends
                else f"If episodes end there, name the column that says so ({named})"
            )
            yield (
                f"the {lost:,} row(s) that were left out hold {share:.0%} of all reward, by "
                f"size. {remedy}"
            )


def _steps(
    columns: Columns, observations: Observations, judged: Quality, mapping: TableMapping
) -> Steps:
    return Steps(
        observations=observations.here,
        actions=columns.actions,
        rewards=columns.rewards,
        terminations=columns.terminations == 1,
        truncations=columns.truncations == 1,
        episodes=columns.episodes.ids,
        acted=judged.acted,
        usable=judged.usable,
        skipped=judged.skipped,
        times=columns.times,
        propensities=columns.propensities,
        observation_names=observations.names,
        observation_units=_units(observations, mapping),
        episode_names=columns.episodes.names(),
    )


def _units(observations: Observations, mapping: TableMapping) -> tuple[str, ...] | None:
    """Return the unit of each column; categories and marks of missing values have none."""
    if mapping.units is None:
        return None
    check_known("units", mapping.units, observations.origins)
    own = set(observations.origins)
    return tuple(
        mapping.units.get(origin, "") if name in own or name.startswith(f"{origin}[") else ""
        for name, origin in zip(observations.names, observations.origins, strict=True)
    )


def _as_given(steps: Steps, following: Array, action_names: tuple[str, ...] | None) -> Transitions:
    """Return the transitions of rows that name their next observations."""
    assert steps.acted is not None
    assert steps.usable is not None
    assert steps.skipped is not None
    kept = steps.acted & steps.usable & ~steps.skipped
    if not kept.any():
        raise InputError("source", "a table with at least one whole step", "none")
    # Only a terminated step may lack its next observation, and there it has no influence.
    step = rows_at_once(following)
    filled = following
    for start in range(0, len(following), step):
        part = slice(start, start + step)
        whole = np.isfinite(following[part]).all(axis=1)
        if not whole.all():
            filled = converted(following, following.dtype) if filled is following else filled
            filled[part][~whole] = steps.observations[part][~whole]
    fields: dict[str, Any] = {
        "observations": steps.observations,
        "actions": steps.actions,
        "rewards": steps.rewards,
        "next_observations": filled,
        "terminations": steps.terminations,
        "truncations": steps.truncations,
        "episode_ids": steps.episodes,
        "times": steps.times,
        "propensities": steps.propensities,
    }
    picked = {
        name: values if kept.all() else taken(values, kept)
        for name, values in fields.items()
        if values is not None
    }
    names = steps.episode_names
    if names is not None:
        names = names_at(names, steps.episodes, distinct_ids(picked["episode_ids"]))
    return Transitions(
        **picked,
        action_names=action_names,  # type: ignore[arg-type]
        observation_names=steps.observation_names,  # type: ignore[arg-type]
        observation_units=steps.observation_units,  # type: ignore[arg-type]
        episode_names=names,
    )
