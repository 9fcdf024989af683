"""Options that cannot be read, said as all else: what is allowed, what came, what to do."""

from __future__ import annotations

from typing import Any

from ..errors import InputError


def usage_sentence(problem: Any) -> str:
    """Return what is wrong with a command's words, from Typer's error.

    Some versions of Typer leave out what was given; it is then in the error's cause.
    """
    details = getattr(problem.__cause__, "errors", None)
    names = getattr(getattr(problem, "param", None), "opts", None)
    if not callable(details) or not names:
        return str(problem.format_message())
    found = details()[0]
    option, given = max(names, key=len), str(found["input"])
    if found["type"].startswith("int"):
        return str(InputError(option, "a whole number", repr(given), _written(given)))
    if found["type"].startswith("float"):
        return str(InputError(option, "a number", repr(given), _written(given.replace(",", "."))))
    return f"{problem.format_message()}; received {given!r}."


def _written(text: str) -> str:
    """Return how a number that was meant is written; nothing if none was."""
    try:
        number = float(text)
        return f"Write {int(number)}." if number == int(number) else f"Write {number}."
    except (ValueError, OverflowError):
        return ""
