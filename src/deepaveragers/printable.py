"""Text on its way to a terminal: names in data may hold what a terminal would obey."""

from __future__ import annotations

import re

UNPRINTABLE = re.compile(
    # Controls but for tab and newline; marks that turn the direction of text; halves of characters.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    r"""Return text with what a terminal would obey, or cannot show, written out: \x1b, \ud800."""
    return UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)
