"""Builds the studio's page into the package, so that a wheel has it inside.

An editable install works without npm: `make studio` builds the page beside it. Where npm is
missing or fails, a wheel is built without the page, and says so; DEEPAVERAGERS_PAGE=required
makes that an error, as for a release.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WANTED = "DEEPAVERAGERS_PAGE"
"""In the environment: "required", or "skip" where no page is wanted."""
REMEDY = (
    "`dac studio` will have no page. Install Node.js 20 or newer and build again; "
    f"{WANTED}=required makes this an error, {WANTED}=skip asks for no page."
)


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `npm ci` and `npm run build` in studio/ unless the built page is there."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page before the files are gathered."""
        source = Path(self.root, "studio")
        page = Path(self.root, "src/deepaveragers/studio/page/index.html")
        wanted = os.environ.get(WANTED, "")
        if version == "editable" or wanted == "skip" or page.is_file():
            return
        problem = _built(source)
        if problem is None:
            return
        if wanted == "required":
            raise RuntimeError(f"{problem} {REMEDY}")
        self.app.display_warning(f"{problem} {REMEDY}")


def _built(source: Path) -> str | None:
    """Build the page; return what went wrong, if anything."""
    npm = shutil.which("npm")
    if npm is None:
        return "The studio's page is not built: npm is not installed."
    for command in (("ci",), ("run", "build")):
        done = subprocess.run([npm, *command], cwd=source, capture_output=True, text=True)
        if done.returncode:
            said = " ".join((done.stderr or done.stdout).split())[-300:]
            return f"The studio's page is not built: npm {' '.join(command)} failed ({said})."
    return None
