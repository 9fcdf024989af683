"""Options that several commands share, and numbers given as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

Output = Annotated[Path, typer.Option("--output", "-o", help="Where to write the bundle.")]
OnCluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Work on Ray: 'auto', or the address of a cluster, host:port."),
]
WorkDir = Annotated[
    Path | None,
    typer.Option("--work-dir", help="With --cluster: a folder that all nodes see; runs continue."),
]
Smoothness = Annotated[
    int | None,
    typer.Option("--k", help="Neighbours that a decision averages; by default the plan's own."),
]
Lookup = Annotated[
    str | None,
    typer.Option(
        "--lookup",
        help="'nearest', 'lookahead', 'network' or 'auto'; by default the plan's own.",
    ),
]


def observation(option: str, text: str) -> Any:
    """Return an observation: numbers by commas, NAME=VALUE pairs by commas, or a JSON object."""
    from ..errors import InputError

    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise InputError(option, "numbers, NAME=VALUE pairs or JSON", repr(text)) from None
    if "=" not in text:
        return numbers(option, text)
    named: dict[str, float | str | None] = {}
    for part in text.split(","):
        name, equals, value = part.rpartition("=")
        if not equals or name.strip() in named:
            allowed = "NAME=VALUE pairs separated by commas, each name once"
            raise InputError(option, allowed, repr(part))
        named[name.strip()] = _cell(value.strip())
    return named


def _cell(text: str) -> float | str | None:
    """Return a number, a word, or None for a value that is missing."""
    if text in ("", "NA"):
        return None
    try:
        return float(text)
    except ValueError:
        return text


def numbers(option: str, text: str) -> list[float]:
    """Return the numbers of a text that separates them by commas."""
    from ..errors import InputError

    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(option, "numbers separated by commas", repr(text)) from None


def whole_numbers(option: str, text: str) -> list[int]:
    """Return the whole numbers of a text that separates them by commas."""
    from ..errors import InputError

    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(option, "whole numbers separated by commas", repr(text)) from None
