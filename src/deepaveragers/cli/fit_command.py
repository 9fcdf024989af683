"""fit: from a log to a policy, and whether it is better than what is done today."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import OnCluster, Output, WorkDir
from .output import AsJson, Seed, show

if TYPE_CHECKING:
    from ..evaluation.fitting.answer import Fit


def fit(
    data: Annotated[Path, typer.Argument(help="A bundle of transitions.")],
    output: Output,
    gamma: Annotated[float, typer.Option(help="Discount of the returns that are judged.")] = 0.99,
    level: Annotated[float, typer.Option(help="Of the interval.")] = 0.9,
    folds: Annotated[int, typer.Option(help="Parts of the log that judge in turn.")] = 2,
    budget: Annotated[
        int, typer.Option(help="Candidates that may be played in the environment.")
    ] = 1,
    env: Annotated[str | None, typer.Option(help="Id of a Gymnasium environment.")] = None,
    episodes: Annotated[int, typer.Option(help="Per candidate that is played.")] = 100,
    time_budget: Annotated[float | None, typer.Option(help="Seconds that it may take.")] = None,
    resume_dir: Annotated[
        Path | None, typer.Option(help="Keep what was judged here; a stopped fit continues.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Where to draw the answer.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Where to write the report, with the answer: .html.")
    ] = None,
    seed: Seed = 0,
    cluster: OnCluster = None,
    work_dir: WorkDir = None,
    as_json: AsJson = False,
) -> None:
    """Make a policy from a log, and say whether it is better than what is done today."""
    from ..data.transitions import Transitions
    from ..evaluation.fitting.fit import fit as fit_policy
    from ..evaluation.pictures import check_picture
    from ..reporting.report import check_page
    from ..storage.bundle import check_target
    from ..storage.records import load_as, save

    check_target(output, "plan")
    if picture is not None:
        check_picture(picture)
    logged = load_as(Transitions, data)
    if report is not None:
        check_page(report)
    found = fit_policy(
        logged,
        None,
        budget,
        env,
        gamma=gamma,
        level=level,
        folds=folds,
        episodes=episodes,
        time_budget=time_budget,
        resume_dir=resume_dir,
        seed=seed,
        cluster=cluster,
        work_dir=work_dir,
    )
    save(found.plan, output)
    _show(found, output, picture, report, as_json)


def _show(
    found: Fit, output: Path, picture: Path | None, report: Path | None, as_json: bool
) -> None:
    """Show the answer, and draw and report it where that was asked for."""
    from ..reporting.report import report as report_on

    result = {"output": str(output), **found.summary()}
    text = f"{found}\n\n{found.candidate} -> {output}"
    if picture is not None:
        result["picture"] = str(found.picture(picture))
        text += f"\nPicture: {picture}"
    if report is not None:
        result["report"] = str(report_on(found).write(report))
        text += f"\nReport: {report}"
    show(result, text, as_json=as_json)
