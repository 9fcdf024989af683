"""Observations on the command line."""

from __future__ import annotations

import pytest

from deepaveragers.cli.options import observation


@pytest.mark.parametrize("text", ["age=60,lactate=,sex=F", "age=60, lactate=NA ,sex=F"])
def test_a_blank_is_a_missing_value(text):
    assert observation("observation", text) == {"age": 60.0, "lactate": None, "sex": "F"}
