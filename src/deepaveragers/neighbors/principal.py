"""The frame in which engines filter: leading principal coordinates, and the norm of the rest.

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

from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Float64, Floats
from ..kernels.frame import CUT, FARTHEST, FLOAT32_ROUNDING, farthest, to_frame
from ..parallel import share

SMALLEST_SAMPLE, SAMPLE_PER_DIMENSION, SAMPLE = 1000, 50, 10_000
"""Rows that decide the frame: so many, and more with the dimensions, up to so many."""
MOST_DECIDING = 1_500
"""Rows that decide where there are more dimensions than this: finding the directions takes time
with the cube of the rows or of the dimensions, whichever are fewer."""
BLOCK_NUMBERS = 4_000_000
NARROW = 64
"""Up to here no matrix product: its threads would go on waiting for more, in the way of ours."""


@dataclass(frozen=True, eq=False)
class PrincipalFrame:
    """A point x goes to ((x - mean) * scale) @ rotation, and the norm of what that leaves.

    Attributes:
        mean: [D].
        rotation: [D, F] leading principal directions, F <= D.
        scale: a power of two.
    """

    mean: Float64
    rotation: Float64
    scale: float

    def coordinates(
        self, points: Floats, width: int, *, threads: int = 1
    ) -> tuple[Float32, Float64]:
        """Return filter coordinates [B, width], filled up with zeros, and margins [B].

        The margin is how far rounding may have moved the coordinates of a point. Those that
        float32 cannot square are cut off, and gaps to the centre that float64 cannot; for rows
        within the frame the bound stays right.
        """
        dimensions = len(self.mean)
        points = np.ascontiguousarray(points)
        out = np.zeros((len(points), width), dtype=np.float32)
        margins = np.empty(len(points))
        if dimensions > NARROW:
            self._multiply(points, out, margins)
            return out, margins

        def work(part: slice) -> None:
            frame = self.mean, self.rotation, self.scale
            to_frame(points[part], *frame, out[part], margins[part])

        share(work, len(points), threads)
        return out, margins

    def _multiply(self, points: Floats, out: Float32, margins: Float64) -> None:
        """Do the same by matrix products, in the threads of the linear algebra library."""
        dimensions, kept = self.rotation.shape
        block = max(1, BLOCK_NUMBERS // dimensions)
        for start in range(0, len(points), block):
            part = slice(start, start + block)
            with np.errstate(over="ignore"):
                centred = (points[part] - self.mean) * self.scale
            np.clip(centred, -CUT, CUT, out=centred)
            rotated = centred @ self.rotation
            squared = np.einsum("ij,ij->i", centred, centred)
            if kept < dimensions:
                left = squared - np.einsum("ij,ij->i", rotated, rotated)
                out[part, kept] = np.minimum(np.sqrt(np.maximum(left, 0.0)), FARTHEST)
            np.sqrt(squared, out=margins[part])
            if margins[part].max(initial=0.0) > FARTHEST:
                rotated = np.clip(rotated, -FARTHEST, FARTHEST)
            out[part, :kept] = rotated
        margins *= FLOAT32_ROUNDING
        if kept < dimensions:
            margins *= 1.0 + np.sqrt(dimensions) / 2.0


def principal_frame(rows: Floats, directions: int, *, explained: float = 1.0) -> PrincipalFrame:
    """Fit the frame: the principal directions, at most so many.

    With `explained`, only the leading ones that hold this share of the variance, unless that
    takes more than half of them: then all.
    """
    dimensions = rows.shape[1]
    some, enough = rows, min(SAMPLE, SMALLEST_SAMPLE + SAMPLE_PER_DIMENSION * dimensions)
    if dimensions > MOST_DECIDING:
        enough = MOST_DECIDING
    if len(rows) > enough:
        some = rows.take(np.random.default_rng(0).integers(0, len(rows), enough), axis=0)
    mean = some.mean(axis=0, dtype=np.float64)
    sample = some - mean
    largest = farthest(rows, mean)
    scale = 2.0 ** -np.floor(np.log2(largest)) if largest > 0 else 1.0
    sample *= scale
    few = len(sample) < dimensions > NARROW
    values, vectors = np.linalg.eigh(sample @ sample.T if few else sample.T @ sample)
    shares = np.cumsum(values[::-1])
    needed = int(np.searchsorted(shares, explained * shares[-1])) + 1
    if explained < 1.0 and needed <= directions // 2:
        directions = needed
    leading = vectors[:, ::-1][:, :directions]
    if few:
        # Rows of the sample, combined; rounding is left in small ones, and taken out by this.
        leading = np.linalg.qr(sample.T @ leading)[0]
    return PrincipalFrame(mean, np.ascontiguousarray(leading), float(scale))
