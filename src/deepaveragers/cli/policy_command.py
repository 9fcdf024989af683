"""policy: from a plan to a file that acts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Lookup, Output, Smoothness
from .output import AsJson, Seed, show


def policy(
    plan: Annotated[Path, typer.Argument(help="A plan.")],
    output: Output,
    with_evidence: Annotated[
        bool,
        typer.Option(
            "--with-evidence", help="Take the plan and the log along, so that it can explain."
        ),
    ] = False,
    k: Smoothness = None,
    lookup: Lookup = None,
    support_threshold: Annotated[
        float | None, typer.Option(help="In [0, 1]: where support is smaller, the fallback acts.")
    ] = None,
    fallback: Annotated[
        str | None,
        typer.Option(
            help="That action, by name or number, or its numbers by commas where actions are "
            "rows; with --support-threshold."
        ),
    ] = None,
    states: Annotated[
        int | None, typer.Option(help="Keep only this many states, and say how well that agrees.")
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Make a file of what acting needs of a plan, and no more."""
    from ..errors import InputError
    from ..solvers.plan import Plan
    from ..storage.bundle import check_target
    from ..storage.records import load_as, save

    check_target(output, "policy")
    if states is not None and with_evidence:
        raise InputError("--states", "given without --with-evidence", states)
    found: Plan = load_as(Plan, plan)
    rows = found.mdp.transitions.action_vectors
    whole = found.policy(
        k=k,
        lookup=lookup,  # type: ignore[arg-type]
        support_threshold=support_threshold,
        fallback=_row(fallback) if rows else _action(fallback),
    )
    acting = whole.compact() if states is None else whole.thinned(states, seed=seed)
    save(whole if with_evidence else acting, output, evidence=with_evidence)
    size = sum(file.stat().st_size for file in output.iterdir())
    result = {"output": str(output), "bytes": size, **acting.summary()}
    text = f"{acting.actions_in_words}, plan {acting.digest}, {size:,} bytes -> {output}"
    if acting.agreement is not None:
        thin = acting.agreement
        text += (
            f"\n{thin.states:,} states act as the whole policy in {thin.same:.1%} of "
            f"{thin.tested:,} logged states; what the others cost is {thin.loss:.4g} on average."
        )
    show(result, text, as_json=as_json)


def _action(text: str | None) -> str | int | None:
    """Return an action as the plan knows it: a number only where no name is meant."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() else text


def _row(text: str | None) -> list[str] | None:
    """Return the numbers of an action that is a row; the policy checks them."""
    return None if text is None else text.split(",")
