"""studio: a page on this machine, to see the data as the plan sees them and to ask what if."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from .output import AsJson, show

NEEDED = ("starlette", "uvicorn", "msgspec")
"""What the extra `studio` brings."""


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
    from ..errors import MissingExtraError
    from ..outputs import check_folder

    for component in NEEDED:
        if find_spec(component) is None:
            raise MissingExtraError(component, "studio")
    from ..studio.serving import serve
    from ..studio.source import load_source

    check_folder(output)
    source = load_source(model)

    def say(address: str) -> None:
        text = f"{source.name}: {len(source.mdp):,} states. Open {address}\nCtrl-C ends it."
        show({"address": address, "states": len(source.mdp)}, text, as_json=as_json)

    serve(source, output, port, browser=browser, say=say)
