"""The map as a picture, drawn here: for browsers without WebGL2, and to take away.

Later states cover earlier ones. The more states, the smaller their dots, so that a million take
hardly longer than a thousand.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from PIL import Image

from ..arguments import choice, number, whole_number
from ..arrays import Array, Float32
from ..errors import InputError
from .colouring import STEPS, Bytes
from .messages import Legend
from .palettes import BACKGROUND, Theme, palette

BARE = STEPS
"""The byte of a pixel without states; the highest value takes the shade below."""
LARGEST_SIDE = 4_096
"""Pixels of a side."""
DOT_STATES = ((2_000, 4), (20_000, 3), (150_000, 2), (600_000, 1))
"""Up to so many states, dots have this radius in pixels; beyond, they are single pixels."""


@dataclass(frozen=True)
class View:
    """The part of the plane that is shown, and the size of the picture."""

    left: float
    right: float
    bottom: float
    top: float
    width: int = 900
    height: int = 700
    theme: Theme = "light"

    def __post_init__(self) -> None:
        for name in ("left", "right", "bottom", "top"):
            number(name, getattr(self, name))
        if not (self.left < self.right and self.bottom < self.top):
            raise InputError("view", "left < right and bottom < top", "another")
        for name in ("width", "height"):
            if whole_number(name, getattr(self, name)) > LARGEST_SIDE:
                raise InputError(name, f"at most {LARGEST_SIDE}", getattr(self, name))
        choice("theme", self.theme, ("light", "dark"))


def map_picture(x: Float32, y: Float32, colours: Bytes, legend: Legend, view: View) -> bytes:
    """Return the map of states at x and y [N] with colours [N], as PNG."""
    across = view.width / (view.right - view.left)
    column = (x.astype(np.float64) - view.left) * across
    row = (view.top - y.astype(np.float64)) * (view.height / (view.top - view.bottom))
    shown = (column >= 0) & (column < view.width) & (row >= 0) & (row < view.height)
    radius = _radius(int(shown.sum()))
    # With a margin, so that dots at the edge need no care.
    width, height = view.width + 2 * radius, view.height + 2 * radius
    canvas = np.full(width * height, BARE, dtype=np.uint8)
    place = (row[shown].astype(np.int64) + radius) * width + column[shown].astype(np.int64) + radius
    seen = colours[shown]
    seen = np.where(seen == BARE, BARE - 1, seen)
    for shift in _dot(radius, width):
        canvas[place + shift] = seen
    inner = canvas.reshape(height, width)[radius : height - radius, radius : width - radius]
    shades = palette(legend, view.theme)
    shades[BARE] = BACKGROUND[view.theme]
    image = Image.fromarray(inner, mode="P")
    image.putpalette(shades.tobytes())
    return _png(image)


def nearest_state(x: Float32, y: Float32, at: tuple[float, float], view: View) -> int:
    """Return the state that is drawn nearest to a point of the plane; of several, the last one.

    It is drawn over the others.
    """
    across = (x.astype(np.float64) - number("px", at[0])) / (view.right - view.left) * view.width
    up = (y.astype(np.float64) - number("py", at[1])) / (view.top - view.bottom) * view.height
    apart = across**2 + up**2
    return len(apart) - 1 - int(np.argmin(apart[::-1]))


def png(picture: Array) -> bytes:
    """Return a picture [H, W] or [H, W, 3] uint8 as PNG."""
    return _png(Image.fromarray(np.ascontiguousarray(picture)))


def _png(image: Image.Image) -> bytes:
    content = io.BytesIO()
    image.save(content, format="PNG", compress_level=1)
    return content.getvalue()


def _radius(states: int) -> int:
    return next((radius for most, radius in DOT_STATES if states <= most), 0)


def _dot(radius: int, width: int) -> list[int]:
    """Return the pixels of a dot, from its middle, in lines of the given width."""
    around = range(-radius, radius + 1)
    return [y * width + x for y in around for x in around if x * x + y * y <= radius * radius]
