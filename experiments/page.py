"""Results in a page of the documentation: written between its markers, never by hand.

A part NAME stands between `<!-- begin NAME -->` and `<!-- end NAME -->`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping


def fill(text: str, parts: Mapping[str, str]) -> str:
    """Return the text with every part between its markers."""
    for name, part in parts.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"the page needs {begin} and {end}, once each")
        between = re.compile(f"(?<={re.escape(begin)}).*?(?={re.escape(end)})", re.DOTALL)
        text = between.sub(lambda _, part=part: f"\n{part}\n", text)
    return text
