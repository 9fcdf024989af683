"""The site's reference names everything public."""

from __future__ import annotations

import re
from pathlib import Path

import deepaveragers as da

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "python.md"


def test_every_public_name_is_in_the_reference():
    named = re.findall(r"^::: deepaveragers\.[\w.]*?(\w+)$", PAGE.read_text(), flags=re.MULTILINE)
    assert sorted(named) == sorted(set(da.__all__) - {"__version__"})
