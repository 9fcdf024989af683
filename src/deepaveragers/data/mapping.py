"""Which columns of a table mean what."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from ..arguments import (
    check_known,
    choice,
    file_path,
    flag,
    listed_names,
    number,
    optional,
    several,
    shown,
)  # fmt: skip
from ..errors import InputError, StorageError
from .tables.notation import check_notation
from .tables.reward_column import checked_reward_values
from .tables.text_format import check_text_file

Missing = Literal["error", "drop"]
Fill = Literal["forward", "mean"]
Duplicates = Literal["error", "first", "last"]
ROLES = (
    "episode", "time", "action", "reward", "terminated", "truncated", "done", "propensity",
)  # fmt: skip
"""What a single column can mean."""


@dataclass(frozen=True, kw_only=True)
class TableMapping:
    """The meaning of a table's columns; one row is one step.

    Attributes:
        observations: columns of the observation, in this order; `*` and `?` stand for any
            characters. None: every column that has no other meaning.
        action: column of the action: whole numbers or text labels; or several columns of
            numbers, throttle,steering. A last row of an episode without an action holds its
            final observation.
        continuous: the action's single column is a quantity, not a label.
        reward: column of the reward that followed the action.
        episode: column that is equal within an episode. None: an episode ends at an end flag
            and where the time goes back.
        time: column that orders the rows of an episode: numbers or dates. None: the order of
            the table.
        terminated: column that marks ends after which nothing more can be earned: flags, or
            text (died, discharged), where any text is an end and a blank is not; or the reward's
            own column, if it is blank in all rows but ends.
        terminal_values: the texts of that column that are ends. None: all.
        truncated: column that marks where the episode was cut off.
        done: column that marks ends of either kind; terminated unless `truncated` says otherwise.
        each_row_ends: every row is an episode of its own, as in the log of a bandit.
        one_series: without an episode column, all rows follow each other.
        next_observations: columns of s', where the table has them.
        propensity: column of the chance with which the logged action was chosen.
        action_names: names of the actions in the order of their numbers.
        categorical: observation columns whose values are labels: each label becomes a column of
            0 and 1, named like `sex=F`. Text columns of few labels are read so unasked.
        units: units of the observation columns, {"lactate": "mmol/l"} or "lactate=mmol/l".
        missing: steps with missing values: "error" names the first; "drop" leaves them out.
        fill: missing observations: "forward" takes the value before in the episode, or the mean
            where there is none; "mean" the mean of the column. A column `lactate=missing` marks
            what was filled.
        reward_fill: the reward where the cell is blank.
        reward_values: rewards of texts in that column, {"died": -1, "discharged": 1} or
            "died=-1,discharged=1"; a blank is `reward_fill`, or else 0.
        reward_scale: what all rewards are multiplied by: -1 if the column holds costs.
        missing_values: texts that stand for nothing, beside the blank cell. None: NA, N/A, NaN,
            null, NaT, <NA>, and in columns of numbers none.
        duplicates: rows of one episode at the same time that differ: "error", or keep the
            "first" or the "last". Equal rows count once in any case.
        decimal: the decimal mark of a text table, "." or ",".
        thousands: the mark between groups of three digits. None: there is none.
        time_format: how times are written, as strptime has it: "%d.%m.%Y %H:%M". None: ISO.
        delimiter: the character between the cells of a text table. None: the likeliest.
        encoding: of a text table.
        sheet: name of the sheet of an Excel file. None: the first.
        sql: query, or name of a table, to read from a database. None: its only table.
        join: path of another table with columns of the same steps, such as what came of
            decisions in the audit log of `dac serve`; rows belong together that are equal in all
            columns that both have. None: there is none.
    """

    observations: tuple[str, ...] | None = None
    action: str
    continuous: bool = False
    reward: str
    episode: str | None = None
    time: str | None = None
    terminated: str | None = None
    terminal_values: tuple[str, ...] | None = None
    truncated: str | None = None
    done: str | None = None
    each_row_ends: bool = False
    one_series: bool = False
    next_observations: tuple[str, ...] | None = None
    propensity: str | None = None
    action_names: tuple[str, ...] | None = None
    categorical: tuple[str, ...] | None = None
    units: Mapping[str, str] | None = None
    missing: Missing = "error"
    fill: Fill | None = None
    reward_fill: float | None = None
    reward_values: Mapping[str, float] | None = None
    reward_scale: float = 1.0
    missing_values: tuple[str, ...] | None = None
    duplicates: Duplicates = "error"
    decimal: str = "."
    thousands: str | None = None
    time_format: str | None = None
    delimiter: str | None = None
    encoding: str = "utf-8"
    sheet: str | None = None
    sql: str | None = None
    join: str | None = None

    def __post_init__(self) -> None:
        lists = ("observations", "next_observations", "action_names", "categorical")
        for name in (*lists, "terminal_values"):
            self._set(name, _names(getattr(self, name), name))
        self._set("missing_values", _texts("missing_values", self.missing_values))
        self._set("units", optional(_units, "units", self.units))
        self._set("reward_fill", optional(number, "reward_fill", self.reward_fill))
        values = optional(checked_reward_values, "reward_values", self.reward_values)
        self._set("reward_values", values)
        self._set("reward_scale", number("reward_scale", self.reward_scale))
        self._set("action", _joined(self.action))
        for name in ("each_row_ends", "one_series", "continuous"):
            self._set(name, flag(name, getattr(self, name)))
        for name in ("action", "reward"):
            _check_text(name, getattr(self, name), "the name of a column")
        for name in ROLES:
            optional(_check_text, name, getattr(self, name), allowed="the name of a column")
        optional(_check_text, "sheet", self.sheet, allowed="the name of a sheet")
        optional(_check_text, "sql", self.sql, allowed="a query or the name of a table")
        optional(_check_text, "join", self.join, allowed="the path of a table")
        choice("missing", self.missing, get_args(Missing))
        optional(choice, "fill", self.fill, allowed=get_args(Fill))
        choice("duplicates", self.duplicates, get_args(Duplicates))
        check_notation(self.decimal, self.thousands, self.time_format)
        check_text_file(self.delimiter, self.encoding)
        self._check_together()

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_together(self) -> None:
        if self.done is not None and self.terminated is not None:
            raise InputError("done", "given only where terminated is not", repr(self.done))
        if self.terminal_values is not None and self.terminated is None and self.done is None:
            raise InputError("terminal_values", "given with terminated or done", "without")
        others = ("terminated", "truncated", "done", "next_observations", "episode")
        beside = [name for name in others if getattr(self, name) is not None]
        if self.each_row_ends and (beside or self.one_series):
            raise InputError(
                "each_row_ends", "given alone", f"with {(*beside, 'one_series')[0]} beside it"
            )
        if self.one_series and self.episode is not None:
            raise InputError("one_series", "given without an episode column", repr(self.episode))

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

    def roles(self, columns: Sequence[str]) -> dict[str, str]:
        """Return the single columns that are named, by role; actions that are rows are none."""
        given = {role: getattr(self, role) for role in ROLES if getattr(self, role) is not None}
        if self.action_columns(columns):
            del given["action"]
        return given

    def action_columns(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of actions that are rows of numbers; none where they are labels."""
        if self.action in columns or "," not in self.action:
            return (self.action,) if self.continuous else ()
        return _names(self.action, "action") or ()

    def categories(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of a table that are called categorical."""
        return _matched(self.categorical or (), columns, "categorical")

    def resolved(
        self, columns: Sequence[str], indexes: Container[str] = ()
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the observation and next-observation columns among those of a table.

        Args:
            columns: of the table.
            indexes: those that only number the rows, and are no observations by default.
        """
        roles, actions = self.roles(columns), self.action_columns(columns)
        for role, name in [*roles.items(), *(("action", one) for one in actions)]:
            if name not in columns:
                near = get_close_matches(name, columns, 1)
                remedy = f"Did you mean {near[0]!r}?" if near else ""
                raise InputError(role, f"a column: {listed_names(columns)}", repr(name), remedy)
        following = _matched(self.next_observations or (), columns, "next_observations")
        if self.observations is not None:
            chosen = _matched(self.observations, columns, "observations")
        else:
            taken = {*roles.values(), *actions, *following}
            chosen = tuple(name for name in columns if name not in taken and name not in indexes)
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


def _joined(value: Any) -> Any:
    """Return several names as one text, and anything else as it is."""
    return ",".join(_names(value, "action") or ()) if isinstance(value, list | tuple) else value


def _texts(parameter: str, value: Any) -> tuple[str, ...] | None:
    """Return texts, of which there may be none: they are told from None."""
    if value is None:
        return None
    given = value.split(",") if isinstance(value, str) else several(parameter, value, "texts")
    if not all(isinstance(text, str) for text in given):
        raise InputError(parameter, "texts, or None", shown(value))
    return tuple(text.strip() for text in given)


def _units(parameter: str, value: Any) -> dict[str, str]:
    if isinstance(value, str):
        pairs = [part.partition("=") for part in value.split(",")]
        value = {name.strip(): unit.strip() for name, mark, unit in pairs if mark}
        if len(value) != len(pairs):
            value = None
    texts = isinstance(value, Mapping) and all(
        isinstance(part, str) and part for pair in value.items() for part in pair
    )
    if not texts:
        raise InputError(parameter, "units by column, such as lactate=mmol/l", shown(value))
    return dict(value)


def _check_text(name: str, value: object, allowed: str) -> None:
    if not isinstance(value, str) or not value:
        raise InputError(name, allowed, shown(value))


def _matched(patterns: Sequence[str], columns: Sequence[str], parameter: str) -> tuple[str, ...]:
    chosen: list[str] = []
    for pattern in patterns:
        exact = [pattern] if pattern in columns else []
        found = exact or [name for name in columns if fnmatchcase(name, pattern)]
        if not found:
            raise InputError(parameter, f"columns: {listed_names(columns)}", repr(pattern))
        chosen.extend(name for name in found if name not in chosen)
    return tuple(chosen)
