"""What is said of a candidate that was made from a part of the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .judges.simulated import Simulated
from .judges.verdict import Opinion

Opinions = Mapping[str, Opinion]
"""By judge."""


@dataclass(frozen=True, eq=False)
class Heard:
    """What is said of a candidate.

    Attributes:
        opinions: by judges of the episodes that it was not made from; none if there are none.
        inside: what it earns in simulators of the episodes that it was made from, which is for
            choosing only; none where it could not be made, or where nothing is compared so.
        made: whether it could be made.
    """

    opinions: Opinions
    inside: tuple[Simulated, ...]
    made: bool
