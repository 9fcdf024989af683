"""Every figure on the site has its command: none is excused, every picture is drawn by one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
EXCUSES = re.compile(
    r"\bby\s+hand\b|\bno\s+command\b|\b(?:script|scripts|that)\s+(?:was|were)\s+not\s+kept\b"
    r"|\bmeasured\s+once\b",
    re.IGNORECASE,
)
MEASURED = re.compile(
    r"\d (?:ms|s|ns|µs|seconds)\b|\d \[-?\d|\(-?\d[\d.]* to -?\d|\d ± \d|\d -> -?\.?\d"
)
"""Seconds, means with their intervals or errors, before -> after."""
FIGURES_IN_A_ROW = re.compile(r"^\|[^\n]*\| *[-+*]*\.?\d[^|\n]*\| *[-+*]*\.?\d", re.MULTILINE)
"""A row of a table with two figures side by side: in a journal that is a measurement."""
COMMAND = re.compile(r"\b(?:python -m|dac|make) [a-z]")
DRAWN_BY = {
    "images/atari-": "python -m experiments.atari publish",
    "images/cartpole-": "python -m experiments.cartpole --report",
    "images/method": "python -m experiments.method_picture",
    "images/navigation-": "python -m experiments.navigation --parts",
    "images/quickstart": "dac quickstart",
    "images/studio-": "make studio-pictures",
    "neighbors": "python -m benchmarks.neighbors",
    "policies": "python -m benchmarks.policies",
}
"""How the name of a picture begins, and the command that draws it."""
SHOWN = [
    pytest.param(page, picture, id=f"{page.stem} {picture}")
    for page in PAGES
    for picture in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", page.read_text())
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_figure_is_excused(page):
    found = [" ".join(one[0].split()) for one in EXCUSES.finditer(page.read_text())]
    assert not found, "give the command of the figure, or say it in words"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_section_with_measurements_names_a_command(page):
    for part in parts_of(page):
        words = re.sub(r"^```.*?^```|`[^`]*`", "", part, flags=re.DOTALL | re.MULTILINE)
        measured = MEASURED.search(words)
        if page.parent.name == "journal":
            measured = measured or FIGURES_IN_A_ROW.search(words)
        assert COMMAND.search(part) or not measured, part.splitlines()[0]


def test_measurements_are_recognised():
    for words in ("took 3 s", "119 [68, 165]", "-17 ± 22", ".05 -> .5", "(0.3 to 0.5)"):
        assert MEASURED.search(words), words
    assert FIGURES_IN_A_ROW.search("| Acrobot | 1 | -88 | -82 |")
    assert not FIGURES_IN_A_ROW.search("| Anderson acceleration | up to twice the time |")


@pytest.mark.parametrize(("page", "picture"), SHOWN)
def test_the_command_of_a_picture_stands_in_its_section(page, picture):
    assert (page.parent / picture).is_file()
    name = picture.removeprefix("docs/")
    commands = [command for start, command in DRAWN_BY.items() if name.startswith(start)]
    assert commands, f"say in DRAWN_BY what draws {picture}"
    (part,) = (part for part in parts_of(page) if f"]({picture})" in part)
    assert commands[0] in " ".join(part.split())


def parts_of(page: Path) -> list[str]:
    """Return a page cut at its headings; that of a benchmark is written whole by one command."""
    if page.parent.name == "benchmarks":
        return [page.read_text()]
    return re.split(r"^(?=##+ )", page.read_text(), flags=re.MULTILINE)
