"""The application: its commands, and how they end.

Exit codes: 0 done; 2 wrong input, with one sentence on standard error; 130 interrupted.
"""

from __future__ import annotations

import sys

import click
import typer

from ..errors import DeepAveragersError
from .output import complain, wants_json
from .pipeline import collect, compile, evaluate, info, solve
from .quickstart import quickstart

app = typer.Typer(
    name="dac",
    help="Turn logged experience into a certified plan that you can question.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (quickstart, collect, compile, solve, evaluate, info):
    app.command()(command)


@app.callback(invoke_without_command=True)
def _version(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if version:
        from .. import __version__

        typer.echo(f"dac {__version__}")
        raise typer.Exit()


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    as_json = wants_json(arguments)
    try:
        code = app(args=arguments, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        code = 2
    except click.ClickException as error:
        complain(error.format_message(), as_json=as_json)
        code = 2
    except DeepAveragersError as error:
        complain(str(error), as_json=as_json)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        complain("Interrupted; nothing was changed.", as_json=as_json)
        code = 130
    sys.exit(code)
