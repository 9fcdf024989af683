"""Indexes as plain settings and arrays, so that one that was built is mapped from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from ..arguments import choice, number
from ..arrays import Array
from ..errors import BundleError, InputError
from ..kernels.knn.distances import Groups
from ..kernels.knn.projection import Projection
from ..kernels.knn.simd import BOX_LANES, POINT_LANES
from ..kernels.knn.tree import Tree
from .dense import DenseIndex
from .index import NeighborIndex
from .tree import TreeIndex, TreeParts
from .tree_layout import first_children

LAYOUT = f"{POINT_LANES}-{BOX_LANES}-1"
"""How trees are laid out in arrays; one of another layout is built again from its rows."""


StoredIndex: TypeAlias = TreeIndex | DenseIndex


def pack_index(index: NeighborIndex) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the settings and arrays of an index that serves single queries."""
    if isinstance(index, TreeIndex):
        return _pack_tree(index.parts)
    if isinstance(index, DenseIndex):
        return {"engine": "dense"}, {"rows": _rows_in_order(index.groups)}
    raise InputError("index", "a tree or a dense index to be saved", type(index).__name__)


def unpack_index(settings: Mapping[str, Any], arrays: Mapping[str, Array]) -> StoredIndex:
    """Return the index; arrays of a tree are used where they are."""
    if choice("engine", settings["engine"], ("tree", "dense")) == "dense":
        return DenseIndex(_checked_rows(arrays["rows"]))
    groups = Groups(*(arrays[f"groups.{name}"] for name in Groups._fields))
    _check_groups(groups)
    if settings["layout"] != LAYOUT:
        return TreeIndex(_rows_in_order(groups))
    return _tree_of(settings, arrays, groups)


def rows_of(index: NeighborIndex) -> Array:
    """Return the rows [N, D] that an index was built over, as they were given to it."""
    if isinstance(index, TreeIndex):
        return _rows_in_order(index.parts.tree.groups)
    if isinstance(index, DenseIndex):
        return _rows_in_order(index.groups)
    raise InputError("index", "a tree or a dense index", type(index).__name__)


def _pack_tree(parts: TreeParts) -> tuple[dict[str, Any], dict[str, Array]]:
    tree, projection = parts.tree, parts.projection
    settings = {
        "engine": "tree",
        "layout": LAYOUT,
        "scale": projection.scale,
        "margin": parts.margin,
    }
    arrays = {
        "mean": projection.mean,
        "rotation": projection.rotation,
        "first_child": tree.first_child,
        "boxes": tree.boxes,
        "leaves": tree.leaves,
        "far_norms": tree.far_norms,
        **{f"groups.{name}": part for name, part in tree.groups._asdict().items()},
    }
    return settings, arrays


def _tree_of(settings: Mapping[str, Any], arrays: Mapping[str, Array], groups: Groups) -> TreeIndex:
    """Return a tree whose parts fit together."""
    scale = number("scale", settings["scale"], above=0.0)
    margin = number("margin", settings["margin"], least=0.0)
    projection = Projection(arrays["mean"], arrays["rotation"], scale)
    tree = Tree(
        arrays["first_child"], arrays["boxes"], arrays["leaves"], groups, arrays["far_norms"]
    )
    _check_tree(tree, projection)
    return TreeIndex.of_parts(TreeParts(projection, margin, tree))


def _check_tree(tree: Tree, projection: Projection) -> None:
    """Raise an error unless a search stays inside of the arrays, whatever their numbers."""
    dimensions = tree.groups.rows.shape[1]
    leaves = -(-(len(tree.groups.rows) - len(tree.far_norms)) // POINT_LANES)
    children = first_children(leaves)
    whole = (
        leaves > 0
        and projection.mean.shape == (dimensions,)
        and projection.rotation.ndim == 2
        and len(projection.rotation) == dimensions
        and tree.leaves.ndim == 3
        and projection.rotation.shape[1] <= tree.leaves.shape[1]
        and tree.leaves.shape[::2] == (leaves, POINT_LANES)
        and tree.boxes.ndim == 4
        and tree.boxes.shape[0] == len(children) - 1
        and tree.boxes.shape[1] <= tree.leaves.shape[1]
        and tree.boxes.shape[2:] == (2, BOX_LANES)
        and tree.far_norms.ndim == 1
        and np.array_equal(tree.first_child, children)
    )
    types: list[tuple[str, Array]] = [
        ("<i8", tree.first_child),
        ("<f4", tree.boxes),
        ("<f4", tree.leaves),
        ("<f8", tree.far_norms),
        ("<f8", projection.mean),
        ("<f8", projection.rotation),
    ]
    kept = all(array.dtype.str == kind for kind, array in types)
    if not (whole and kept):
        raise BundleError("its search tree does not fit together.")


def _check_groups(groups: Groups) -> None:
    _checked_rows(groups.rows)
    starts, members = groups.starts, groups.members
    whole = (
        starts.shape == (len(groups.rows) + 1,)
        and members.ndim == 1
        and starts[0] == 0
        and starts[-1] == len(members)
        and bool((np.diff(starts) > 0).all())
        and members.min() == 0
        and bool((np.bincount(members, minlength=1) == 1).all())
        and starts.dtype.str == members.dtype.str == "<i4"
    )
    if not whole:
        raise BundleError("its rows do not fit together.")


def _checked_rows(rows: Array) -> Array:
    if rows.ndim != 2 or rows.dtype.str not in ("<f4", "<f8") or not len(rows):
        raise BundleError("its rows are not rows of numbers.")
    if not np.isfinite(rows).all():
        raise BundleError("a feature is not a finite number.")
    return rows


def _rows_in_order(groups: Groups) -> Array:
    """Return the rows [N, D] as they were given to the index."""
    rows = np.empty((len(groups.members), groups.rows.shape[1]), groups.rows.dtype)
    rows[groups.members] = np.repeat(groups.rows, np.diff(groups.starts), axis=0)
    return rows
