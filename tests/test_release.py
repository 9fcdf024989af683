"""One version everywhere, and a changelog that begins with it."""

from __future__ import annotations

import re
from pathlib import Path

import deepaveragers as da

ROOT = Path(__file__).parents[1]
HEADINGS = ["Breaking", "Added", "Fixed", "Performance"]


def test_the_citation_and_the_changelog_name_this_version():
    citation = (ROOT / "CITATION.cff").read_text()
    stated = re.search(r"^version: (\S+)\ndate-released: (\S+)$", citation, flags=re.MULTILINE)
    assert stated
    assert stated[1] == da.__version__
    first = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert first
    assert first[1] in ("Unreleased", f"{stated[1]} ({stated[2]})")


def test_each_release_has_the_same_headings_in_the_same_order():
    for release in (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1:]:
        found = re.findall(r"^### (.*)$", release, flags=re.MULTILINE)
        assert found == [heading for heading in HEADINGS if heading in found]
        assert len(found) == len(set(found))


def test_types_go_with_the_package():
    assert Path(da.__file__).with_name("py.typed").is_file()


def test_the_core_does_without_scipy():
    sources = Path(da.__file__).parent.rglob("*.py")
    pattern = re.compile(r"^\s*(import|from) scipy\b", flags=re.MULTILINE)
    assert [source.name for source in sources if pattern.search(source.read_text())] == []
