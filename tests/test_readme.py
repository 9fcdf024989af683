"""The README's Python runs as written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
SNIPPETS = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("place", range(len(SNIPPETS)))
def test_snippet(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(SNIPPETS[place], f"README.md[{place}]", "exec"), {})


def test_there_are_snippets_and_the_picture():
    assert len(SNIPPETS) >= 2
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", README.read_text()):
        assert (README.parent / picture).is_file(), picture
