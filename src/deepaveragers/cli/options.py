"""Options that several commands share, and numbers given as text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Output = Annotated[Path, typer.Option("--output", "-o", help="Where to write the bundle.")]
Smoothness = Annotated[int, typer.Option("--k", help="Neighbours that a decision averages.")]
Lookup = Annotated[str, typer.Option("--lookup", help="'nearest', 'lookahead', or 'auto'.")]


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
