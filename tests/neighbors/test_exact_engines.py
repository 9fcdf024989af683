"""One contract for every exact engine: the answer of brute force, to the last index."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepaveragers as da
from deepaveragers.neighbors.brute_force import BruteForceIndex
from deepaveragers.neighbors.choice import EXACT, serving_index
from deepaveragers.neighbors.dense import DenseIndex
from deepaveragers.neighbors.graph import NO_NEIGHBOR
from deepaveragers.neighbors.index import NeighborIndex
from deepaveragers.neighbors.outliers import outlying
from deepaveragers.neighbors.tree import TreeIndex
from deepaveragers.neighbors.tuning import TUNING

HAS_TORCH = importlib.util.find_spec("torch") is not None
ENGINES = [name for name in EXACT if name != "brute" and (name != "torch" or HAS_TORCH)]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Callable[[np.ndarray], NeighborIndex]:
    return EXACT[request.param]


def assert_same_as_brute_force(engine, rows, points, k, threads=1):
    expected = BruteForceIndex(rows).query(points, k)
    indices, distances = engine(rows).query(points, k, threads=threads)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_array_equal(distances, expected[1])
    assert indices.dtype == np.int32
    assert distances.dtype == np.float64


KINDS = (
    *("normal", "ties", "duplicates", "constant columns", "low rank"),
    *("outlier", "far cluster", "heavy tails"),
)


def make_rows(kind: str, rng: np.random.Generator, count: int, dimensions: int) -> np.ndarray:
    rows = rng.normal(size=(count, dimensions))
    if kind == "ties":
        return np.round(rows)
    if kind == "duplicates":
        return rows[rng.integers(0, max(1, count // 20), count)]
    if kind == "constant columns":
        rows[:, rng.random(dimensions) < 0.7] = 3.0
    if kind == "low rank":
        return rows[:, :2] @ rng.normal(size=(min(2, dimensions), dimensions))
    if kind == "outlier":
        rows[0] *= 1e7
    if kind == "far cluster":
        rows[: count // 10] = 1e6 + np.round(rows[: count // 10])
    if kind == "heavy tails":
        rows *= np.exp(3.0 * rng.normal(size=(count, 1)))
    return rows


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 2**32 - 1),
    count=st.sampled_from([1, 2, 3, 15, 16, 17, 128, 129, 600, 1100]),
    dimensions=st.sampled_from([1, 2, 3, 4, 5, 8, 16, 17, 65, 128, 129, 600]),
    k=st.integers(1, 12),
    offset=st.sampled_from([0.0, 1e6]),
    scale=st.sampled_from([1.0, 1e-12, 1e-160, 1e12]),
    single=st.booleans(),
)
@pytest.mark.parametrize("name", ENGINES)
def test_equals_brute_force(name, kind, seed, count, dimensions, k, offset, scale, single):
    rng = np.random.default_rng(seed)
    rows = make_rows(kind, rng, count, dimensions)
    points = np.concatenate([rows[:25], rows[-5:] + 1e-9, make_rows(kind, rng, 10, dimensions)])
    dtype = np.float32 if single and scale > 1e-30 else np.float64
    rows = (rows * scale + offset).astype(dtype)
    points = (points * scale + offset).astype(dtype)
    assert_same_as_brute_force(EXACT[name], rows, points, k)


def test_of_identical_rows_the_lowest_come_first(engine):
    rows = np.zeros((5000, 3), dtype=np.float32)
    rows[1::2] = 1.0
    indices, distances = engine(rows).query(rows[:4], 5)
    np.testing.assert_array_equal(indices[0], [0, 2, 4, 6, 8])
    np.testing.assert_array_equal(indices[1], [1, 3, 5, 7, 9])
    assert not distances.any()


def test_fewer_rows_than_k(engine):
    indices, distances = engine(np.array([[1.0], [3.0]])).query(np.array([[2.5]]), 4)
    np.testing.assert_array_equal(indices, [[1, 0, NO_NEIGHBOR, NO_NEIGHBOR]])
    np.testing.assert_array_equal(distances, [[0.5, 1.5, np.inf, np.inf]])


def test_no_rows_and_no_points(engine):
    indices, distances = engine(np.empty((0, 3))).query(np.zeros((2, 3)), 2)
    assert (indices == NO_NEIGHBOR).all()
    assert np.isinf(distances).all()
    assert engine(np.zeros((4, 3))).query(np.empty((0, 3)), 2)[0].shape == (0, 2)


@pytest.mark.parametrize("k", [1, 5, 12, 13, 20])
def test_more_rows_at_one_distance_than_any_shortlist_holds(engine, k):
    grid = np.stack(np.meshgrid(*[np.arange(9.0)] * 3), axis=-1).reshape(-1, 3)
    rows = np.random.default_rng(0).permutation(grid)
    points = np.concatenate([rows[:50], rows[50:100] + 0.5])
    assert_same_as_brute_force(engine, rows, points, k)


@pytest.mark.parametrize("spread", [1e-6, 1e-9, 1e-12])
def test_distances_that_only_float64_tells_apart(engine, spread):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(20, 4))
    around = rng.normal(size=(20, 30, 4))
    around /= np.linalg.norm(around, axis=2, keepdims=True)
    around *= 1e-3 * (1.0 + spread * rng.random((20, 30, 1)))
    rows = rng.permutation((centres[:, None] + around).reshape(-1, 4))
    for k in (1, 5, 11):
        assert_same_as_brute_force(engine, rows, centres, k)


def test_zero_and_minus_zero_are_one_place(engine):
    rows = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 1.0], [-0.0, 1.0]])
    assert_same_as_brute_force(engine, rows, rows, 3)


def test_query_far_from_all_rows(engine):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 6))
    assert_same_as_brute_force(engine, rows, rng.normal(size=(5, 6)) * 1e30, 4)


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "point"), [(1.0, 1e155), (1e-120, 1e36), (1e-300, 1e30)])
@pytest.mark.parametrize("dimensions", [4, 100, 200])
def test_query_beyond_what_float64_can_square(engine, spread, point, dimensions):
    rng = np.random.default_rng(0)
    rows = spread * rng.normal(size=(400, dimensions))
    points = rows[:30].copy()
    points[3, 0] = point
    with np.errstate(over="ignore"):
        assert_same_as_brute_force(engine, rows, points, 3)
        assert_same_as_brute_force(engine, rows, points[:5], 3)


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
def test_rows_far_out_are_set_aside_if_there_are_few(scale):
    rng = np.random.default_rng(0)
    rows = scale * rng.normal(size=(20_000, 4))
    assert len(outlying(rows)) == 0
    rows[[7, 100]] *= 1e6
    rows[19_999, 2] = -1e8 * scale
    np.testing.assert_array_equal(outlying(rows), [7, 100, 19_999])
    rows[: TUNING.most_outliers + 1] = 1e8 * scale
    assert len(outlying(rows)) == 0


def test_views_and_strides_are_accepted(engine):
    rng = np.random.default_rng(0)
    rows = np.asfortranarray(rng.normal(size=(300, 5)))
    assert_same_as_brute_force(engine, rows[::2], rows[::-3], 4)


@pytest.mark.slow
def test_same_bits_for_any_number_of_threads(engine):
    rng = np.random.default_rng(1)
    rows = np.round(rng.normal(size=(6000, 8)), 1).astype(np.float32)
    points = np.round(rng.normal(size=(5000, 8)), 1).astype(np.float32)
    index = engine(rows)
    alone = index.query(points, 5, threads=1)
    for threads in (2, 5):
        shared = index.query(points, 5, threads=threads)
        np.testing.assert_array_equal(shared[0], alone[0])
        np.testing.assert_array_equal(shared[1], alone[1])
    one_by_one = [index.query(points[i : i + 1], 5) for i in range(200)]
    np.testing.assert_array_equal(np.concatenate([rows for rows, _ in one_by_one]), alone[0][:200])


def test_size_and_protocol(engine):
    index = engine(np.zeros((7, 2)))
    assert index.size == 7
    assert isinstance(index, NeighborIndex)


@pytest.mark.parametrize(("count", "dimensions"), [(50, 30), (3000, 4), (2100, 30)])
def test_serving_is_exact_whatever_engine_it_takes(count, dimensions):
    rng = np.random.default_rng(0)
    rows = np.round(rng.normal(size=(count, dimensions)), 1)
    assert isinstance(serving_index(rows), TreeIndex | DenseIndex)
    assert_same_as_brute_force(serving_index, rows, rows[:1] + 0.01, 11)
    assert_same_as_brute_force(serving_index, rows, rows[:40] + 0.01, 11, threads=2)


@pytest.mark.parametrize("engine", ["auto", "tree", "dense", "brute"])
def test_the_public_index_finds_the_nearest_rows(engine):
    rows = np.random.default_rng(0).integers(0, 9, (200, 3))
    expected = BruteForceIndex(rows).query(rows[:20].astype(float), 4)
    index = da.neighbor_index(rows, engine)
    assert isinstance(index, da.NeighborIndex)
    for ours, theirs in zip(index.query(rows[:20].astype(float), 4), expected):
        np.testing.assert_array_equal(ours, theirs)
