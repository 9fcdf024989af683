"""report: a plan as one page for people who decide about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Lookup, Smoothness
from .output import AsJson, show


def report(
    plan: Annotated[Path, typer.Argument(help="A plan.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the page, .html.")
    ] = Path("report.html"),
    k: Smoothness = None,
    lookup: Lookup = None,
    as_json: AsJson = False,
) -> None:
    """Write one page: the data, what the plan would change, evidence and limits."""
    from ..reporting.report import check_page
    from ..reporting.report import report as report_on
    from ..solvers.plan import Plan
    from ..storage.records import load_as

    check_page(output)
    found = report_on(load_as(Plan, plan).policy(k=k, lookup=lookup))
    found.write(output)
    lines = [
        f"The plan would do something else in {found.share:.1%} of "
        f"{len(found.decisions.rows):,} logged states."
    ]
    for account in found.accounts:
        lines.append(
            f"Rules that tell its action in {account.fidelity:.1%} of them (always the same "
            f"action: {account.most_common_share:.1%}). {account.caution}"
        )
        lines += [
            f"  {found.rule_words(rule)}: {account.names[rule.action]}" for rule in account.rules
        ]
    text = "\n".join([*lines, f"-> {output}"])
    show({"output": str(output), **found.summary()}, text, as_json=as_json)
