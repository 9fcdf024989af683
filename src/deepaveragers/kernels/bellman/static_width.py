"""Row widths that the compiler knows, so that it unrolls the loops over them."""

from __future__ import annotations

StaticWidth = tuple[int, ...]
"""A tuple whose length is the width; empty where the width is known at run time only."""
LONGEST_UNROLLED = 8
"""Successors in a row; longer rows are looped over."""


def static_width(width: int) -> StaticWidth:
    """Return the static width of rows: empty where they are too long to unroll."""
    return (0,) * width if width <= LONGEST_UNROLLED else ()
