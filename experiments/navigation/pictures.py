"""Top-down pictures of rooms and rollouts, and films of what the agent sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from .rooms import NavigationRoom

COLORS = ("#1f1f1f", "#d1495b")
FILM_SCALE = 3
FILM_MILLISECONDS = 150


def from_above(room: NavigationRoom) -> tuple[Image.Image, dict[str, float]]:
    """Return the room seen from above, and the scale from metres to pixels."""
    pixels, scale = room.render_top_view(room.vis_fb, render_agent=False, return_scale=True)
    return Image.fromarray(np.ascontiguousarray(pixels)), scale


def draw_paths(room: NavigationRoom, paths: Mapping[str, Sequence[np.ndarray]], path: Path) -> None:
    """Draw the rollouts of two policies in one picture: the first solid, the second dotted.

    Args:
        room: the room.
        paths: for each policy's name, poses [T + 1, 3] of some episodes.
        path: where the PNG goes.
    """
    picture, scale = from_above(room)
    canvas = ImageDraw.Draw(picture)
    for number, (name, episodes) in enumerate(paths.items()):
        color = COLORS[number]
        for poses in episodes:
            dots = [
                (x * scale["x_scale"] + scale["x_offset"], z * scale["z_scale"] + scale["z_offset"])
                for x, z, _ in poses
            ]
            _line(canvas, dots, color, dotted=number > 0)
            x, z = dots[0]
            canvas.ellipse((x - 4, z - 4, x + 4, z + 4), fill=color)
        canvas.text((8, 6 + 14 * number), ("solid: " if number == 0 else "dotted: ") + name, color)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.quantize(64).save(path, optimize=True)


def _line(
    canvas: ImageDraw.ImageDraw, dots: list[tuple[float, float]], color: str, dotted: bool
) -> None:
    for (x, z), (next_x, next_z) in pairwise(dots):
        if not dotted:
            canvas.line((x, z, next_x, next_z), fill=color, width=3)
            continue
        pieces = max(1, int(np.hypot(next_x - x, next_z - z) / 6))
        for piece in np.linspace(0, 1, pieces, endpoint=False):
            dot = x + piece * (next_x - x), z + piece * (next_z - z)
            canvas.ellipse((dot[0] - 2, dot[1] - 2, dot[0] + 2, dot[1] + 2), fill=color)


def draw_room(room: NavigationRoom, path: Path) -> None:
    """Draw the room from above with the agent at its start, and the agent's view beside it."""
    room.reset(seed=0)
    pixels = room.render_top_view(room.vis_fb)
    above = Image.fromarray(np.ascontiguousarray(pixels))
    view = Image.fromarray(room.render_obs()).resize((above.height, above.height))
    both = Image.new("RGB", (2 * above.height + 8, above.height), "white")
    both.paste(above, (0, 0))
    both.paste(view, (above.height + 8, 0))
    path.parent.mkdir(parents=True, exist_ok=True)
    both.quantize(64).save(path, optimize=True)


def film(room: NavigationRoom, poses: np.ndarray, path: Path) -> None:
    """Write a GIF of what the agent saw along the poses [T + 1, 3]."""
    frames = []
    for pose in poses:
        room.place(pose)
        seen = Image.fromarray(room.render_obs())
        size = (seen.width * FILM_SCALE, seen.height * FILM_SCALE)
        frames.append(seen.resize(size, Image.Resampling.NEAREST).quantize(48))
    path.parent.mkdir(parents=True, exist_ok=True)
    frames[0].save(
        path,
        save_all=True,
        append_images=frames[1:],
        duration=FILM_MILLISECONDS,
        loop=0,
        optimize=True,
    )
