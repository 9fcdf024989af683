"""What the commands print: a readable table, or one JSON object and nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from ..printable import printable

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Seed = Annotated[int, typer.Option(help="Same seed, same result.")]


def show(result: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """Print the result: as JSON, or as the readable text."""
    typer.echo(json.dumps(plain(result), allow_nan=False) if as_json else printable(text))


def table(rows: Sequence[Sequence[str]], header: Sequence[str] | None = None) -> str:
    """Return rows as aligned text: the first column to the left, the others to the right."""
    everything = [list(header), *map(list, rows)] if header else [list(row) for row in rows]
    widths = [max(len(row[place]) for row in everything) for place in range(len(everything[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in everything
    ]
    if header:
        lines.insert(1, "-" * (sum(widths) + 2 * (len(widths) - 1)))
    return "\n".join(lines)


def seconds(duration: float) -> str:
    """Return a duration with a unit that suits its size."""
    return f"{duration * 1000:.0f} ms" if duration < 1.0 else f"{duration:.1f} s"


def plain(value: Any) -> Any:
    """Return a value that JSON can hold; numbers that are not finite become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def described(thing: Any) -> dict[str, Any]:
    """Return what is to be known of data, a model, a plan or a policy."""
    from ..mdp.model import DacMdp
    from ..policy.compact import CompactPolicy
    from ..policy.policy import Policy
    from ..solvers.plan import Plan

    if isinstance(thing, Policy | CompactPolicy):
        whole = isinstance(thing, Policy)
        acting = thing.compact() if isinstance(thing, Policy) else thing
        return {"kind": "policy", "evidence": whole, **acting.summary()}
    if isinstance(thing, Plan):
        return {**described(thing.mdp), "kind": "plan", **thing.summary()}
    if isinstance(thing, DacMdp):
        return {**described(thing.transitions), "kind": "model", **thing.summary()}
    return {"kind": "transitions", **thing.summary()}
