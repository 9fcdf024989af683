"""The examples of docs/objectives.md run as written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "objectives.md"
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("place", range(len(SNIPPETS)))
def test_example(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(SNIPPETS[place], f"{PAGE.name}[{place}]", "exec"), {})
