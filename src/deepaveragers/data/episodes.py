"""Episodes by number, and by the id that the log gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..arguments import check_text, is_collection, plain, several, shown, unmasked
from ..arrays import Array, Bool, Int64
from ..errors import InputError
from .column_names import listed
from .frame_stacks import stacks_or_none
from .observations import rows_at_once


def as_text_ids(ids: Any, size: int) -> tuple[Int64, tuple[str, ...]] | None:
    """Return numbers in the order of first appearance, and names; None where ids are no text."""
    array = np.asarray(unmasked("episode_ids", ids))
    text = array.dtype.kind in "UT" or (
        array.dtype == object and all(isinstance(one, str) for one in array.flat)
    )
    if not text or array.shape != (size,):
        return None
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(one, len(numbers)) for one in array.tolist()]
    return np.array(codes, dtype=np.int64), tuple(numbers)


def as_episode_names(
    names: Iterable[Any] | Mapping[int, Any] | None, episode_ids: Int64
) -> tuple[str, ...] | None:
    """Return one name per distinct episode id, in ascending order of the ids."""
    if names is None:
        return None
    distinct = distinct_ids(episode_ids)
    if isinstance(names, Mapping):
        lost = [number for number in distinct.tolist() if number not in names]
        if lost:
            raise InputError("episode_names", "a name for every episode id", f"none for {lost[0]}")
        names = [names[number] for number in distinct.tolist()]
    given = several("episode_names", names, "one name per episode, or {id: name}")
    if len(given) != len(distinct):
        raise InputError(
            "episode_names",
            f"{len(distinct):,} names, one per distinct episode id in ascending order",
            f"{len(given):,}",
        )
    result = tuple(str(name) for name in given)
    check_text("episode_names", result)
    return result


def distinct_ids(episode_ids: Int64) -> Int64:
    """Return the distinct ids, ascending; quick where episodes stand in one piece each."""
    starts = np.flatnonzero(np.diff(episode_ids)) + 1
    return np.unique(np.concatenate((episode_ids[:1], episode_ids[starts])))


def names_at(names: Sequence[str], episode_ids: Int64, wanted: Int64) -> tuple[str, ...]:
    """Return the name of each wanted id, for names of the distinct ones of `episode_ids`."""
    places = np.searchsorted(distinct_ids(episode_ids), wanted)
    return tuple(names[place] for place in places.tolist())


def names_of_ids(names: Sequence[str] | None, episode_ids: Int64) -> tuple[str, ...]:
    """Return the name of every distinct id; its number where the log gave none."""
    return tuple(map(str, distinct_ids(episode_ids).tolist())) if names is None else tuple(names)


def rows_of(episodes: Any, episode_ids: Int64, names: Sequence[str] | None) -> Bool:
    """Return [N] bool: the rows of the episodes that are meant.

    Args:
        episodes: one or several; the log's own ids where the data have them, else numbers.
        episode_ids: [N] of the data.
        names: of the distinct ids, ascending; or None.
    """
    wanted = _asked(episodes, (int,) if names is None else (int, str))
    distinct = distinct_ids(episode_ids)
    own: Sequence[int | str] = distinct.tolist() if names is None else names
    meant = set(wanted) if names is None else {str(one) for one in wanted}
    unknown = sorted(meant - set(own), key=str)
    if unknown:
        as_logged = "" if names is None else f", as the log has them: {listed(names)}"
        raise InputError("episodes", f"ids of episodes in the data{as_logged}", shown(unknown[0]))
    chosen = np.fromiter((one in meant for one in own), dtype=bool, count=len(own))
    return np.isin(episode_ids, distinct[chosen])


def _asked(episodes: Any, kinds: tuple[type, ...]) -> list[int | str]:
    several_ids = is_collection(episodes) or isinstance(episodes, Mapping)
    wanted = [plain(one) for one in (list(episodes) if several_ids else [episodes])]
    if not wanted or not all(type(one) in kinds for one in wanted):
        raise InputError("episodes", "one or more episode ids", shown(episodes))
    return wanted


def derived_ids(observations: Array, next_observations: Array, ended: Bool) -> Int64:
    """Return [N] int64, a new episode after each end flag and wherever s' is not the next s."""
    size = len(observations)
    starts = ended[:-1].copy()
    here, later = stacks_or_none(observations), stacks_or_none(next_observations)
    if here is not None and later is not None:
        starts |= later.places[:-1] != here.places[1:]
        starts |= later.starts[:-1] != here.starts[1:]
        return np.concatenate(([0], np.cumsum(starts))).astype(np.int64)
    step = rows_at_once(observations)
    for row in range(0, size - 1, step):
        stop = min(row + step, size - 1)
        jump = next_observations[row:stop] != observations[row + 1 : stop + 1]
        starts[row:stop] |= jump.reshape(stop - row, -1).any(axis=1)
    return np.concatenate(([0], np.cumsum(starts))).astype(np.int64)
