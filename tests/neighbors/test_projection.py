"""The coordinates in which engines filter, where rows are wide."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from deepaveragers.neighbors.projection import fit_projection
from deepaveragers.neighbors.tuning import Tuning


@pytest.mark.parametrize("kind", ["normal", "low rank", "constant"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_few_wide_rows_give_orthonormal_directions(kind, dtype):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 300))
    if kind == "low rank":
        rows = rows[:, :2] @ rng.normal(size=(2, 300))
    if kind == "constant":
        rows = np.ones_like(rows)
    rotation = fit_projection(rows.astype(dtype), 300, explained=0.95).rotation
    assert rotation.shape[1] <= 40
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(rotation.shape[1]), atol=1e-13)


def test_few_wide_rows_give_the_directions_that_a_decomposition_gives():
    rows = np.random.default_rng(0).normal(size=(40, 300)) * np.linspace(3.0, 0.1, 300)
    projection = fit_projection(rows, 5)
    expected = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][:5]
    cosines = np.abs(np.einsum("fd,df->f", expected, projection.rotation))
    np.testing.assert_allclose(cosines, 1.0, atol=1e-10)


def test_pictures_cost_no_square_of_their_pixels():
    """570 pictures of 64 x 64 in colour: 1.2 GB, and a minute, if every pixel met every other."""
    pixels = 64 * 64 * 3
    rows = np.random.default_rng(0).random((570, pixels), dtype=np.float32)
    tracemalloc.start()
    projection = fit_projection(rows, pixels, explained=0.95)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert projection.rotation.shape[1] <= 570
    assert peak < 0.25 * pixels * pixels * 8


def test_very_wide_rows_are_decided_by_few_of_them():
    tuning = Tuning(most_rows_if_wide=100)
    rows = np.random.default_rng(0).random((150, 120))
    assert fit_projection(rows, 120, tuning=tuning).rotation.shape[1] == 100
