"""The frame in which engines filter: leading principal coordinates, and the norm of the rest.

A rotation keeps distances, and its leading coordinates hold most of them, so a few numbers
tell most points apart. With P the projection on the leading directions,

    |q - x|^2  >=  |P q - P x|^2 + (|q - P q| - |x - P x|)^2,

which every engine uses as its lower bound. Rows are scaled by a power of two to a norm near 1
(exact, and it keeps float32 in range). Any orthonormal rotation would do: a sample of the
rows decides this one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Float64, Floats

SAMPLE = 50_000
BLOCK_NUMBERS = 4_000_000


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

    @property
    def residual(self) -> bool:
        """Whether a last coordinate holds the norm of what the rotation leaves."""
        return self.rotation.shape[0] > self.rotation.shape[1]

    def coordinates(self, rows: Floats, width: int) -> tuple[Float32, Float64]:
        """Return filter coordinates [N, width], filled up with zeros, and scaled norms [N]."""
        kept = self.rotation.shape[1]
        out = np.zeros((len(rows), width), dtype=np.float32)
        norms = np.empty(len(rows))
        block = max(1, BLOCK_NUMBERS // self.rotation.shape[0])
        for start in range(0, len(rows), block):
            part = slice(start, start + block)
            centred = (rows[part] - self.mean) * self.scale
            rotated = centred @ self.rotation
            out[part, :kept] = rotated
            norms[part] = np.sqrt(np.einsum("ij,ij->i", centred, centred))
            if self.residual:
                left = centred - rotated @ self.rotation.T
                out[part, kept] = np.sqrt(np.einsum("ij,ij->i", left, left))
        return out, norms


def principal_frame(rows: Floats, directions: int) -> PrincipalFrame:
    """Fit the frame: at most `directions` of the principal directions of the rows."""
    mean = rows.mean(axis=0, dtype=np.float64)
    sample = rows[:: max(1, len(rows) // SAMPLE)] - mean
    largest = max(float(np.abs(rows.max(axis=0) - mean).max()), _largest_below(rows, mean))
    scale = 2.0 ** -np.floor(np.log2(largest)) if largest > 0 else 1.0
    sample *= scale
    _, vectors = np.linalg.eigh(sample.T @ sample)
    rotation = np.ascontiguousarray(vectors[:, ::-1][:, :directions])
    return PrincipalFrame(mean, rotation, float(scale))


def _largest_below(rows: Floats, mean: Float64) -> float:
    return float(np.abs(rows.min(axis=0) - mean).max())
