"""import: data as people have it, turned into a bundle; or first, a look at a table."""

from __future__ import annotations

import inspect
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from ..data.mapping import TableMapping
from .output import AsJson, show, table

Source = Annotated[
    str,
    typer.Argument(
        help="A file, directory or pattern of files, the id of a Minari dataset, or the URL of a "
        "database."
    ),
]
TargetOrNone = Annotated[Path | None, typer.Option("--output", "-o", help="Where to write.")]
Format = Annotated[str, typer.Option(help="auto, table, npz, minari, d4rl, d3rlpy or lerobot.")]
MappingFile = Annotated[
    Path | None, typer.Option(help="TOML file with the meaning of a table's columns.")
]
Fix = Annotated[
    bool,
    typer.Option(
        "--fix", help="Drop steps with missing values, repair what the doctor can, and say what."
    ),
]
PartRows = Annotated[
    int | None, typer.Option("--parts", help="Rows of a file: large data are kept in parts.")
]


def import_data(
    source: Source,
    output: TargetOrNone = None,
    format: Format = "auto",
    mapping: MappingFile = None,
    fix: Fix = False,
    parts: PartRows = None,
    as_json: AsJson = False,
    **columns: Any,
) -> None:
    """Import logged data of another format as a bundle of transitions.

    Without -o and columns, it lists the columns of a table and guesses the command.
    """
    from ..arguments import optional, whole_number
    from ..data.reading import read_reported
    from ..errors import InputError
    from ..storage.bundle import check_target
    from ..storage.records import save

    given = {
        name: value for name, value in columns.items() if value is not None and value is not False
    }
    if output is None:
        asked = mapping is not None or {"action", "reward"} & given.keys()
        if not asked and format in ("auto", "table") and _needs_columns(source):
            _list_columns(source, given, as_json=as_json)
            return
        raise InputError("--output", "given: where to write the bundle", "nothing", "Add -o data.")
    check_target(output, "transitions")
    optional(whole_number, "--parts", parts)
    reading = read_reported(
        source,
        format,  # type: ignore[arg-type]
        mapping=mapping,
        drop_missing=fix and "missing" not in given,
        **given,
    )
    data, result, fixed = reading.transitions, reading.summary(), list[str]()
    if fix:
        data, fixed, more = _repaired(data)
        result |= more
    save(data, output, part_rows=parts)
    lines = [
        f"{len(data):,} transitions in {data.num_episodes:,} episodes, "
        f"{data.actions_in_words} -> {output}",
        f"Read as {reading.format}: {reading.reason}.",
        *(f"Note: {note.rstrip('.')}." for note in reading.notes),
        *(f"Warning: {sentence.rstrip('.')}." for sentence in reading.warnings),
        *fixed,
    ]
    show({"output": str(output), **result}, "\n".join(lines), as_json=as_json)


def _repaired(data: Any) -> tuple[Any, list[str], dict[str, Any]]:
    """Return the data repaired, lines about it, and the same for JSON."""
    from ..doctor.repairs import repair

    repaired = repair(data)
    left = repaired.diagnosis.findings
    lines = [f"Fixed: {change}." for change in repaired.changes] or ["The doctor repaired nothing."]
    lines += [f"Left for you: {one.what} ({one.where}). {one.fix}" for one in left]
    result = repaired.transitions.summary()
    result |= {"fixed": list(repaired.changes), "findings": [one.summary() for one in left]}
    return repaired.transitions, lines, result


def _needs_columns(source: str) -> bool:
    """Whether the source is a table that does not say itself what its columns mean."""
    from ..data.readers.detecting import detect
    from ..data.readers.parquet import is_own
    from ..data.tables.sources import is_arrow_path, located

    found = located(source)
    own = is_arrow_path(found) and found.is_file() and is_own(found)
    return detect(found)[0] == "table" and not own


def _list_columns(source: str, given: dict[str, Any], *, as_json: bool) -> None:
    """Print the columns of a table, and a guess of the command that imports it."""
    from ..data.tables.guess import guessed
    from ..data.tables.joined import JoinedTable
    from ..data.tables.sources import open_table
    from ..data.tables.survey import survey

    known = {
        name: given[name] for name in ("delimiter", "encoding", "sheet", "sql") if name in given
    }
    opened = open_table(source, **known)
    if "join" in given:
        opened = JoinedTable(opened, open_table(given["join"]), given["join"])
    seen = survey(opened)
    guess = {**guessed(seen), **given}
    command = _command(source, guess)
    rows = [
        [
            one.name,
            "index" if one.index else one.kind,
            f"{one.missing:,}",
            f"{one.distinct:,}",
            ", ".join(one.examples),
        ]
        for one in seen.columns
    ]
    extent = "all" if seen.whole else "the first"
    lines = [
        f"{source}: {len(seen.columns)} columns, {extent} {seen.rows:,} rows looked at.",
        *(f"Note: {note}." for note in seen.notes),
        "",
        table(rows, ["column", "type", "missing", "different", "examples"]),
        "",
        "A guess of the command; check what each column means:",
        f"  {command}",
    ]
    if "one_series" in guess:
        lines.append("If every row stands alone, say --each-row-ends instead of --one-series.")
    result = {
        "columns": [vars(one) for one in seen.columns],
        "rows": seen.rows,
        "guess": guess,
        "command": command,
    }
    show(result, "\n".join(lines), as_json=as_json)


def _command(source: str, guess: dict[str, Any]) -> str:
    words = ["dac", "import", source]
    for name, value in guess.items():
        words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            words.append(str(value))
    return shlex.join([*words, "-o", "data"])


def _options() -> list[inspect.Parameter]:
    """Return an option for every field of a mapping, with its docstring as help."""
    text = inspect.getdoc(TableMapping) or ""
    told = {
        name: _as_help(words)
        for name, words in re.findall(
            r"^    (\w+): (.*?)(?=^    \w+: |\Z)", text, flags=re.DOTALL | re.MULTILINE
        )
    }
    kinds = {"bool": bool, "float": float | None, "float | None": float | None}
    options = []
    for field in fields(TableMapping):
        kind: Any = kinds.get(str(field.type), str | None)
        option = typer.Option(f"--{field.name.replace('_', '-')}", help=told[field.name])
        options.append(
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=False if kind is bool else None,
                annotation=Annotated[kind, option],
            )
        )
    return options


def _as_help(words: str) -> str:
    """Return the words on a field as the help of an option, which is not given as None."""
    text = " ".join(words.split()).replace("None:", "By default:")
    return text[:1].upper() + text[1:]


def _with_options(command: Any) -> Any:
    """Give a command the options of a mapping in place of its `**columns`."""
    signature = inspect.signature(command, eval_str=True)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    # Typer looks for annotations in both places.
    command.__signature__ = signature.replace(parameters=[*own, *_options()])
    command.__annotations__ = {
        one.name: one.annotation for one in command.__signature__.parameters.values()
    }
    return command


import_data = _with_options(import_data)
