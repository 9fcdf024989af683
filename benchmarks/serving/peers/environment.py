"""The Python environment of the peer: made once, beside ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
DEFAULT = Path(".venv-bentoml")


def prepare(folder: Path) -> None:
    """Make the environment in a folder: this package, and the peer."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, "-c", str(ROOT / "constraints.txt"), "-e", str(ROOT)], check=True)
    subprocess.run([*install, "-r", str(HERE / "requirements.txt")], check=True)


def program(folder: Path) -> Path:
    """Return the peer's command."""
    return folder / "bin" / "bentoml"
