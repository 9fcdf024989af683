"""Shows the notebooks as pages: their words and their code. The tests run them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files


def on_files(files: Files, *, config: Any) -> Files:
    """Add a page notebooks/NAME.md for each notebook of the repository."""
    folder = Path(config["config_file_path"]).parent / "notebooks"
    for notebook in sorted(folder.glob("*.ipynb")):
        path = f"notebooks/{notebook.stem}.md"
        files.append(File.generated(config, path, content=_page(notebook)))
    return files


def _page(notebook: Path) -> str:
    cells = json.loads(notebook.read_text())["cells"]
    first, *others = map(_shown, cells)
    run = f"Run it: `jupyter lab notebooks/{notebook.name}` in a clone of the repository."
    return "\n\n".join([first, run, *others]) + "\n"


def _shown(cell: dict[str, Any]) -> str:
    text = "".join(cell["source"])
    if cell["cell_type"] == "code":
        return f"```python\n{text}\n```"
    return text.replace("](../docs/", "](../")
