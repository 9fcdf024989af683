"""act: a table in, decisions out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .output import AsJson, show

if TYPE_CHECKING:
    from ..data.tables.table import Table
    from ..scoring.sinks import Sink

STANDARD = "-"
"""Stands for standard input or output."""


Source = Annotated[
    str,
    typer.Argument(
        help="What to decide upon: CSV, JSON lines, Parquet, Excel, a database; '-' is "
        "standard input."
    ),
]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help="Where to: .csv, .jsonl or .parquet; '-' is standard output.",
    ),
]
Keys = Annotated[
    str | None,
    typer.Option(help="Columns to keep, by commas; by default all but the observations."),
]
Observations = Annotated[
    str | None,
    typer.Option(help="Columns in the policy's order, by commas, where it knows no names."),
]
Missing = Annotated[
    str, typer.Option(help="Rows that cannot be used: 'stop' there, or 'skip' them.")
]


def act(
    policy: Annotated[Path, typer.Argument(help="A policy, or a plan.")],
    source: Source,
    output: Output = STANDARD,
    format: Annotated[
        str, typer.Option(help="Of standard input and output: csv or jsonl.")
    ] = "csv",
    keys: Keys = None,
    observations: Observations = None,
    missing: Missing = "stop",
    delimiter: Annotated[str | None, typer.Option(help="Between the cells of a text.")] = None,
    decimal: Annotated[str, typer.Option(help="Decimal mark of a text, '.' or ','.")] = ".",
    encoding: Annotated[str, typer.Option(help="Of a text.")] = "utf-8",
    sheet: Annotated[str | None, typer.Option(help="Of an Excel file.")] = None,
    sql: Annotated[str | None, typer.Option(help="Query or table of a database.")] = None,
    as_json: AsJson = False,
) -> None:
    """Decide upon every row of a table, by the names of its columns."""
    from ..arguments import choice
    from ..data.tables.sources import open_table
    from ..errors import InputError
    from ..progress import progress
    from ..scoring.scoring import Scoring
    from ..scoring.sinks import format_of
    from ..storage.serving import acting_policy

    choice("--format", format, ("csv", "jsonl"))
    if output == STANDARD and as_json:
        raise InputError("--output", "a file where --json is given", "standard output")
    if output != STANDARD:
        format_of(output)
    acting = acting_policy(policy)
    table = (
        _standard_input(format, delimiter)
        if source == STANDARD
        else open_table(source, delimiter=delimiter, encoding=encoding, sheet=sheet, sql=sql)
    )
    scoring = Scoring(
        acting,
        table,
        keys=_names(keys),
        observations=_names(observations),
        missing=missing,  # type: ignore[arg-type]
        decimal=decimal,
    )
    with _sink(output, format, scoring.names) as sink, progress("rows", 0) as advance:
        scored = scoring.run(sink, advance)
    if output == STANDARD:
        return
    result = {"output": output, "plan": acting.digest, **vars(scored)}
    decided = scored.rows - scored.skipped
    words = [f"{decided:,} decisions by plan {acting.digest} -> {output}"]
    words += [f"{scored.skipped:,} rows could not be used."] * bool(scored.skipped)
    words += [f"The fallback acted in {scored.abstained:,} of them."] * bool(scored.abstained)
    show(result, "\n".join(words), as_json=as_json)


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _standard_input(format: str, delimiter: str | None) -> Table:
    import io

    from ..data.tables.sources import open_text
    from ..data.tables.text_source import TextStream

    text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
    return open_text(TextStream(text, "standard input"), f".{format}", delimiter)


@contextmanager
def _sink(output: str, format: str, names: tuple[str, ...]) -> Iterator[Sink]:
    from ..scoring.sinks import file_sink, stream_sink

    if output != STANDARD:
        with file_sink(Path(output), names) as sink:
            yield sink
        return
    yield stream_sink(sys.stdout, format, names)
