"""studio: a page on this machine, to see the data as the plan sees them and to ask what if."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import AsJson, show


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
    from ..studio.serving import serve
    from ..studio.source import Source, load_source

    check_folder(output)

    def say(source: Source, address: str) -> None:
        text = f"{source.name}: {len(source.mdp):,} states. Open {address}\nCtrl-C ends it."
        show({"address": address, "states": len(source.mdp)}, text, as_json=as_json)

    serve(lambda: load_source(model), output, port, browser=browser, say=say)
