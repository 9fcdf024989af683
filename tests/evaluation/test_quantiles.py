"""Quantiles against SciPy's."""

from __future__ import annotations

import pytest

from deepaveragers.evaluation.quantiles import normal_reach, student_reach

special = pytest.importorskip("scipy.special")
LEVELS = (0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.9999)


@pytest.mark.parametrize("level", LEVELS)
def test_the_normal(level):
    assert normal_reach(level) == pytest.approx(special.ndtri(0.5 + level / 2), rel=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 6, 7, 20, 31, 500, 999, 1000, 1001, 50_000])
def test_students(freedom, level):
    expected = special.stdtrit(freedom, 0.5 + level / 2)
    assert student_reach(freedom, level) == pytest.approx(expected, rel=1e-8)
