"""Kernels that have to be compiled first: said on a terminal, once, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from deepaveragers.kernels.compiling import SENTENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

KERNEL = """
import numpy as np
from deepaveragers.kernels.hashing import numbered_hashes
for dtype in (np.uint32, np.uint64):
    words, keys = np.zeros((4, 2), dtype), np.zeros(4, np.uint64)
    numbered_hashes(words, np.ones(2, np.uint64), 3, keys)
"""
BEGINNINGS = {
    "search": """
import numpy as np
from deepaveragers.neighbors.duplicates import group_identical
group_identical(np.zeros((4, 2)))
""",
    "solve": """
from deepaveragers.solvers.blocks import Blocks
with Blocks(10, 1):
    pass
""",
}


def said(script, cache, *, terminal):
    """Return what a new process says on standard error, a terminal or a pipe."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    ours, theirs = os.openpty() if terminal else os.pipe()
    try:
        subprocess.run([sys.executable, "-c", script], env=environment, stderr=theirs, check=True)
        os.write(theirs, b".")
        return os.read(ours, 10_000).decode().removesuffix(".").split("\r\n")
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_terminal_is_told_once_per_installation(tmp_path, beginning):
    script = BEGINNINGS[beginning] + KERNEL
    assert said(script, tmp_path, terminal=True) == [SENTENCE, ""]
    assert said(script, tmp_path, terminal=True) == [""]


def test_a_pipe_is_told_nothing(tmp_path):
    assert said(BEGINNINGS["search"] + KERNEL, tmp_path, terminal=False) == [""]


def test_functions_of_others_are_not_spoken_of(tmp_path):
    script = BEGINNINGS["solve"] + "import numba\nnumba.njit(lambda x: x + 1)(1)\n"
    assert said(script, tmp_path, terminal=True) == [""]
