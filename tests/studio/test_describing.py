"""Groups in words: few digits, a true minus, units; the numbers beside them are exact."""

from __future__ import annotations

import math

from deepaveragers.studio.columns import MINUS
from deepaveragers.studio.describing import _words
from deepaveragers.studio.messages import Column


def column(kind="number", unit="", low=-1.0, high=1.0):
    return Column("to-go", low, high, (low, low, 0.0, high, high), kind, unit)


def test_numbers_are_as_long_as_their_column_needs():
    inf, minus, small = math.inf, MINUS, column(unit="m", low=0.0, high=0.001)
    assert _words(column(), -0.17982, inf) == f"to-go > {minus}0.18"
    assert _words(column(), -0.17982, 0.5) == f"{minus}0.18 < to-go ≤ 0.5"
    assert _words(column(), 0.17982, 0.17991) == "0.17982 < to-go ≤ 0.17991"
    assert _words(small, -inf, 0.000123456) == "to-go [m] ≤ 0.00012"
    assert _words(column(low=0, high=123456), -inf, 98765.4) == "to-go ≤ 99000"
    assert _words(column(low=2.0, high=2.0), 1.23456, inf) == "to-go > 1.235"
    assert _words(column("flag"), 0.5, inf) == "to-go: yes"
