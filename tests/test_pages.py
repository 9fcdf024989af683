"""The examples of the pages run as written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[1] / "docs"
SNIPPETS = {
    f"{name} {place}": snippet
    for name in sorted(page.stem for page in PAGES.glob("*.md"))
    for place, snippet in enumerate(
        re.findall(r"```python\n(.*?)```", (PAGES / f"{name}.md").read_text(), flags=re.DOTALL)
    )
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_example(name, tmp_path, monkeypatch):
    if name.startswith("representations"):
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    exec(compile(SNIPPETS[name], name, "exec"), {})


def test_every_page_with_examples_is_read():
    pages = {name.split()[0] for name in SNIPPETS}
    assert {"data", "neighbors", "objectives", "planner", "representations"} <= pages
