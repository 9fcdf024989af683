"""What trees are built of: selection by rank, groups of identical rows, rows in leaves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepaveragers.kernels.knn.tree import FAR
from deepaveragers.kernels.knn.tree_build import select
from deepaveragers.neighbors.duplicates import group_identical, groups_in_order
from deepaveragers.neighbors.tree_layout import make_boxes, make_leaves, tree_order

SHAPES = ("random", "ascending", "descending", "organ pipe", "close together")


def make_keys(shape: str, random: np.random.Generator, count: int) -> np.ndarray:
    if shape == "close together":
        return random.permutation(count).astype(np.uint64) + np.uint64(2**63)
    keys = random.permutation(2**20)[:count].astype(np.uint64) << np.uint64(40)
    if shape != "random":
        keys.sort()
    if shape == "organ pipe":
        return np.concatenate([keys[::2], keys[1::2][::-1]])
    return keys[::-1].copy() if shape == "descending" else keys


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    shape=st.sampled_from(SHAPES),
    seed=st.integers(0, 2**31),
    count=st.sampled_from([2, 3, 8, 9, 32, 100, 512, 3000]),
    share=st.floats(0, 1),
)
def test_selection_divides_by_rank_and_leaves_the_rest(shape, seed, count, share):
    keys = make_keys(shape, np.random.default_rng(seed), count)
    low, high = count // 10, count - count // 10
    target = low + min(high - low - 1, int(share * (high - low)))
    changed = keys.copy()
    select(changed, low, high, target)
    expected = np.sort(keys[low:high])
    assert np.array_equal(np.sort(changed[low:target]), expected[: target - low])
    assert np.array_equal(np.sort(changed[target:high]), expected[target - low :])
    for outside in (slice(0, low), slice(high, None)):
        assert np.array_equal(changed[outside], keys[outside])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), count=st.integers(1, 3000), levels=st.integers(1, 5))
def test_the_order_of_points_names_each_once(seed, count, levels):
    """Also where most coordinates are equal, or zero with either sign."""
    random = np.random.default_rng(seed)
    coordinates = random.integers(-levels, levels + 1, size=(count, 4)).astype(np.float32)
    coordinates *= random.choice([-1.0, 1.0], size=coordinates.shape).astype(np.float32)
    order = tree_order(coordinates, 4)
    assert np.array_equal(np.sort(order), np.arange(count))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), count=st.integers(1, 3000))
def test_every_box_is_tight_around_its_children(seed, count):
    ordered = np.random.default_rng(seed).normal(size=(count, 4)).astype(np.float32)
    leaves, (first_child, boxes) = make_leaves(ordered), make_boxes(ordered[:, :3])
    assert len(boxes) == len(first_child) - 1
    assert first_child[-1] == len(leaves) + len(boxes) - 1  # the root's number

    def points_under(node):
        if node < len(leaves):
            return leaves[node].T[: count - 16 * node]
        inner = node - len(leaves)
        children = range(first_child[inner], first_child[inner + 1])
        return np.concatenate([points_under(child) for child in children])

    for inner in range(len(boxes)):
        for lane, child in enumerate(range(first_child[inner], first_child[inner + 1])):
            points = points_under(child)[:, :3]
            assert np.array_equal(boxes[inner, :, 0, lane], points.min(axis=0))
            assert np.array_equal(boxes[inner, :, 1, lane], points.max(axis=0))
        assert (boxes[inner, :, :, lane + 1 :] == FAR).all()
    assert np.array_equal(points_under(first_child[-1]), ordered)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), count=st.integers(1, 300), distinct=st.integers(1, 60))
def test_groups_are_the_identical_rows(seed, count, distinct):
    random = np.random.default_rng(seed)
    numbers = random.integers(0, distinct, count)
    rows = random.normal(size=(distinct, 3))[numbers]
    members, starts = group_identical(rows)
    assert np.array_equal(np.sort(members), np.arange(count))
    groups = [members[a:b] for a, b in pairwise(starts)]
    assert len(groups) == len(np.unique(numbers))
    for group in groups:
        assert (np.diff(group) > 0).all()
        assert len(set(numbers[group])) == 1
    order = random.permutation(len(groups)).astype(np.int32)
    members, starts = groups_in_order(members, starts, order)
    for place, group in enumerate(order):
        assert np.array_equal(members[starts[place] : starts[place + 1]], groups[group])


def test_rows_that_all_differ_stay_in_their_order():
    members, starts = group_identical(np.random.default_rng(0).normal(size=(500, 2)))
    assert np.array_equal(members, np.arange(500))
    assert np.array_equal(starts, np.arange(501))
