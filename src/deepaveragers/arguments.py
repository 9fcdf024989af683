"""Arguments as they come in at a public door: checked, plain, or refused in one sentence.

Every function returns the value in Python's own type: NumPy's numbers are as good, 5.0 is a
whole number, and True is none.
"""

from __future__ import annotations

import errno
import functools
import inspect
import math
import os
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Real
from pathlib import Path
from typing import Any, ParamSpec, TypeGuard, TypeVar

import numpy as np

from .errors import InputError

Value = TypeVar("Value")
Given = ParamSpec("Given")

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80


def shown(value: object) -> str:
    """Return a value as an error message shows it."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # a whole number of thousands of digits
        return f"a very long {type(value).__name__}"


def listed_names(names: Sequence[str], most: int = 12) -> str:
    """Return names as an error message lists them; beyond so many they are only counted."""
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text}, and {len(names) - most:,} more"


def number(
    name: str,
    value: object,
    *,
    least: float = -math.inf,
    above: float = -math.inf,
    most: float = math.inf,
    below: float = math.inf,
    unlimited: bool = False,
    remedy: str = "",
) -> float:
    """Return a real number.

    Args:
        name: of the parameter.
        value: what was given.
        least, most: limits that are allowed themselves.
        above, below: limits that are not.
        unlimited: whether infinity will do.
        remedy: what to do, for the message.
    """
    given = _real(value)
    inside = least <= given <= most and above < given < below
    if inside or (unlimited and given == math.inf):
        return given
    start = f"({above:.10g}" if above > least else f"[{least:.10g}"
    end = f"{below:.10g})" if below < most else f"{most:.10g}]"
    allowed = "a number" if unlimited else "a finite number"
    if math.isfinite(min(most, below)):
        allowed = f"a number in {start}, {end}"
    elif math.isfinite(max(least, above)):
        allowed += f" > {above:g}" if above > least else f" >= {least:g}"
    raise InputError(name, allowed, shown(value), remedy)


def whole_number(name: str, value: object, *, least: int = 1) -> int:
    """Return a whole number that is not below the least."""
    given = _real(value)
    if math.isfinite(given) and given >= least and given == int(given):
        return int(plain(value))
    raise InputError(name, f"a whole number >= {least}", shown(value))


def seed_number(value: object) -> int:
    """Return a seed."""
    return whole_number("seed", value, least=0)


def plain(value: Any) -> Any:
    """Return NumPy's scalars, and arrays of no dimension, in Python's own type."""
    array = isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)
    alone = isinstance(value, np.generic) or (array and value.ndim == 0)
    return value.item() if alone else value


def _real(value: object) -> float:
    """Return a number as a float; NaN for anything that is none, and for one beyond floats."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def choice(name: str, value: object, allowed: Sequence[str]) -> Any:
    """Return one of the allowed words."""
    if isinstance(value, str) and value in allowed:
        return str(value)
    *others, last = map(repr, allowed)
    raise InputError(name, f"{', '.join(others)} or {last}" if others else last, shown(value))


def flag(name: str, value: object) -> bool:
    """Return a truth value."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InputError(name, "True or False", shown(value))


def several(name: str, value: object, allowed: str, *, least: int = 0) -> tuple[Any, ...]:
    """Return the entries of a collection, as many as there must be at least."""
    if is_collection(value) and len(entries := tuple(value)) >= least:
        return entries
    raise InputError(name, allowed, shown(value))


def is_collection(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether a value has entries; text and mappings count as one thing each."""
    one = isinstance(value, str | bytes | Mapping) or getattr(value, "ndim", 1) == 0
    return isinstance(value, Iterable) and not one


def instance(name: str, value: object, kind: type[Value], allowed: str) -> Value:
    """Return a value of the kind."""
    if isinstance(value, kind):
        return value
    raise InputError(name, allowed, type(value).__name__)


def file_path(name: str, value: object) -> Path:
    """Return a path; there may be nothing yet."""
    if isinstance(value, str | os.PathLike):
        text = os.fspath(value)
        if isinstance(text, str) and text and "\0" not in text:
            _check_length(name, text)
            return Path(text)
    raise InputError(name, "a path", shown(value))


def _check_length(name: str, path: str) -> None:
    """Raise an error for a path that no file here can have; there need be none."""
    try:
        os.lstat(path)
    except UnicodeEncodeError:
        raise InputError(name, "a path in whole characters", shown(path)) from None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL):
            reason = f"{shown(path)} ({str(error.strerror).lower()})"
            raise InputError(name, "a path that a file can have", reason) from None


def check_text(name: str, texts: Iterable[str]) -> None:
    """Raise an error unless every text can be written to a file: halves of characters cannot."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(name, "text in whole characters", shown(text)) from None


def unmasked(name: str, value: Any) -> Any:
    """Return a masked array without its mask; one that hides entries is refused.

    NumPy would hand out what is under the mask. Rows in a list may be masked, too.
    """
    parts = value if isinstance(value, list | tuple) else (value,)
    masked = (one for one in parts if isinstance(one, np.ma.MaskedArray))
    hidden = sum(int(np.ma.getmaskarray(one).sum()) for one in masked)
    if hidden:
        raise InputError(
            name,
            "without masked entries",
            f"{hidden:,} masked",
            "Leave those rows out, or fill them: array.filled(number).",
        )
    return value.data if isinstance(value, np.ma.MaskedArray) else value


def optional(check: Callable[..., Value], name: str, value: object, **limits: Any) -> Value | None:
    """Return None for None, and what the check returns for anything else."""
    if value is None:
        return None
    try:
        return check(name, value, **limits)
    except InputError as error:
        allowed = f"{error.allowed}, or None"
        raise InputError(name, allowed, error.received, error.remedy) from None


def check_known(name: str, given: Iterable[object], known: Iterable[str]) -> None:
    """Raise an error if a name is given that is not known."""
    names = sorted(known)
    for word in given:
        if word not in names:
            text = str(word)
            near = [one for one in names if one == text.lower()] or get_close_matches(
                text, names, 1
            )
            remedy = f"Did you mean {near[0]!r}?" if near else ""
            raise InputError(name, f"among {', '.join(names)}", repr(word), remedy)


def known_keywords(function: Callable[Given, Value]) -> Callable[Given, Value]:
    """Have a function refuse a keyword that it does not know, with what was probably meant."""
    parameters = inspect.signature(function).parameters
    names = [name for name in parameters if name != "self"]

    @functools.wraps(function)
    def checked(*arguments: Given.args, **keywords: Given.kwargs) -> Value:
        check_known("options", keywords, names)
        return function(*arguments, **keywords)

    return checked


def known_fields(record: type[Value]) -> type[Value]:
    """Have a record refuse a field that it does not know, with what was probably meant."""
    record.__init__ = known_keywords(record.__init__)  # type: ignore[method-assign]
    return record


def check_takes(name: str, function: object, *names: str) -> None:
    """Raise an error unless it is a function that takes arguments of these names, by position."""
    allowed = f"a function of ({', '.join(names)})"
    if not callable(function):
        raise InputError(name, allowed, shown(function))
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions of C have none that can be read
        return
    try:
        signature.bind(*names)
    except TypeError:
        raise InputError(name, allowed, f"one of {signature}") from None


def with_keywords(function: Callable[..., object], record: type) -> inspect.Signature:
    """Return a function's signature with the fields of a record in place of its `**` keywords."""
    signature = inspect.signature(function)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    fields = [
        one.replace(kind=one.KEYWORD_ONLY) for one in inspect.signature(record).parameters.values()
    ]
    return signature.replace(parameters=[*own, *fields])
