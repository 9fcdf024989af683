"""The application: its commands, and how they end.

Exit codes are those of `ending`; wrong input and interrupts get one sentence on standard error.
"""

from __future__ import annotations

from collections.abc import Callable

import typer

from ..arguments import shown
from ..errors import DeepAveragersError
from .act_command import act
from .ask_commands import compare, explain, guarantee
from .data_commands import append, doctor, export_data, forget
from .deep_commands import train
from .ending import INTERRUPTED, WRONG_INPUT, complain, one_line_warnings, wants_json
from .fit_command import fit
from .import_command import import_data
from .pipeline import collect, compile, evaluate, info
from .policy_command import policy
from .quickstart import quickstart
from .report_command import report
from .serve_command import serve
from .solve_command import solve
from .studio_command import studio
from .usage import usage_sentence

app = typer.Typer(
    name="dac",
    help="Turn logged experience into a certified plan that you can question.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS: dict[str, Callable[..., None]] = {
    "quickstart": quickstart,
    "collect": collect,
    "import": import_data,
    "export": export_data,
    "doctor": doctor,
    "append": append,
    "forget": forget,
    "train": train,
    "compile": compile,
    "solve": solve,
    "fit": fit,
    "policy": policy,
    "act": act,
    "serve": serve,
    "evaluate": evaluate,
    "explain": explain,
    "compare": compare,
    "guarantee": guarantee,
    "report": report,
    "info": info,
    "studio": studio,
}
for name, command in COMMANDS.items():
    app.command(name)(command)


# Typer ships its own copy of Click in some versions; this is the base of its usage errors in all.
UsageProblem = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if version:
        from .. import __version__

        typer.echo(f"dac {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code; an interrupt is raised."""
    as_json = wants_json(arguments)
    try:
        with one_line_warnings():
            code = app(args=arguments, standalone_mode=False)
    except DeepAveragersError as error:
        complain(str(error), as_json=as_json)
        return WRONG_INPUT
    except typer.Abort:
        raise KeyboardInterrupt from None
    except OSError as error:
        # Whatever no door foresaw: a disk that went away, a name that is too long for it.
        place = "" if error.filename is None else f"{shown(str(error.filename))}: "
        complain(f"{place}{error.strerror or error}.", as_json=as_json)
        return WRONG_INPUT
    except Exception as error:
        if not isinstance(error, UsageProblem):
            raise
        complain(usage_sentence(error), as_json=as_json)
        return WRONG_INPUT
    if code == INTERRUPTED:  # Typer made it of Ctrl-C, and said nothing
        raise KeyboardInterrupt
    return int(code or 0)
