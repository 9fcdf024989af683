"""The Python environment of the peers: made once, beside ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
DEFAULT = Path(".venv-d3rlpy")
D3RLPY = "d3rlpy==2.8.1"
"""It pins an older Gymnasium, which nothing that is used here needs: installed on its own."""


def prepare(folder: Path) -> None:
    """Make the environment in a folder."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    install = [str(python(folder)), "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, "-r", str(HERE / "requirements.txt")], check=True)
    subprocess.run([*install, "--no-deps", D3RLPY], check=True)


def python(folder: Path) -> Path:
    """Return the interpreter of the environment."""
    return folder / "bin" / "python"


def is_there(folder: Path) -> bool:
    """Whether the environment was made."""
    return python(folder).exists()
