"""Rounding of floating numbers: one name for each constant."""

from __future__ import annotations

FLOAT32_EPSILON = 2.0**-23
"""Gap between 1 and the next float32."""
FLOAT32_UNIT = 2.0**-24
"""Largest share by which rounding to float32 changes a number (unit roundoff)."""
