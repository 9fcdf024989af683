"""studio: a page on this machine, to see the data as the plan sees them and to ask what if."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .output import AsJson, show

if TYPE_CHECKING:
    from ..studio.source import Source


def studio(
    model: Annotated[
        Path, typer.Argument(help="A compiled model, a plan, or data, compiled first.")
    ],
    port: Annotated[int, typer.Option(help="On this machine only; 0 takes any free one.")] = 8400,
    browser: Annotated[bool, typer.Option(help="Open the page.")] = True,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder that exports are written to.")
    ] = Path("."),
    as_json: AsJson = False,
) -> None:
    """Open a model in the browser: see it, ask what if, compare, inspect."""
    from ..outputs import check_folder
    from ..server.extra import check_installed

    check_installed("studio")
    from ..storage.manifest import logged_steps, read_manifest
    from ..studio.serving import serve

    check_folder(output)
    states = logged_steps(read_manifest(model))
    if states is None:
        _source(model)  # says what it is instead

    def say(address: str) -> None:
        text = f"{model.name or model}: {states:,} states. Open {address}\nCtrl-C ends it."
        show({"address": address, "states": states}, text, as_json=as_json)

    serve(lambda: _source(model), output, port, browser=browser, say=say)


def _source(model: Path) -> Source:
    from ..studio.source import load_source

    return load_source(model)
