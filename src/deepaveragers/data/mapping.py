"""Which columns of a table mean what."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from ..arguments import check_known, choice, file_path, optional, several, shown
from ..errors import InputError, StorageError

Missing = Literal["error", "drop"]
Duplicates = Literal["error", "first", "last"]


@dataclass(frozen=True, kw_only=True)
class TableMapping:
    """The meaning of a table's columns; one row is one step.

    Attributes:
        observations: columns of the observation, in this order; `*` and `?` stand for any
            characters. None takes every column that has no other meaning.
        action: column of the action: whole numbers or text labels. A last row of an episode
            without an action holds its final observation.
        reward: column of the reward that followed the action.
        episode: column that is equal within an episode. None: an episode ends at an end flag
            and where the time goes back.
        time: column that orders the rows of an episode: numbers or ISO dates. None keeps the
            order of the table.
        terminated: column of flags: the episode ended here, nothing more can be earned.
        truncated: column of flags: the episode was cut off here.
        done: column of flags: ended in one way or the other; terminated unless `truncated`
            says otherwise.
        next_observations: columns of s', where the table has them.
        action_names: names of the actions in the order of their numbers.
        missing: "error" names the first missing value; "drop" leaves those steps out.
        duplicates: what to do with rows of one episode at the same time that differ:
            "error", or keep the "first" or the "last". Equal rows count once in any case.
        delimiter: the character between the cells of a text table; None finds out.
    """

    observations: tuple[str, ...] | None = None
    action: str
    reward: str
    episode: str | None = None
    time: str | None = None
    terminated: str | None = None
    truncated: str | None = None
    done: str | None = None
    next_observations: tuple[str, ...] | None = None
    action_names: tuple[str, ...] | None = None
    missing: Missing = "error"
    duplicates: Duplicates = "error"
    delimiter: str | None = None

    def __post_init__(self) -> None:
        for name in ("observations", "next_observations", "action_names"):
            object.__setattr__(self, name, _names(getattr(self, name), name))
        for name in ("action", "reward"):
            _check_column(name, getattr(self, name))
        for name in ("episode", "time", "terminated", "truncated", "done"):
            optional(_check_column, name, getattr(self, name))
        choice("missing", self.missing, get_args(Missing))
        choice("duplicates", self.duplicates, get_args(Duplicates))
        if self.delimiter is not None and not _is_delimiter(self.delimiter):
            raise InputError("delimiter", "one character, or None", shown(self.delimiter))
        if self.done is not None and self.terminated is not None:
            raise InputError("done", "given only where terminated is not", repr(self.done))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> TableMapping:
        """Return the mapping with these fields; unknown or absent ones are named."""
        if not isinstance(values, Mapping):
            raise InputError("values", "a mapping from fields to columns", shown(values))
        known = {field.name for field in fields(cls)}
        check_known("mapping", values, known)
        absent = [needed for needed in ("action", "reward") if values.get(needed) is None]
        if absent:
            remedy = "Name it: " + ", ".join(f"--{name} or {name}=" for name in absent) + "."
            raise InputError(" and ".join(absent), "the name of a column", "nothing", remedy)
        return cls(**values)

    def roles(self) -> dict[str, str]:
        """Return the single columns that are named, by role."""
        roles = ("episode", "time", "action", "reward", "terminated", "truncated", "done")
        return {role: getattr(self, role) for role in roles if getattr(self, role) is not None}

    def resolved(self, columns: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the observation and next-observation columns among those of a table."""
        roles = self.roles()
        for role, name in roles.items():
            if name not in columns:
                raise InputError(role, f"a column: {_listed(columns)}", repr(name))
        following = _matched(self.next_observations or (), columns, "next_observations")
        if self.observations is not None:
            chosen = _matched(self.observations, columns, "observations")
        else:
            taken = {*roles.values(), *following}
            chosen = tuple(name for name in columns if name not in taken)
        if not chosen:
            raise InputError("observations", "at least one column", "none")
        if following and len(following) != len(chosen):
            raise InputError(
                "next_observations",
                f"{len(chosen)} column(s), one per observation column",
                f"{len(following)}",
            )
        return chosen, following


def read_mapping(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of a TOML mapping file."""
    path = file_path("mapping", path)
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError("mapping", "a TOML file", f"{path} ({error})") from error
    except RecursionError:
        raise InputError("mapping", "a TOML file", f"{path} (nested too deeply)") from None


def _names(value: Any, parameter: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        value = value.split(",")
    given = several(parameter, value, "one or more names", least=1)
    names = tuple(name.strip() if isinstance(name, str) else name for name in given)
    if not all(isinstance(name, str) and name for name in names):
        raise InputError(parameter, "one or more names", shown(value))
    return names


def _check_column(name: str, value: object) -> None:
    if not isinstance(value, str) or not value:
        raise InputError(name, "the name of a column", shown(value))


def _is_delimiter(value: object) -> bool:
    return isinstance(value, str) and len(value) == 1


def _matched(patterns: Sequence[str], columns: Sequence[str], parameter: str) -> tuple[str, ...]:
    chosen: list[str] = []
    for pattern in patterns:
        exact = [pattern] if pattern in columns else []
        found = exact or [name for name in columns if fnmatchcase(name, pattern)]
        if not found:
            raise InputError(parameter, f"columns: {_listed(columns)}", repr(pattern))
        chosen.extend(name for name in found if name not in chosen)
    return tuple(chosen)


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(columns[:12])
    return shown if len(columns) <= 12 else f"{shown}, and {len(columns) - 12} more"
