"""Colours of pictures that the server draws; `studio/src/map/palette.ts` has the same ones.

Viridis for amounts, Okabe and Ito's set for actions, blue to orange around zero: colours that
people who see few of them tell apart.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..arrays import Float64
from .colouring import MISSING, STEPS, Bytes
from .messages import Legend

Theme = Literal["light", "dark"]
BACKGROUND = {"light": (255, 255, 255), "dark": (26, 32, 41)}
"""As the page's paper."""
NO_VALUE = {"light": (203, 208, 214), "dark": (72, 78, 88)}
REST = {"light": (150, 160, 172), "dark": (112, 121, 135)}
"""What a finding or a change does not concern; states without a value are fainter."""
CONTINUOUS = (
    (68, 1, 84), (71, 19, 101), (72, 36, 117), (70, 52, 128), (65, 68, 135), (59, 82, 139),
    (53, 95, 141), (47, 108, 142), (42, 120, 142), (37, 132, 142), (33, 145, 140), (30, 156, 137),
    (34, 168, 132), (47, 180, 124), (68, 191, 112), (94, 201, 98), (122, 209, 81), (155, 217, 60),
    (189, 223, 38), (223, 227, 24), (253, 231, 37),
)  # fmt: skip
DARK_FROM = 6
"""Of these, where the dark theme begins: the first ones could not be seen on its ground."""
AROUND_ZERO = {
    "light": ((33, 102, 172), (146, 197, 222), (232, 232, 232), (244, 165, 96), (178, 82, 24)),
    "dark": ((80, 160, 240), (60, 100, 150), (70, 74, 80), (160, 100, 50), (250, 160, 70)),
}
"""Blue for less, orange for more; the middle recedes into the theme's ground."""
CATEGORIES = (
    (0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167), (86, 180, 233), (213, 94, 0),
    (240, 228, 66), (140, 86, 60),
)  # fmt: skip
FLAGGED = (213, 94, 0)
"""What stands out from the rest."""
OF_ACTIONS = ("action", "logged")
"""Colourings whose categories are actions; in others the first category stays in the background."""


def palette(legend: Legend, theme: Theme) -> Bytes:
    """Return [256, 3] uint8, the colour of every byte of a colouring."""
    colours = np.empty((256, 3), dtype=np.uint8)
    if legend.kind != "categories":
        colours[: STEPS + 1] = _between(_stops(legend, theme))
    elif legend.by in OF_ACTIONS:
        colours[:] = _categories()
    else:
        colours[:] = FLAGGED
        colours[0] = REST[theme]
    colours[MISSING] = NO_VALUE[theme]
    return colours


def _stops(legend: Legend, theme: Theme) -> tuple[tuple[int, int, int], ...]:
    if legend.kind != "continuous":
        return AROUND_ZERO[theme]
    return CONTINUOUS[DARK_FROM:] if theme == "dark" else CONTINUOUS


def _categories() -> Float64:
    """Return [256, 3]: the set, then lighter and darker ones of it in turn."""
    places = np.arange(256)
    colours = np.array(CATEGORIES, dtype=np.float64)[places % len(CATEGORIES)]
    rounds = places // len(CATEGORIES)
    towards = np.where(rounds % 2 == 1, 255.0, 0.0)[:, None]
    return np.where((rounds > 0)[:, None], np.rint(0.6 * colours + 0.4 * towards), colours)


def _between(given: tuple[tuple[int, int, int], ...]) -> Bytes:
    stops = np.array(given, dtype=np.float64)
    places = np.linspace(0, len(stops) - 1, STEPS + 1)
    found = [np.interp(places, np.arange(len(stops)), stops[:, part]) for part in range(3)]
    return np.rint(np.stack(found, axis=1)).astype(np.uint8)
