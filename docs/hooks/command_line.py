"""Writes the page of the command line from its own help."""

from __future__ import annotations

from typing import Any

import typer

PLACE = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page with the help of all commands where its mark stands."""
    return markdown.replace(PLACE, _commands()) if PLACE in markdown else markdown


def _commands() -> str:
    from deepaveragers.cli.app import application

    return "\n".join(map(_section, typer.main.get_command(application()).commands.values()))  # type: ignore[attr-defined]


def _section(command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    usage = " ".join(["dac", command.name, *(one.name.upper() for one in arguments), "[OPTIONS]"])
    head = [f"## dac {command.name}", "", command.help or "", "", f"`{usage}`", ""]
    return "\n".join([*head, "| argument | meaning |", "|---|---|", *map(_row, command.params), ""])


def _row(parameter: Any) -> str:
    words = (parameter.help or "").replace("|", "\\|").replace("\n", " ")
    if parameter.param_type_name == "argument":
        return f"| `{parameter.name.upper()}` | {words} |"
    names = ", ".join(f"`{one}`" for one in (*parameter.opts, *parameter.secondary_opts))
    default = parameter.default
    stated = default not in (None, False, "") and not callable(default)
    shown = f" Default: `{default}`." if stated else ""
    return f"| {names} | {words}{shown} |"
