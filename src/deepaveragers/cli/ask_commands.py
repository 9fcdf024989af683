"""explain, guarantee, compare: questions to plans."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Lookup, Smoothness
from .options import observation as as_observation
from .output import AsJson, show, table

if TYPE_CHECKING:
    from ..data.transitions import Transitions
    from ..policy.policy import Policy

PlanPath = Annotated[Path, typer.Argument(help="A plan.")]


def explain(
    plan: Annotated[Path, typer.Argument(help="A plan, or a policy with its evidence.")],
    observation: Annotated[
        str | None,
        typer.Option(
            help="Numbers in the order of the data, or by name: 'age=60,lactate=6.5', or JSON."
        ),
    ] = None,
    transition: Annotated[
        int | None, typer.Option(help="Or the number of a logged transition: its start.")
    ] = None,
    episode: Annotated[
        str | None, typer.Option(help="Or a logged episode, by its name in the log.")
    ] = None,
    step: Annotated[int, typer.Option(help="Which step of that episode; the first is 0.")] = 0,
    k: Smoothness = None,
    lookup: Lookup = None,
    steps: Annotated[int, typer.Option(help="Steps of the imagined future to show.")] = 0,
    cases: Annotated[int, typer.Option(help="Comparable cases to show of an action.")] = 4,
    details: Annotated[
        bool, typer.Option("--details", help="Show the exact sum behind the value, too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a decision, comparable cases of the log, and how those ended."""
    from ..arguments import whole_number
    from ..errors import InputError

    steps = whole_number("--steps", steps, least=0)
    if sum(one is not None for one in (observation, transition, episode)) != 1:
        ways = "--observation, --transition or --episode"
        raise InputError(ways, "given, one of the three", "several or none")
    policy = _explaining(plan, k, lookup)
    data = policy.plan.mdp.transitions
    if observation is not None:
        asked: Any = as_observation("--observation", observation)
    elif episode is not None:
        asked = data.observations[step_of(data, episode, step)]
    else:
        if not 0 <= (transition or 0) < len(data):
            raise InputError("--transition", f"in 0..{len(data) - 1}", transition)
        asked = data.observations[transition]
    decision = policy.explain(asked, whole_number("--cases", cases, least=0))
    future = policy.imagine(asked, steps) if steps > 0 else []
    result = {**decision.summary(), "imagined": [asdict(step) for step in future]}
    text = str(decision)
    if details:
        text += f"\n\n{decision.decomposition()}"
    if future:
        rows = [
            (s.action, str(s.transition), f"{s.reward:.4g}", f"{s.distance:.4g}", f"{s.value:.4g}")
            for s in future
        ]
        header = ("imagined action", "as in transition", "reward", "distance", "value after")
        text += "\n\n" + table(rows, header)
        text += "\nFrom here on the imagined future repeats itself." * future[-1].repeats
    show(result, text, as_json=as_json)


def _explaining(path: Path, k: int | None, lookup: Any) -> Policy:
    """Return the policy of a plan, or the one that was saved."""
    from ..errors import InputError
    from ..policy.policy import Policy
    from ..solvers.plan import Plan
    from ..storage.records import load_as

    found = load_as((Plan, Policy), path)
    if isinstance(found, Plan):
        return found.policy(k=k, lookup=lookup)
    if k is not None or lookup is not None:
        raise InputError("--k and --lookup", "given with a plan", "a policy, which has its own")
    return found


def step_of(data: Transitions, episode: str, step: int) -> int:
    """Return the transition at a step of an episode."""
    from ..data.episodes import rows_of
    from ..errors import InputError

    numbered = data.episode_names is None and episode.isdecimal()
    wanted = int(episode) if numbered else episode
    rows = rows_of(wanted, data.episode_ids, data.episode_names).nonzero()[0]
    if not 0 <= step < len(rows):
        raise InputError("--step", f"in 0..{len(rows) - 1} for episode {episode}", step)
    return int(rows[step])


def guarantee(
    plan: PlanPath,
    delta: Annotated[float, typer.Option(help="Chance with which the bound may fail.")] = 0.05,
    lipschitz: Annotated[
        float | None, typer.Option(help="How fast values change with distance; else estimated.")
    ] = None,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="The environment has no chance in it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bound from below what a plan's policy will really earn."""
    from ..evaluation.guarantee import guarantee as bound
    from ..solvers.plan import Plan
    from ..storage.records import load_as

    found = bound(load_as(Plan, plan), delta, lipschitz=lipschitz, deterministic=deterministic)
    estimated = " (estimated from the data)" if found.lipschitz_estimated else ""
    rows = [
        ("mean planned value", f"{found.mean_value:.5g}"),
        ("lower bound on it", f"{found.mean_lower_bound:.5g}"),
        ("loss against the best policy, at most", f"{found.loss:.5g}"),
        ("Lipschitz constant", f"{found.lipschitz:.4g}{estimated}"),
        ("distance to the data, largest planned", f"{found.distance_planned_max:.4g}"),
        ("sampling term", f"{found.sampling:.4g}"),
    ]
    notes = ["The bound says nothing here: it lies below the worst value."] * found.vacuous
    notes += [
        f"More data would help most near transition {thin.transition} "
        f"(episode {thin.episode}), action {thin.action} "
        f"(distance {thin.distance:.3g})."
        for thin in found.thinnest[:1]
    ]
    show(found.summary(), "\n".join([table(rows), "", *notes]), as_json=as_json)


def compare(
    first: PlanPath,
    second: Annotated[Path, typer.Argument(help="Another plan of the same model.")],
    picture: Annotated[Path | None, typer.Option(help="Where to draw the difference.")] = None,
    columns: Annotated[
        str | None,
        typer.Option(help="Two columns of the observations, by name or number; else components."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show where two plans act differently, and what each loses by the other's ways."""
    from ..errors import InputError
    from ..evaluation.comparing import compare as compare_plans
    from ..evaluation.pictures import check_picture
    from ..solvers.plan import Plan
    from ..storage.records import load_as

    if picture is not None:
        check_picture(picture)
    found = compare_plans(load_as(Plan, first), load_as(Plan, second))
    result, text = found.summary(), str(found)
    if picture is not None:
        chosen: list[int | str] | None = None
        if columns is not None:
            chosen = [int(one) if one.isdecimal() else one for one in columns.split(",")]
            if len(chosen) != 2:
                raise InputError("--columns", "two columns separated by a comma", columns)
        result["picture"] = str(found.picture(picture, chosen))
        text += f"\nPicture: {picture}"
    show(result, text, as_json=as_json)
