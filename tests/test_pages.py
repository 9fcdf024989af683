"""The examples of the pages run as written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[1] / "docs"
SNIPPETS = {
    f"{name} {place}": snippet
    for name in ("objectives", "representations")
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
