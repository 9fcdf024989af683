"""python -m experiments.method_picture: draws docs/images/method.svg, the method in 3 panels."""

from __future__ import annotations

import math
from pathlib import Path

GREY, ORANGE, BLUE, GREEN = "#8a8f98", "#ef6c00", "#5c6bc0", "#2e9e6b"
MARKERS = {GREY: "g", ORANGE: "o", BLUE: "i"}
LOG = (
    (((40, 90), (95, 70), (150, 95), (215, 75)), (ORANGE, BLUE, ORANGE)),
    (((50, 160), (110, 150), (165, 175), (235, 150)), (ORANGE, BLUE, BLUE)),
    (((60, 235), (120, 225), (180, 240), (245, 220)), (ORANGE, ORANGE, BLUE)),
)
"""Logged episodes: their states, and the action between each two."""
CASES = (((385, 120), (455, 85)), ((470, 195), (540, 215)), ((400, 205), (370, 250)))
OUTCOMES = (((780, 75), 0.5), ((830, 160), 0.3), ((770, 235), 0.2))
Point = tuple[float, float]


def words(x: float, y: float, text: str, colour: str = GREY, anchor: str = "middle") -> str:
    """Return a line of text, bold unless it is grey or a number."""
    weight = "normal" if colour in (GREY, ORANGE) else "bold"
    return (
        f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{text}</text>'
    )


def state(at: Point, radius: int = 5, colour: str = GREY) -> str:
    """Return a state."""
    return (
        f'<circle cx="{at[0]}" cy="{at[1]}" r="{radius}" fill="{colour}" '
        f'stroke="{colour}" stroke-width="2"/>'
    )


def ends(start: Point, end: Point, gaps: Point = (8, 9)) -> tuple[Point, Point]:
    """Return where an arrow between two states begins and ends, so that it touches neither."""
    length = math.dist(start, end)
    x, y = ((b - a) / length for a, b in zip(start, end, strict=True))
    begin = (start[0] + gaps[0] * x, start[1] + gaps[0] * y)
    return begin, (end[0] - gaps[1] * x, end[1] - gaps[1] * y)


def arrow(line: tuple[Point, Point], colour: str, width: float = 2, extra: str = "") -> str:
    """Return an arrow."""
    (a, b), (c, d) = line
    return (
        f'<path d="M{a:.1f} {b:.1f} L{c:.1f} {d:.1f}" stroke="{colour}" stroke-width="{width}" '
        f'fill="none" marker-end="url(#{MARKERS[colour]})"{extra}/>'
    )


def log() -> list[str]:
    """Return the first panel: what was logged."""
    steps = [
        (a, b, colour)
        for states, actions in LOG
        for a, b, colour in zip(states, states[1:], actions, strict=False)
    ]
    arrows = [arrow(ends(a, b), colour) for a, b, colour in steps]
    points = [state(at) for states, _ in LOG for at in states]
    below = words(150, 280, "two actions: blue and orange arrows")
    return [words(150, 24, "1  the log", BLUE), *arrows, *points, below]


def cases() -> list[str]:
    """Return the second panel: the nearest logged cases of an action."""
    here = (430, 150)
    circle = (
        f'<circle cx="430" cy="150" r="76" fill="none" stroke="{GREY}" stroke-dasharray="4 5"/>'
    )
    parts = [words(450, 24, "2  what would orange do here?", BLUE), circle]
    for began, led in CASES:
        parts += [arrow(ends(began, led), ORANGE), state(began), state(led)]
        parts += [arrow(ends(here, began, (10, 9)), GREY, 1.5, ' stroke-dasharray="3 4"')]
    parts += [state(here, 8, GREEN), words(444, 140, "s", GREEN, "start")]
    parts += [words(372, 116, "d₁", anchor="end"), words(484, 190, "d₂", anchor="start")]
    parts += [words(388, 210, "d₃", anchor="end")]
    return [*parts, words(450, 280, "the k nearest cases; distance costs")]


def mdp() -> list[str]:
    """Return the third panel: the finite MDP that they make."""
    here, parts = (650, 150), [words(755, 24, "3  a finite MDP", BLUE)]
    for (x, y), weight in OUTCOMES:
        (a, b), (c, d) = line = ends(here, (x, y), (12, 10))
        parts += [arrow(line, ORANGE, round(1 + 4 * weight, 1))]
        parts += [words(round((a + c) / 2), round((b + d) / 2 - 9), f"{weight}", ORANGE)]
        parts += [state((x, y)), arrow(ends((x, y), (x + 55, y - 14)), BLUE)]
        parts += [arrow(ends((x, y), (x + 52, y + 22)), ORANGE)]
    parts += [state(here, 8, GREEN), words(636, 155, "s", GREEN, "end")]
    return [*parts, words(755, 280, "every logged next state is a state")]


def picture() -> str:
    """Return the picture as SVG."""
    heads = "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="{colour}"/></marker>'
        for colour, name in MARKERS.items()
    )
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 300" font-family="sans-serif"'
    parts = [f'{head} font-size="14">', f"<defs>{heads}</defs>", *log(), *cases(), *mdp(), "</svg>"]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    Path("docs/images/method.svg").write_text(picture())
