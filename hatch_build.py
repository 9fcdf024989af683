"""Builds the studio's page into the package, so that a wheel has it inside.

Only wheels and source distributions need it: an editable install works without npm, and
`make studio` builds the page beside it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SKIP = "DEEPAVERAGERS_WITHOUT_PAGE"
"""Set in the environment, a wheel is built without the page."""
NO_NPM = (
    "The studio's page is not built, and npm is not installed. Install Node.js 20 or newer, or set "
    f"{SKIP}=1 for a wheel in which `dac studio` has no page."
)


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `npm ci` and `npm run build` in studio/ unless the built page is there."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page before the files are gathered."""
        source = Path(self.root, "studio")
        page = Path(self.root, "src/deepaveragers/studio/page/index.html")
        wanted = (source / "package.json").is_file() and not page.is_file()
        if version == "editable" or os.environ.get(SKIP) or not wanted:
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError(NO_NPM)
        for command in (("ci",), ("run", "build")):
            subprocess.run([npm, *command], cwd=source, check=True)
