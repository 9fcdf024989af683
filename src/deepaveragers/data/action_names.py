"""Names of actions that are probably one: "Heat" beside "heat", "haet" beside "heat"."""

from __future__ import annotations

import re
from collections.abc import Iterable

SHORTEST = 4
"""Letters of a word below which another letter makes another word: n and s, up and us."""


def resembled(name: str, others: Iterable[str]) -> str | None:
    """Return the one of the others that a name is probably a slip of."""
    names = list(others)
    for alike in (same_words, one_letter_apart):
        for other in names:
            if other != name and alike(name, other):
                return other
    return None


def same_words(name: str, other: str) -> bool:
    """Whether two names differ by case and spacing only; single letters are told apart."""
    here, there = "".join(_words(name)), "".join(_words(other))
    return here == there and len(here) > 1


def one_letter_apart(name: str, other: str) -> bool:
    """Whether one word differs, by a letter more, less or other, or by two that changed places."""
    here, there = _words(name), _words(other)
    pairs = [pair for pair in zip(here, there, strict=False) if pair[0] != pair[1]]
    if len(here) != len(there) or len(pairs) != 1:
        return False
    one, two = pairs[0]
    start = _alike(one, two)
    end = _alike(one[start:][::-1], two[start:][::-1])
    first, second = one[start : len(one) - end], two[start : len(two) - end]
    letters = (first + second).isalpha() and min(len(one), len(two)) >= SHORTEST
    swapped = len(first) == 2 and first == second[::-1]
    return letters and (swapped or max(len(first), len(second)) == 1)


def _alike(one: str, two: str) -> int:
    """Return how many letters two words have in common before they differ."""
    differ = (place for place, (a, b) in enumerate(zip(one, two, strict=False)) if a != b)
    return next(differ, min(len(one), len(two)))


def _words(name: str) -> list[str]:
    return re.split(r"[\s_]+", name.strip().casefold())
