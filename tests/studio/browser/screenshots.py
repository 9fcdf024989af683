"""Pictures of the studio for the docs: `python -m tests.studio.browser.screenshots docs/images`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from benchmarks.studio.chromium import chromium
from benchmarks.studio.models import cartpole, pendulum
from benchmarks.studio.visits import visit
from PIL import Image
from playwright.sync_api import expect
from tests.studio.browser import story
from tests.studio.browser.studios import running

STATES = 20_000
DRAWN_COLOURS = 8
"""Of a map whose points are there; drawing in software takes a while."""
COLOURS = 256
ROUNDS = 4
"""That bring a palette nearer to a picture's colours."""
SETTLING_MS = 3_000


def main() -> None:
    """Tell the story to CartPole and to Pendulum, and keep what it looks like."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as output, chromium() as browser:
        with running(cartpole(STATES), "cartpole", Path(output)) as studio:
            with tab(browser, studio, folder) as (found, shot):
                story.ask_questions(found, shot)
                story.look_closer(found, shot)
                story.compare_pins(found, shot)
                unlike(found, shot)
            with tab(browser, studio, folder, "dark") as (found, shot):
                story.look_closer(found, shot)
        with (
            running(pendulum(STATES), "pendulum", Path(output)) as studio,
            tab(browser, studio, folder) as (found, shot),
        ):
            rows(found, shot)


@contextmanager
def tab(browser, studio, folder: Path, scheme: str = "light"):
    """Yield a visit, and what takes a picture of it."""
    found = visit(browser, studio.entrance, color_scheme=scheme)

    def shot(name: str) -> None:
        found.page.mouse.move(0, 0)
        found.page.wait_for_timeout(SETTLING_MS)
        while found.colours() < DRAWN_COLOURS:
            found.page.wait_for_timeout(SETTLING_MS)
        end = "" if scheme == "light" else "-dark"
        saved(found.page.screenshot(), folder / f"studio-{name}{end}.png")

    yield found, shot
    found.page.context.close()


def rows(found, shot) -> None:
    """Halve the range of a torque, and look at a state's candidates."""
    found.colour_by("action:0")
    found.button("only reaches half its range").click()
    expect(found.page.locator(".question")).to_contain_text("never torque")
    found.certified()
    found.choose_a_state()
    shot("rows")


def unlike(found, shot) -> None:
    """Type an observation that the data do not know."""
    found.panel("Inspect")
    found.page.locator("#map").focus()
    found.page.keyboard.press("Escape")
    found.button("Type an observation").click()
    last = found.page.locator(".typed input[type=number]").nth(2)
    last.fill("3")
    last.press("Enter")
    expect(found.page.locator(".support.none")).to_be_visible()
    shot("unlike")


def saved(picture: bytes, path: Path) -> None:
    """Write a picture with the colours that suit it."""
    image = Image.open(BytesIO(picture)).convert("RGB")
    image.quantize(COLOURS, kmeans=ROUNDS, dither=Image.Dither.NONE).save(path, optimize=True)
    sys.stdout.write(f"-> {path}: {path.stat().st_size / 1024:.0f} kB\n")


if __name__ == "__main__":
    main()
