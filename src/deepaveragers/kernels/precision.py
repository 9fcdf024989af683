"""Rounding of floating numbers: one name for each constant."""

from __future__ import annotations

FLOAT32_EPSILON = 2.0**-23
"""Gap between 1 and the next float32."""
FLOAT32_UNIT = 2.0**-24
"""Largest share by which rounding to float32 changes a number (unit roundoff)."""
FLOAT64_UNIT = 2.0**-53
"""Largest share by which rounding to float64 changes a number."""
SMALLEST_FLOAT32, SMALLEST_FLOAT64 = 2.0**-149, 2.0**-1074
"""The gaps between the numbers nearest to 0."""
