"""Ours and the peers behind one shape: build an index over rows, then ask it for k rows.

Each peer is imported when it is built. Settings are those of a careful user; queries and rows
are float32, except where a library only takes float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import deepaveragers as da
from benchmarks.arrays import Array, Float32, Floats

Ask = Callable[[Float32, int], Array]
Build = Callable[[Float32, int], Ask]
WIDEST_TREE = 16
"""Beyond these dimensions scikit-learn is asked for brute force, as its own rule has it."""


@dataclass(frozen=True)
class Engine:
    """A way to search.

    Attributes:
        title: as it stands in the table.
        build: from rows [N, D] and a number of threads to a function of points [B, D] and k.
        needs: module to import; an engine without it is left out.
        exact: whether it promises the true neighbours.
    """

    title: str
    build: Build
    needs: str = "scipy"
    exact: bool = True


def _ours(name: str) -> Build:
    def build(rows: Float32, threads: int) -> Ask:
        index = da.neighbor_index(rows, name)
        return lambda points, k: index.query(points, k, threads=threads)[0]

    return build


def _scipy(rows: Float32, threads: int) -> Ask:
    from scipy.spatial import cKDTree

    tree = cKDTree(rows)
    return lambda points, k: tree.query(points, k, workers=threads)[1]


def _scipy_rotated(rows: Float32, threads: int) -> Ask:
    from scipy.spatial import cKDTree

    mean = rows.mean(axis=0, dtype=np.float64)
    centred = rows - mean
    _, vectors = np.linalg.eigh(centred.T @ centred)
    rotation: Floats = vectors[:, ::-1]
    tree = cKDTree(centred @ rotation)
    return lambda points, k: tree.query((points - mean) @ rotation, k, workers=threads)[1]


def _scikit_learn(rows: Float32, threads: int) -> Ask:
    from sklearn.neighbors import NearestNeighbors

    algorithm = "kd_tree" if rows.shape[1] <= WIDEST_TREE else "brute"
    index = NearestNeighbors(algorithm=algorithm, n_jobs=threads).fit(rows)
    return lambda points, k: index.kneighbors(points, k, return_distance=False)


def _pykdtree(rows: Float32, threads: int) -> Ask:
    from pykdtree.kdtree import KDTree

    tree = KDTree(rows)  # Threads: OMP_NUM_THREADS.
    return lambda points, k: tree.query(points, k)[1].astype(np.int64)


def _faiss(rows: Float32, threads: int, index: Any) -> Ask:
    import faiss

    faiss.omp_set_num_threads(threads)
    index.add(rows)
    return lambda points, k: index.search(points, k)[1]


def _faiss_flat(rows: Float32, threads: int) -> Ask:
    import faiss

    return _faiss(rows, threads, faiss.IndexFlatL2(rows.shape[1]))


def _faiss_hnsw(rows: Float32, threads: int) -> Ask:
    import faiss

    index = faiss.IndexHNSWFlat(rows.shape[1], 16)
    index.hnsw.efConstruction, index.hnsw.efSearch = 100, 48
    return _faiss(rows, threads, index)


def _pynndescent(rows: Float32, threads: int) -> Ask:
    from pynndescent import NNDescent

    index = NNDescent(rows, n_neighbors=15, n_jobs=threads, random_state=0)
    index.prepare()
    return lambda points, k: index.query(points, k)[0]


ENGINES = {
    "tree": Engine("deepaveragers tree", _ours("tree")),
    "dense": Engine("deepaveragers dense", _ours("dense")),
    "scipy": Engine("scipy cKDTree", _scipy),
    "scipy-rotated": Engine("scipy cKDTree, PCA-rotated", _scipy_rotated),
    "scikit-learn": Engine("scikit-learn", _scikit_learn, "sklearn"),
    "pykdtree": Engine("pykdtree", _pykdtree, "pykdtree"),
    "faiss-flat": Engine("faiss Flat", _faiss_flat, "faiss"),
    "faiss-hnsw": Engine("faiss HNSW (M 16, ef 48)", _faiss_hnsw, "faiss", exact=False),
    "pynndescent": Engine("pynndescent", _pynndescent, "pynndescent", exact=False),
}
