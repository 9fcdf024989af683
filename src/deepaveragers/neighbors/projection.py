"""The coordinates in which engines filter: leading principal ones, and the norm of the rest.

A rotation keeps distances, and its leading coordinates hold most of them, so a few numbers
tell most points apart. With P the projection on the leading directions,

    |q - x|^2  >=  |P q - P x|^2 + (|q - P q| - |x - P x|)^2,

which every engine uses as its lower bound. Rows are scaled by a power of two to a norm near 1
(exact, and it keeps float32 in range).

Rounding to float32 moves the leading coordinates of x by at most 2^-24 |x|, and the float64
steps before that by far less. The norm of the rest, sqrt(|x|^2 - |P x|^2), is moved by up to
sqrt(D 2^-52) |x|, by cancellation. Margins are twice these or more.

Any centre and orthonormal rotation would do: a sample of the rows decides these.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float32, Float64, Floats, column_range
from ..kernels.jit import plain
from ..kernels.knn.projection import CUT, FARTHEST, Projection, project
from ..kernels.precision import FLOAT32_EPSILON
from .tuning import TUNING, Tuning


def coordinates_of(
    points: Floats, projection: Projection, width: int, *, tuning: Tuning = TUNING
) -> tuple[Float32, Float64]:
    """Return filter coordinates [B, width], filled up with zeros, and margins [B].

    The margin is how far rounding may have moved the coordinates of a point. Those that
    float32 cannot square are cut off, and gaps to the centre that float64 cannot; for rows
    like those that the projection was fitted to, the bound stays right.
    """
    coordinates = np.zeros((len(points), width), dtype=np.float32)
    margins = np.empty(len(points))
    if len(projection.mean) > tuning.product_dimensions:
        _multiply(points, projection, coordinates, margins, tuning.product_numbers)
    else:
        # A copy, and a plain tuple: the kernel is compiled for arguments of one kind only.
        own = np.array(points, np.float64, order="C")
        project(own, plain(projection), coordinates, margins)
    return coordinates, margins


def _multiply(
    points: Floats, projection: Projection, out: Float32, margins: Float64, numbers: int
) -> None:
    """Project by matrix products, in the threads of the linear algebra library."""
    mean, rotation, scale = projection
    dimensions, kept = rotation.shape
    block = max(1, numbers // dimensions)
    for start in range(0, len(points), block):
        part = slice(start, start + block)
        with np.errstate(over="ignore"):
            centred = (points[part] - mean) * scale
        np.clip(centred, -CUT, CUT, out=centred)
        rotated = centred @ rotation
        squared = np.einsum("ij,ij->i", centred, centred)
        if kept < dimensions:
            left = squared - np.einsum("ij,ij->i", rotated, rotated)
            out[part, kept] = np.minimum(np.sqrt(np.maximum(left, 0.0)), FARTHEST)
        np.sqrt(squared, out=margins[part])
        if margins[part].max(initial=0.0) > FARTHEST:
            rotated = np.clip(rotated, -FARTHEST, FARTHEST)
        out[part, :kept] = rotated
    margins *= FLOAT32_EPSILON
    if kept < dimensions:
        margins *= 1.0 + np.sqrt(dimensions) / 2.0


def fit_projection(
    rows: Floats, directions: int, *, explained: float = 1.0, tuning: Tuning = TUNING
) -> Projection:
    """Return the projection on the leading principal directions, at most so many.

    With `explained`, only the leading ones that hold this share of the variance, unless that
    takes more than half of them: then all.
    """
    dimensions = rows.shape[1]
    enough = tuning.projection_rows + tuning.projection_rows_per_dimension * dimensions
    enough = min(enough, tuning.most_projection_rows)
    if dimensions > tuning.most_rows_if_wide:
        enough = tuning.most_rows_if_wide
    some = rows
    if len(rows) > enough:
        some = rows.take(np.random.default_rng(0).integers(0, len(rows), enough), axis=0)
    mean = some.mean(axis=0, dtype=np.float64)
    sample = some - mean
    lowest, highest = column_range(rows)
    largest = float(max((highest - mean).max(), (mean - lowest).max()))
    scale = 2.0 ** -np.floor(np.log2(largest)) if largest > 0 else 1.0
    sample *= scale
    few = len(sample) < dimensions > tuning.product_dimensions
    values, vectors = np.linalg.eigh(sample @ sample.T if few else sample.T @ sample)
    shares = np.cumsum(values[::-1])
    needed = int(np.searchsorted(shares, explained * shares[-1])) + 1
    if explained < 1.0 and needed <= directions // 2:
        directions = needed
    leading = vectors[:, ::-1][:, :directions]
    if few:
        # Rows of the sample, combined; rounding is left in small ones, and taken out by this.
        leading = np.linalg.qr(sample.T @ leading)[0]
    return Projection(mean, np.ascontiguousarray(leading), float(scale))
