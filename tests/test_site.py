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


def test_every_public_name_is_in_the_reference():
    named = re.findall(r"^::: deepaveragers\.[\w.]*?(\w+)$", PAGE.read_text(), flags=re.MULTILINE)
    assert sorted(named) == sorted(set(da.__all__) - {"__version__"})


@pytest.mark.parametrize("path", sorted(PATHS))
def test_every_file_that_contributors_are_sent_to_is_there(path):
    for one in alternatives(path):
        assert any(any(base.glob(one)) for base in (ROOT, ROOT / "src" / "deepaveragers")), one


def alternatives(path: str) -> list[str]:
    """Return the paths that `a/{b,c}.py` stands for."""
    choice = re.search(r"\{([^{}]*)\}", path)
    if choice is None:
        return [path.rstrip("/")]
    head, tail = path[: choice.start()], path[choice.end() :]
    return [full for one in choice[1].split(",") for full in alternatives(head + one + tail)]
