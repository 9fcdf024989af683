"""How quickly the page follows, in a real browser: `python -m benchmarks.studio.page MODEL`.

Opening: from the start of the server's process until the map stands, in a browser that is open
already and has nothing to do. Re-plans: from a slider's move to the recoloured map, without the
drawing itself, which is in software here. Freezes: the longest tasks of the page's thread while
it opens, and while one moves, hovers, selects, recolours and re-plans. `--openings 10` opens it
ten times, each in a browser of its own, and does no more.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from .chromium import chromium
from .monkey import page_megabytes
from .server import Server, serving
from .visits import WIDE, Visit

WATCH = """
window.longTasks = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.longTasks.push(Math.round(entry.duration));
}).observe({ type: "longtask", buffered: true });
"""
REPLANS = 30
SETTLING_MS = 1_500
STARTING_MS = 3_000
"""A browser that has just started is still busy."""
ALIKE_SECONDS = 5.0
DRAWING_MS = 700
"""Drawing in software takes both processors for a while: the next question waits for its end."""


def long_tasks(tab: Visit) -> list[int]:
    """Return the milliseconds of the tasks above 50 since the last call."""
    return tab.page.evaluate("window.longTasks.splice(0)")


def replans(tab: Visit) -> list[float]:
    """Return the milliseconds of round trips, one for each new place of the discount's slider."""
    slider = tab.page.get_by_label("Discount (gamma)", exact=True)
    slider.focus()
    found = []
    for _ in range(REPLANS):
        figures = tab.page.locator(".figures")
        before, began = figures.get_attribute("data-round-trip"), time.perf_counter()
        tab.page.keyboard.press("ArrowLeft")
        while (now := figures.get_attribute("data-round-trip")) == before:
            if time.perf_counter() - began > ALIKE_SECONDS:
                tab.certified()
                break  # the clock of browsers is coarse: two trips may take equally long
            tab.page.wait_for_timeout(5)
        found.append(float(now or "nan"))
        tab.page.wait_for_timeout(DRAWING_MS)
    return found


def moves(tab: Visit) -> dict[str, list[int]]:
    """Return the long tasks of everything that one does with the map."""
    page, found = tab.page, {}
    box = page.locator("#map").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def zooming() -> None:
        page.mouse.move(x, y)
        for _ in range(8):
            page.mouse.wheel(0, -150)

    def dragging() -> None:
        page.mouse.down()
        page.mouse.move(x + 150, y + 90, steps=20)
        page.mouse.up()

    def hovering() -> None:
        page.mouse.move(x - 100, y - 40, steps=40)

    def lasso() -> None:
        page.mouse.move(x - 90, y - 90)
        page.keyboard.down("Shift")
        page.mouse.down()
        for dx, dy in ((90, -90), (90, 90), (-90, 90)):
            page.mouse.move(x + dx, y + dy, steps=10)
        page.mouse.up()
        page.keyboard.up("Shift")

    deeds = (zooming, dragging, hovering, tab.choose_a_state, lasso)
    for deed in (*deeds, lambda: tab.colour_by("action")):
        deed()
        page.wait_for_timeout(SETTLING_MS)
        found[getattr(deed, "__name__", "").replace("<lambda>", "recolouring")] = long_tasks(tab)
    return found


def opened(tab: Visit, server: Server) -> dict[str, Any]:
    """Open the page, and return how that went."""
    tab.open(server.address)
    usable = time.perf_counter() - server.began
    tab.page.wait_for_timeout(2 * SETTLING_MS)
    return {
        "listening_seconds": round(server.ready - server.began, 2),
        "usable_seconds": round(usable, 2),
        "opening_long_tasks": long_tasks(tab),
    }


def measured(tab: Visit, server: Server) -> dict[str, Any]:
    """Return all figures of a model."""
    figures = opened(tab, server)
    trips = replans(tab)
    figures["replan_ms"] = {
        "median": round(float(np.median(trips)), 1),
        "p95": round(float(np.quantile(trips, 0.95)), 1),
    }
    figures["replanning_long_tasks"] = long_tasks(tab)
    figures |= {f"{name}_long_tasks": tasks for name, tasks in moves(tab).items()}
    figures["page_megabytes"] = round(page_megabytes(tab), 1)
    figures["server_megabytes"] = round(server.resident_megabytes)
    figures["complaints"] = list(tab.complaints)
    return figures


def main() -> None:
    """Measure one model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--openings", type=int, default=0, help="only open it, so many times")
    parser.add_argument("--python", default=sys.executable, help="of the server's environment")
    asked = parser.parse_args()
    for _ in range(asked.openings or 1):
        with chromium() as browser, browser.new_context(viewport=WIDE) as context:
            context.add_init_script(WATCH)
            tab = Visit(context.new_page())
            tab.page.wait_for_timeout(STARTING_MS)
            with serving(asked.model, asked.python) as server:
                figures = opened(tab, server) if asked.openings else measured(tab, server)
        print(json.dumps(figures, indent=None if asked.openings else 2), flush=True)


if __name__ == "__main__":
    main()
