"""Colours of pictures that the server draws; the page has the same ones.

Continuous and diverging scales are matplotlib's viridis and a blue to orange one; categories are
those of Okabe and Ito, told apart by people who see few colours.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from .colouring import MISSING, STEPS, Bytes
from .messages import Legend

Theme = Literal["light", "dark"]
BACKGROUND = {"light": (255, 255, 255), "dark": (17, 20, 24)}
NO_VALUE = {"light": (190, 194, 200), "dark": (74, 80, 88)}
CONTINUOUS = (
    (68, 1, 84), (71, 44, 122), (59, 81, 139), (44, 113, 142), (33, 144, 141), (39, 173, 129),
    (92, 200, 99), (170, 220, 50), (253, 231, 37),
)  # fmt: skip
DIVERGING = {
    "light": ((33, 102, 172), (146, 197, 222), (232, 232, 232), (244, 165, 96), (178, 82, 24)),
    "dark": ((80, 160, 240), (60, 100, 150), (70, 74, 80), (160, 100, 50), (250, 160, 70)),
}
CATEGORIES = (
    (0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167), (86, 180, 233), (213, 94, 0),
    (240, 228, 66), (120, 120, 120),
)  # fmt: skip


def palette(legend: Legend, theme: Theme) -> Bytes:
    """Return [256, 3] uint8, the colour of every byte of a colouring."""
    colours = np.empty((256, 3), dtype=np.uint8)
    if legend.kind == "categories":
        colours[:] = np.resize(np.array(CATEGORIES, dtype=np.uint8), (256, 3))
    else:
        stops = CONTINUOUS if legend.kind == "continuous" else DIVERGING[theme]
        colours[: STEPS + 1] = _between(np.array(stops, dtype=np.float64))
    colours[MISSING] = NO_VALUE[theme]
    return colours


def _between(stops: np.ndarray) -> Bytes:
    places = np.linspace(0, len(stops) - 1, STEPS + 1)
    found = [np.interp(places, np.arange(len(stops)), stops[:, part]) for part in range(3)]
    return np.rint(np.stack(found, axis=1)).astype(np.uint8)
