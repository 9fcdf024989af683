"""Where compiled kernels cannot be kept, everything works after one sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import deepaveragers as da

SCRIPT = """
import importlib, pkgutil
import numpy as np
from deepaveragers import kernels
for module in pkgutil.walk_packages(kernels.__path__, kernels.__name__ + "."):
    if ".cuda" not in module.name:  # an extra of its own
        importlib.import_module(module.name)
from deepaveragers.kernels.knn.projection import Projection, project
points, coordinates, margins = np.ones((1, 2)), np.empty((1, 2), np.float32), np.empty(1)
project(points, Projection(np.zeros(2), np.eye(2), 2.0), coordinates, margins)
print(coordinates.tolist())
"""


@pytest.fixture
def nowhere_to_write(tmp_path: Path) -> dict[str, str]:
    """The environment of a package that cannot be written, and of a user without a home.

    Files stand where folders would be made, which stops even an administrator.
    """
    package = Path(da.__file__).parent
    copy = tmp_path / package.name
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [copy, *(place for place in copy.rglob("*") if place.is_dir())]:
        (folder / "__pycache__").touch()
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    nothing = str(tmp_path / "nothing")
    Path(nothing).touch()
    return {**kept, "PYTHONPATH": str(tmp_path), "HOME": nothing, "XDG_CACHE_HOME": nothing}


def test_kernels_work_uncached_after_one_sentence(nowhere_to_write):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=nowhere_to_write, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[[2.0, 2.0]]"), done.stderr
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1
