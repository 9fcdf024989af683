"""Random clicks, keys and slides on a studio: `python -m benchmarks.studio.monkey --minutes 20`.

What must hold: no error in the page or of the server, and no growth of either's memory. Before the
clock starts, everything that loads much is used once, an estimate with its PyTorch and the kernels
of all kinds of questions too, and the server has as many plans as it keeps. After every minute of
clicks the monkey waits until the server is at rest, and memory is told; in the second half it may
rise by so much a minute as `MOST_SERVER` and `MOST_PAGE` say. The exit status is 1 if something
does not hold.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

import deepaveragers as da
from benchmarks.studio.chromium import chromium
from benchmarks.studio.growth import Growth
from benchmarks.studio.models import MODELS
from benchmarks.studio.server import Client, Server, serving
from benchmarks.studio.visits import Visit, visit

KEYS = ("Enter", ".", ",", "g", "Escape", "+", "-", "0", "ArrowLeft", "ArrowUp", "Control+z")
LEFT_ALONE = "[download], :disabled, .copied button, form.entry button"
"""What writes files or leaves the page."""
REST_MS, MINUTE = 30, 60.0
MOST_SERVER, MOST_PAGE = 2.0, 0.1
"""Megabytes a minute."""
ESTIMATING_MS = 180_000.0
"""That the first estimate may take."""
PLANS = 150
"""More than a server keeps of 45,000 states and two actions, or 8,000 and twenty candidates."""
KINDS: tuple[dict[str, float], ...] = (
    {}, {"worst_case": 0.1}, {"horizon": 20}, {"support": 0.3}, {"slip": 0.1},
    {"slip": 0.1, "worst_case": 0.1}, {"slip": 0.1, "horizon": 20},
)  # fmt: skip
"""Questions whose kernels are not the same; those with slip come last: rows cannot be asked."""
SLIPPED = 3
"""How many of them have slip."""
PYTORCH = "libtorch_cpu"
"""The library by which one sees that PyTorch is loaded."""


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


def warm_up(tab: Visit) -> None:
    """Use once what loads or compiles much: evidence, groups, comparisons, an estimate."""
    page = tab.page
    tab.choose_a_state()
    future = tab.button("Draw it on the map")
    if future.count():
        future.click()
    tab.button("In view").click()
    page.wait_for_selector(".group h4")
    page.locator("#map").focus()
    page.keyboard.press("Escape")
    pin(tab, "first")
    page.locator(".suggestions button").first.click()
    expect(page.locator(".question")).not_to_contain_text("The first question")
    tab.certified()
    pin(tab, "second")
    expect(page.locator(".pins li")).to_have_count(2)
    tab.panel("Compare")
    page.wait_for_selector(".compare .verdict")
    tab.panel("Data")
    page.wait_for_selector(".histogram")
    tab.panel("Trust")
    tab.button("Estimate it on held-out episodes").click()
    page.wait_for_selector(".judged", timeout=ESTIMATING_MS)


def fill(server: Server) -> None:
    """Ask all kinds of questions, and then so many that older plans give way."""
    client = Client(server.address)
    model = json.loads(client.get("/api/model"))
    kinds = KINDS[:-SLIPPED] if model["candidates"] else KINDS
    asked: list[dict[str, float]] = [
        {**kind, "k": k} for k in range(1, model["k"] + 1) for kind in kinds
    ]
    asked += [{"gamma": round(0.8 + 0.19 * number / PLANS, 6)} for number in range(PLANS)]
    for number, question in enumerate(asked):
        client.post("/api/plans", {"question": question, "tab": "filling", "sequence": number})


def pin(tab: Visit, name: str) -> None:
    """Pin the present plan."""
    tab.page.get_by_label("Name of the pin").fill(name)
    tab.button("Pin this plan").click()


class Walk:
    """A monkey's walk, and the memory of page and server meanwhile."""

    def __init__(self, tab: Visit, server: Server, seed: int) -> None:
        self._tab, self._process = tab, server
        self.monkey = Monkey(tab, seed)
        self.page, self.server = Growth(), Growth()

    def go(self, minutes: int) -> None:
        """Let the monkey act for so long, and tell after every minute how it went."""
        for minute in range(minutes):
            began, most = time.monotonic(), 0.0
            while time.monotonic() - began < MINUTE:
                self.monkey.act()
                most = max(most, self._process.resident_megabytes)
            self._tell(minute, most)

    def _tell(self, minute: int, most: float) -> None:
        self._process.rest()
        page, server = page_megabytes(self._tab), self._process.resident_megabytes
        self.page.add(minute, page)
        self.server.add(minute, server)
        figures = {
            "minute": minute + 1,
            "deeds": self.monkey.deeds,
            "page_megabytes": round(page, 2),
            "server_megabytes": round(server),
            "server_megabytes_at_most": round(most),
            "complaints": len(self._tab.complaints),
        }
        print(json.dumps(figures), flush=True)

    def faults(self) -> list[str]:
        """Return what does not hold, and print the slopes."""
        found = list(self._tab.complaints)
        for name, growth, most in (("server", self.server, MOST_SERVER),
                                   ("page", self.page, MOST_PAGE)):  # fmt: skip
            slope = growth.slope()
            print(f"{name}, second half: {slope or 'too short to tell'}")
            if slope is not None and slope.a_minute > most:
                found.append(f"The {name} grows by more than {most} MB a minute.")
        return found


def page_megabytes(tab: Visit) -> float:
    """Return the page's JavaScript heap after a collection of what is no longer used."""
    session = tab.page.context.new_cdp_session(tab.page)
    session.send("HeapProfiler.collectGarbage")
    used = tab.page.evaluate("performance.memory.usedJSHeapSize")
    session.detach()
    return used / 2**20


def main() -> int:
    """Let the monkey loose, and say what became of the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, default=20)
    parser.add_argument("--model", choices=MODELS, default="cartpole")
    parser.add_argument("--states", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        model = Path(folder, asked.model)
        da.save(MODELS[asked.model](asked.states), model)
        with serving(model) as server:
            tab = visit(browser, server.address)
            warm_up(tab)
            fill(server)
            loaded = "is" if server.has_loaded(PYTORCH) else "is not"
            print(f"{server.resident_megabytes:.0f} MB to begin with; PyTorch {loaded} loaded")
            walk = Walk(tab, server, asked.seed)
            walk.go(asked.minutes)
            faults = walk.faults()
            tab.page.context.close()
    print("\n".join([*faults, f"{walk.monkey.deeds} deeds, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
