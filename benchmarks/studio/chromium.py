"""A real browser: Debian's Chromium, or the one that Playwright installs; drawing in software."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
DRAWING = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
WITHOUT_WEBGL = ("--disable-gpu", "--disable-software-rasterizer")
QUIET = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--enable-precise-memory-info",
)
MISSING = "There is no Chromium: `make test` installs one (apt's chromium, or Playwright's)."


@contextmanager
def chromium(drawing: tuple[str, ...] = DRAWING) -> Iterator[Browser]:
    """Yield a browser without a window."""
    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, NAMES)), None)
        own = playwright.chromium.executable_path
        if found is None and not Path(own).exists():
            raise FileNotFoundError(MISSING)
        browser = playwright.chromium.launch(
            executable_path=found or own, args=[*QUIET, *drawing], chromium_sandbox=False
        )
        try:
            yield browser
        finally:
            browser.close()
