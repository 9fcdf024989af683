"""The site's reference names everything public, and the map of the code names what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import deepaveragers as da

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "python.md"
PATHS = {
    path
    for page in ("ARCHITECTURE.md", "docs/contribute/adding.md")
    for path in re.findall(r"`([^`\s]+)`", (ROOT / page).read_text())
    if "/" in path or path.endswith(".py")
}

ADDING = " ".join((ROOT / "docs" / "contribute" / "adding.md").read_text().split())
NAMES = [
    *re.findall(r"`(\w+)`(?: of `\w+`)? in `([\w/]+\.py)`", ADDING),
    *re.findall(r"`(\w+)` of `([\w/]+\.py)`", ADDING),
    *((name, path) for path, name in re.findall(r"`([\w/]+\.py)` \(`(\w+)`\)", ADDING)),
]
"""A name of the code and the file that the page says has it."""


def test_every_public_name_is_in_the_reference():
    named = re.findall(r"^::: deepaveragers\.[\w.]*?(\w+)$", PAGE.read_text(), flags=re.MULTILINE)
    assert sorted(named) == sorted(set(da.__all__) - {"__version__"})


@pytest.mark.parametrize("path", sorted(PATHS))
def test_every_file_that_contributors_are_sent_to_is_there(path):
    for one in alternatives(path):
        assert any(any(base.glob(one)) for base in (ROOT, ROOT / "src" / "deepaveragers")), one


@pytest.mark.parametrize(("name", "path"), NAMES)
def test_files_have_the_names_that_contributors_are_told(name, path):
    text = (ROOT / "src" / "deepaveragers" / path).read_text()
    assert re.search(rf"\b{name}\b", text)


def test_some_names_are_told():
    assert ("is_plain", "kernels/bellman/problem.py") in NAMES
    assert ("pose", "mdp/problem.py") in NAMES


def alternatives(path: str) -> list[str]:
    """Return the paths that `a/{b,c}.py` stands for."""
    choice = re.search(r"\{([^{}]*)\}", path)
    if choice is None:
        return [path.rstrip("/")]
    head, tail = path[: choice.start()], path[choice.end() :]
    return [full for one in choice[1].split(",") for full in alternatives(head + one + tail)]
