"""The examples of the pages run as written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from deepaveragers.cli import main

PAGES = Path(__file__).parents[1] / "docs"
APART = ("tables", "serving")
"""Pages whose blocks build on each other, with tests of their own."""
SNIPPETS = {
    f"{name} {place}": snippet
    for name in sorted(page.relative_to(PAGES).as_posix()[:-3] for page in PAGES.rglob("*.md"))
    if name not in APART
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


def test_the_walk_through_tables(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    page = (PAGES / "tables.md").read_text()
    for language, block in re.findall(r"```(python|sh)\n(.*?)```", page, flags=re.DOTALL):
        if language == "python":
            exec(compile(block, "tables", "exec"), {})
            continue
        for line in block.splitlines():
            with pytest.raises(SystemExit) as left:
                main(shlex.split(line)[1:])
            assert left.value.code == 0, line
    told = capsys.readouterr().out
    assert re.findall(r"```\n(patients.csv: .*?)```", page, flags=re.DOTALL)[0] in told
    assert "The log has" in told


def test_every_page_with_examples_is_read():
    pages = {name.split()[0] for name in SNIPPETS}
    assert {"data", "neighbors", "objectives", "planner", "representations"} <= pages
