"""The application: its commands, and how they end.

A command that is asked for by name is the only one that is loaded, so that it begins sooner. Exit
codes are those of `ending`; wrong input and interrupts get one sentence on standard error.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

import typer

from ..arguments import shown
from ..errors import DeepAveragersError
from .ending import INTERRUPTED, WRONG_INPUT, complain, one_line_warnings, wants_json
from .usage import usage_sentence

COMMANDS = {
    "quickstart": "quickstart:quickstart",
    "collect": "pipeline:collect",
    "import": "import_command:import_data",
    "export": "data_commands:export_data",
    "doctor": "data_commands:doctor",
    "append": "data_commands:append",
    "forget": "data_commands:forget",
    "train": "deep_commands:train",
    "compile": "pipeline:compile",
    "solve": "solve_command:solve",
    "fit": "fit_command:fit",
    "policy": "policy_command:policy",
    "act": "act_command:act",
    "serve": "serve_command:serve",
    "evaluate": "pipeline:evaluate",
    "explain": "ask_commands:explain",
    "compare": "ask_commands:compare",
    "guarantee": "ask_commands:guarantee",
    "report": "report_command:report",
    "info": "pipeline:info",
    "studio": "studio_command:studio",
}
"""Commands by name: their modules and functions."""

# Typer ships its own copy of Click in some versions; this is the base of its usage errors in all.
UsageProblem = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the application, with all commands or some."""
    app = typer.Typer(
        name="dac",
        help="Turn logged experience into a certified plan that you can question.",
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in names:
        module, function = COMMANDS[name].split(":")
        app.command(name)(getattr(import_module(f".{module}", __package__), function))
    app.callback(invoke_without_command=True)(_start)
    return app


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
    app = application([name for name in arguments[:1] if name in COMMANDS] or COMMANDS)
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
