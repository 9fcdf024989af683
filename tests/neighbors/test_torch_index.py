"""What the torch engine does beyond the contract of all exact engines."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.neighbors import torch_index
from deepaveragers.neighbors.brute_force import BruteForceIndex
from deepaveragers.neighbors.torch_index import TorchIndex
from deepaveragers.neighbors.tuning import Tuning

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("ties", [False, True])
def test_blocks_fit_together(ties):
    tuning = Tuning(torch_queries=37, torch_rows=50)
    rng = np.random.default_rng(0)
    rows, points = rng.normal(size=(777, 6)), rng.normal(size=(200, 6))
    if ties:
        rows, points = np.round(rows), np.round(points)
    expected = BruteForceIndex(rows).query(points, 5)
    found = TorchIndex(rows, device="cpu", tuning=tuning).query(points, 5)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


def test_ordinary_data_needs_no_second_search(monkeypatch):
    monkeypatch.setattr(torch_index, "DenseIndex", None)
    rng = np.random.default_rng(0)
    rows, points = rng.normal(size=(5000, 16)), rng.normal(size=(300, 16))
    expected = BruteForceIndex(rows).query(points, 5)
    found = TorchIndex(rows, device="cpu").query(points, 5)
    np.testing.assert_array_equal(found[0], expected[0])


def test_products_as_coarse_as_tf32_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    rows, points = rng.normal(size=(3000, 8)), rng.normal(size=(100, 8))
    index = TorchIndex(rows, device="cpu")

    def coarse(array: torch.Tensor) -> torch.Tensor:
        """Keep the 10 bits of mantissa that TF32 has."""
        return (array.view(torch.int32) & ~0x1FFF).view(torch.float32)

    original = torch.addmm
    monkeypatch.setattr(torch, "addmm", lambda c, a, b, alpha: original(
        c, coarse(a.contiguous()), coarse(b.contiguous()), alpha=alpha))  # fmt: skip
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: "high")
    expected = BruteForceIndex(rows).query(points, 5)
    found = index.query(points, 5)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


def test_compiling_with_torch_gives_the_same_graph():
    rng = np.random.default_rng(3)
    positions = rng.normal(size=(401, 3))
    data = da.Transitions(
        observations=positions[:-1],
        actions=rng.integers(0, 3, 400),
        rewards=np.zeros(400),
        next_observations=positions[1:],
        terminations=np.zeros(400, bool),
    )
    one, two = da.compile(data, neighbors="torch"), da.compile(data, neighbors="brute")
    assert one.graph.report.exact
    np.testing.assert_array_equal(one.graph.indices, two.graph.indices)
    np.testing.assert_array_equal(one.graph.distances, two.graph.distances)
