"""A small part of the fuzzing of readers; `python -m tests.fuzzing` is the rest."""

from __future__ import annotations

import sys

import pytest
from tests.fuzzing.__main__ import attempt
from tests.fuzzing.seeds import make_seeds

EACH = 12
"""Harmed files of every format."""
FOUND = {
    "feather": (17, 487, 677),
    "npz": (90, 227),
    "npz packed": (217,),
    "minari": (285, 792),
}
"""Numbers that were problems once."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="files stay open")
def test_harmed_files_are_read_or_refused(tmp_path):
    seeds = make_seeds(tmp_path / "seeds")
    assert len(seeds) >= 13
    (tmp_path / "harmed").mkdir()
    outcomes = {
        f"{seed.name} {number}": attempt(seed, number, tmp_path / "harmed")
        for seed in seeds
        for number in (*range(EACH), *FOUND.get(seed.name, ()))
    }
    problems = {one: what for one, what in outcomes.items() if what not in ("read", "refused")}
    assert not problems
    assert set(outcomes.values()) == {"read", "refused"}
