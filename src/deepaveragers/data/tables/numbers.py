"""Cells of a table as numbers, with the place of what is none."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from ...arrays import Array
from ...errors import InputError
from .notation import PLAIN, Notation, is_null

Where = Callable[[int], str]
"""From a row of the chunk to words that name its place in the source."""
_DECODER = msgspec.json.Decoder(list[float])


def as_numbers(
    cells: Array,
    where: Where,
    notation: Notation = PLAIN,
    missing: Counter[str] | None = None,
) -> Array:
    """Return [n] or [n, d] float numbers; a missing cell is NaN.

    Args:
        cells: some rows of a column as they came: numbers, text, or a mix in an object array.
        where: the place of a row.
        notation: how the cells are written.
        missing: counts of missing cells by their text, to be added to.
    """
    counts: Counter[str] = Counter() if missing is None else missing
    kind = cells.dtype.kind
    if kind == "f":
        typed = cells if cells.dtype in (np.float32, np.float64) else cells.astype(np.float32)
        _count_nan(typed, "", counts)
        return _without_codes(typed, notation, counts)
    if kind in "iub":
        return _without_codes(cells.astype(np.float64), notation, counts)
    if kind not in "OU":
        raise InputError(where(0), "a number", f"a value of type {cells.dtype}")
    if len(cells) and isinstance(cells[0], list | tuple | np.ndarray):
        return _stacked(cells, where, notation, counts)
    numbers = _all_plain(cells, counts) if notation.plain else None
    if numbers is not None:
        return _without_codes(numbers, notation, counts)
    return _without_codes(_one_by_one(cells, where, notation, counts), notation, counts)


def _all_plain(cells: Array, counts: Counter[str]) -> Array | None:
    """Return the numbers where all cells are plain ones; None where they need a closer look."""
    try:
        text = ",".join(cells)
    except TypeError:
        return _converted(cells, "", counts) if _are_values(cells) else None
    try:  # the quickest way, for numbers as JSON has them
        numbers = np.array(_DECODER.decode(f"[{text}]"), dtype=np.float64)
    except msgspec.MsgspecError:
        numbers = np.empty(0)
    if len(numbers) == len(cells):  # else a cell has a comma
        return numbers
    # Python alone takes 1_000 and digits of other scripts for numbers.
    return _converted(cells, "nan", counts) if text.isascii() and "_" not in text else None


def _are_values(cells: Array) -> bool:
    return not any(issubclass(kind, str | bool) for kind in set(map(type, cells)))


def _converted(cells: Array, missing: str, counts: Counter[str]) -> Array | None:
    try:
        numbers = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except (ValueError, TypeError):
        return None
    _count_nan(numbers, missing, counts)
    return numbers


def _count_nan(numbers: Array, text: str, counts: Counter[str]) -> None:
    found = int(np.isnan(numbers).sum())
    if found:
        counts[text] += found


def _without_codes(numbers: Array, notation: Notation, counts: Counter[str]) -> Array:
    """Return the numbers with those that stand for nothing, -999 say, as NaN."""
    for code in notation.missing_numbers:
        held = numbers == code
        if held.any():
            counts[f"{code:g}"] += int(held.sum())
            numbers = np.where(held, np.nan, numbers).astype(numbers.dtype)
    return numbers


def _stacked(cells: Array, where: Where, notation: Notation, counts: Counter[str]) -> Array:
    width = np.shape(cells[0])
    for row, cell in enumerate(cells):
        if np.shape(cell) != width:
            raise InputError(
                where(row), f"a list of shape {width} as in the first row", f"{np.shape(cell)}"
            )
    stacked = np.array([np.asarray(cell) for cell in cells]).reshape(len(cells), -1)
    return as_numbers(stacked, where, notation, counts)


def _one_by_one(cells: Array, where: Where, notation: Notation, counts: Counter[str]) -> Array:
    known: dict[str, float] = {}
    numbers = np.empty(len(cells), dtype=np.float64)
    for row, cell in enumerate(cells.tolist()):
        if not isinstance(cell, str):
            numbers[row] = _of_value(cell, where, row, counts)
            continue
        number = known.get(cell)
        if number is None:
            number = known[cell] = of_text(cell, notation, where, row)
        if math.isnan(number):
            counts[cell.strip()] += 1
        numbers[row] = number
    return numbers


def _of_value(cell: Any, where: Where, row: int, counts: Counter[str]) -> float:
    if is_null(cell):
        counts[""] += 1
        return math.nan
    try:
        return float(cell)
    except (ValueError, TypeError, OverflowError):
        raise InputError(where(row), "a number", _short(cell)) from None


def of_text(cell: str, notation: Notation, where: Where, row: int) -> float:
    """Return the number in a text, NaN where it stands for nothing; or say what is wrong."""
    text = cell.strip()
    word = text.casefold()
    if word in notation.no_number:
        return math.nan
    if word in ("true", "false"):
        return float(word == "true")
    try:
        return notation.number(text)
    except ValueError:
        raise InputError(where(row), "a number", _short(cell), _remedy(text, notation)) from None


def is_number(text: str, notation: Notation) -> bool:
    """Whether a text is a number as written in this table, or true or false."""
    if text.strip().casefold() in ("true", "false"):
        return True
    try:
        notation.number(text.strip())
    except ValueError:
        return False
    return True


def _remedy(text: str, notation: Notation) -> str:
    if notation.plain and re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", text):
        return "Say which the comma is: thousands=',' (--thousands ,) or decimal=',' (--decimal ,)."
    if notation.plain and re.fullmatch(r"[+-]?\d*(\.\d{3})*,\d+", text):
        return "If the comma is the decimal mark, say decimal=',' (--decimal ,)."
    if notation.decimal == "," and re.fullmatch(r"[+-]?\d+\.\d+", text):
        return "If the point separates thousands, say thousands='.' (--thousands .)."
    return (
        "Repair it; or take it for missing with missing_values (--missing-values); or, if the "
        "column is text, read it with categorical (--categorical)."
    )


def _short(cell: Any) -> str:
    text = repr(cell)
    return text if len(text) <= 60 else f"{text[:57]}..."
