"""Rewards from a column of texts, such as how an episode ended: died=-1,discharged=1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import listed_names, number, shown
from ...arrays import Float64, Int64
from ...errors import InputError

if TYPE_CHECKING:  # mappings are light, and cells are not
    from .cells import Labels

EXAMPLE = "numbers by text, such as died=-1,discharged=1"


def checked_reward_values(parameter: str, value: Any) -> dict[str, float]:
    """Return rewards by text, given as a mapping or as in `EXAMPLE`."""
    given = value
    if isinstance(value, str):
        pairs = [part.rpartition("=") for part in value.split(",")]
        given = {text.strip(): _as_number(figure) for text, _, figure in pairs}
    if not isinstance(given, Mapping) or not given:
        raise InputError(parameter, EXAMPLE, shown(value))
    if not all(isinstance(text, str) and text for text in given):
        raise InputError(parameter, EXAMPLE, shown(value))
    return {str(text): number(f"{parameter}[{text!r}]", one) for text, one in given.items()}


def _as_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def rewards_by_text(
    column: str, codes: Int64, labels: Labels, values: Mapping[str, float], blank: float
) -> Float64:
    """Return [R] rewards.

    Args:
        column: its name.
        codes: [R] places among the labels, -1 where the cell is blank.
        labels: what was found in the column.
        values: the reward of each text; upper and lower case are the same.
        blank: the reward of a blank cell.
    """
    by_text = {text.casefold(): reward for text, reward in values.items()}
    found = [str(label) for label in labels.distinct()]
    unknown = [label for label in found if label.casefold() not in by_text]
    if unknown:
        raise InputError(
            "reward_values",
            f"a number for each text of column {column!r}",
            f"none for {listed_names(unknown)}",
            f"Add it: {unknown[0]}=0.",
        )
    # The last one is what the code -1, a blank cell, picks.
    return np.array([*(by_text[label.casefold()] for label in found), blank])[codes]
