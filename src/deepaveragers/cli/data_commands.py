"""export, doctor, append, forget: data out, and over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .output import AsJson, show

Output = Annotated[Path, typer.Option("--output", "-o", help="Where to write.")]


def export_data(
    data: Annotated[Path, typer.Argument(help="A bundle of transitions.")],
    output: Output,
    format: Annotated[
        str, typer.Option(help="npz, parquet, minari, or auto: by .npz, .parquet, -v0 (Minari).")
    ] = "auto",
    as_json: AsJson = False,
) -> None:
    """Export transitions for other tools: npz, Parquet or Minari, without loss."""
    from ..data.transitions import Transitions
    from ..data.writing import write
    from ..outputs import check_file
    from ..storage.records import load_as

    check_file(output)
    transitions = load_as(Transitions, data)
    write(transitions, output, format)  # type: ignore[arg-type]
    result = {"output": str(output), "transitions": len(transitions)}
    show(result, f"{len(transitions):,} transitions -> {output}", as_json=as_json)


def doctor(
    data: Annotated[Path, typer.Argument(help="A bundle of transitions.")],
    report: Annotated[
        Path | None, typer.Option(help="Also write a page (.html) or a picture (.png).")
    ] = None,
    most_rows: Annotated[
        int, typer.Option(help="Rows of the sample that larger data are searched in.")
    ] = 2_000_000,
    as_json: AsJson = False,
) -> None:
    """Look for defects in a dataset: what they mean, how sure it is, and how to fix them."""
    from ..data.transitions import Transitions
    from ..doctor.diagnosing import check_report, diagnose, write_report
    from ..storage.records import load_as

    if report is not None:
        check_report(report)
    diagnosis = diagnose(load_as(Transitions, data), most_rows=most_rows)
    result = diagnosis.summary()
    text = diagnosis.text()
    if report is not None:
        result["report"] = str(write_report(diagnosis, report))
        text += f"\n\nReport -> {report}"
    show(result, text, as_json=as_json)


def append(
    target: Annotated[Path, typer.Argument(help="A bundle of transitions, or a model.")],
    new: Annotated[Path, typer.Argument(help="A bundle of transitions to add.")],
    new_actions: Annotated[
        bool, typer.Option("--new-actions", help="Add actions that the target does not know.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here, and leave the target.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add episodes to a dataset or a model; a model is updated exactly, not compiled anew."""
    from ..storage.editing import append as append_episodes
    from ..storage.records import save

    source = target if output is None else _to_be_left(target, output)
    thing = append_episodes(source, new, new_actions=new_actions)
    if output is not None:
        save(thing, output)
    result = {"output": str(output or target), "transitions": len(thing)}
    show(result, f"{len(thing):,} transitions -> {output or target}", as_json=as_json)


def forget(
    target: Annotated[Path, typer.Argument(help="A bundle of transitions, or a model.")],
    episodes: Annotated[
        str, typer.Option(help="Ids of episodes as in the log, separated by commas.")
    ],
    refit: Annotated[
        bool,
        typer.Option(
            "--refit",
            help="Fit a model's encoder again too: without it, averages over them remain.",
        ),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here, and leave the target.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Remove episodes from a dataset or a model, and every row of them from its files."""
    from ..storage.editing import forget as forget_episodes
    from ..storage.records import save

    ids = [_episode_id(part.strip()) for part in episodes.split(",")]
    source = target if output is None else _to_be_left(target, output)
    thing = forget_episodes(source, ids, refit=refit)
    if output is not None:
        save(thing, output)
    result = {"output": str(output or target), "transitions": len(thing), "forgotten": ids}
    text = f"{len(thing):,} transitions without {len(ids)} episode(s) -> {output or target}"
    show(result, text, as_json=as_json)


def _episode_id(text: str) -> int | str:
    """Return a number where one is written as Python writes it: "007" is text."""
    return int(text) if text.isascii() and text.isdecimal() and str(int(text)) == text else text


def _to_be_left(target: Path, output: Path) -> Any:
    """Return what is at the target; its update goes elsewhere."""
    from ..storage.bundle import check_target
    from ..storage.records import kind_of, load

    thing = load(target)
    check_target(output, kind_of(thing))
    return thing
