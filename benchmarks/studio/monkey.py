"""Random clicks, keys and slides on a studio: `python -m benchmarks.studio.monkey --minutes 20`.

What must hold: no error in the page or of the server, and no growth of either's memory.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import deepaveragers as da
from benchmarks.studio.chromium import chromium
from benchmarks.studio.models import MODELS
from benchmarks.studio.server import serving
from benchmarks.studio.visits import Visit, visit

KEYS = ("Enter", ".", ",", "g", "Escape", "+", "-", "0", "ArrowLeft", "ArrowUp", "Control+z")
LEFT_ALONE = "[download], :disabled, .copied button, form.entry button"
"""What writes files or leaves the page."""
REST_MS = 30
MEASURED_EVERY_SECONDS = 60.0


class Monkey:
    """Does something to a tab that anybody could do, chosen by chance."""

    def __init__(self, tab: Visit, seed: int) -> None:
        self.page, self._random = tab.page, random.Random(seed)
        self.deeds = 0

    def act(self) -> None:
        """Do one thing."""
        deeds = (self._click, self._slide, self._choose, self._map, self._map, self._type)
        self._random.choice(deeds)()
        self.deeds += 1
        self.page.wait_for_timeout(REST_MS)

    def _one(self, selector: str) -> Any | None:
        found = self.page.locator(selector)
        total = found.count()
        if total == 0:
            return None
        chosen = found.nth(self._random.randrange(total))
        return chosen if chosen.is_visible() else None

    def _click(self) -> None:
        one = self._one(f"button:not({LEFT_ALONE}), summary, input[type=checkbox]:not(:disabled)")
        if one is not None:
            one.evaluate("element => element.click()")

    def _slide(self) -> None:
        one = self._one("input[type=range]:not(:disabled)")
        if one is not None:
            one.evaluate(
                """(slider, share) => {
                    slider.value = Number(slider.min) + share * (slider.max - slider.min);
                    slider.dispatchEvent(new Event("input", { bubbles: true }));
                    slider.dispatchEvent(new Event("change", { bubbles: true }));
                }""",
                self._random.random(),
            )

    def _choose(self) -> None:
        one = self._one("select")
        if one is None:
            return
        one.evaluate(
            """(select, share) => {
                select.selectedIndex = Math.floor(share * select.options.length);
                select.dispatchEvent(new Event("change", { bubbles: true }));
            }""",
            self._random.random(),
        )

    def _map(self) -> None:
        box = self.page.locator("#map").bounding_box()
        if box is None:
            return
        x = box["x"] + self._random.uniform(10, box["width"] - 10)
        y = box["y"] + self._random.uniform(60, box["height"] - 10)
        deed = self._random.randrange(4)
        if deed == 0:
            self.page.mouse.click(x, y)
        elif deed == 1:
            self.page.mouse.move(x, y)
            self.page.mouse.wheel(0, self._random.uniform(-400, 400))
        elif deed == 2:
            self.page.mouse.move(x, y)
            self.page.mouse.down()
            self.page.mouse.move(box["x"] + 80, box["y"] + 90, steps=4)
            self.page.mouse.move(box["x"] + 200, box["y"] + 150, steps=4)
            self.page.mouse.up()
        else:
            self.page.locator("#map").focus()
            self.page.keyboard.press(self._random.choice(KEYS))

    def _type(self) -> None:
        one = self._one("input[type=number]:not(:disabled)")
        if one is not None:
            one.evaluate(
                """(field, text) => {
                    field.value = text;
                    field.dispatchEvent(new Event("change", { bubbles: true }));
                }""",
                self._random.choice(["0", "1", "0.5", "-3", "1e9", "", "0.9"]),
            )


def page_megabytes(tab: Visit) -> float:
    """Return the page's JavaScript heap after a collection of what is no longer used."""
    session = tab.page.context.new_cdp_session(tab.page)
    session.send("HeapProfiler.collectGarbage")
    used = tab.page.evaluate("performance.memory.usedJSHeapSize")
    session.detach()
    return used / 2**20


def main() -> None:
    """Let the monkey loose, and say what became of the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--model", choices=MODELS, default="cartpole")
    parser.add_argument("--states", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        model = Path(folder, asked.model)
        da.save(MODELS[asked.model](asked.states), model)
        with serving(model) as server:
            tab = visit(browser, server.address)
            monkey = Monkey(tab, asked.seed)
            began, measured = time.monotonic(), -MEASURED_EVERY_SECONDS
            while (now := time.monotonic() - began) < 60 * asked.minutes:
                if now - measured >= MEASURED_EVERY_SECONDS:
                    measured = now
                    figures = {
                        "minute": round(now / 60, 1),
                        "deeds": monkey.deeds,
                        "page_megabytes": round(page_megabytes(tab), 1),
                        "server_megabytes": round(server.resident_megabytes),
                        "complaints": len(tab.complaints),
                    }
                    print(json.dumps(figures), flush=True)
                monkey.act()
            complaints = list(tab.complaints)
            tab.page.context.close()
            print("\n".join([*complaints, f"{monkey.deeds} deeds, {len(complaints)} complaints"]))


if __name__ == "__main__":
    main()
