"""One tab of the studio, with the words of its parts; what goes wrong in it is kept."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Response, expect

WIDE = {"width": 1280, "height": 720}
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)


class Visit:
    """A tab, and what its console, its scripts and the server complained about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("console", self._said)
        page.on("response", self._answered)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "GL Driver Message" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            asked = response.request.post_data or ""
            self.complaints.append(f"{response.status}: {response.url} {asked[:400]}")

    def open(self, address: str) -> None:
        """Go to a studio, and wait for it."""
        self.page.goto(address)
        self.ready()

    def ready(self) -> None:
        """Wait until the map is drawn and its plan is there."""
        self.page.wait_for_selector(".legend")
        self.certified()
        self.page.wait_for_selector(".not-yet", state="detached")

    def certified(self) -> None:
        """Wait until the plan answers the question."""
        self.page.wait_for_selector(".status.certified")

    def button(self, name: str, **options: Any) -> Locator:
        """Return a button by its name."""
        return self.page.get_by_role("button", name=name, **options)

    def panel(self, name: str) -> None:
        """Open one of the panels on the right."""
        self.page.get_by_role("tab", name=name).click()

    def figure(self, name: str) -> str:
        """Return a figure of the answer."""
        box = self.page.locator(".figure-box", has_text=name)
        return box.locator(".figure-value").inner_text()

    def colour_by(self, by: str) -> None:
        """Choose what the map's colours mean."""
        self.page.select_option("#colour-by", by)

    def choose_a_state(self) -> None:
        """Take the state in the middle of the map, by keys."""
        self.page.locator("#map").focus()
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".inspect .head h3")).to_contain_text("State")
        self.page.wait_for_selector(".support")

    def colours(self) -> int:
        """Return how many different colours the points of the map have on the screen."""
        picture = self.page.locator("#map").screenshot()
        return len(colours_of(picture))


def colours_of(picture: bytes) -> set[tuple[int, ...]]:
    """Return the colours of a PNG, some levels apart."""
    pixels = np.asarray(Image.open(BytesIO(picture)).convert("RGB")) // 32
    return {tuple(one) for one in pixels.reshape(-1, 3)}


def visit(browser: Browser, address: str, **context: Any) -> Visit:
    """Open a studio in a new tab of its own."""
    page = browser.new_context(**{"viewport": WIDE, **context}).new_page()
    found = Visit(page)
    found.open(address)
    return found
