"""solve: an objective in words, and its plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from .ending import INTERRUPTED, complain
from .options import OnCluster, Output, WorkDir
from .output import AsJson, described, seconds, show
from .solve_options import (
    ActionNoise,
    ActionPenalty,
    Cost,
    Discount,
    FewerNeighbors,
    ForbiddenActions,
    Horizon,
    LeastSupport,
    MaskFile,
    Penalty,
    RewardColumn,
    RewardsFile,
    Slip,
    StartPlan,
    TimeBudget,
    Tolerance,
    Weighting,
    WorstCase,
)

if TYPE_CHECKING:
    from ..data.transitions import Transitions
    from ..mdp.model import DacMdp
    from ..solvers.plan import Plan

NEIGHBORS = 5
"""Per state and action, as `dac compile` takes by default."""


def solve(
    model: Annotated[
        Path, typer.Argument(help="A compiled model, an earlier plan, or data, compiled first.")
    ],
    output: Output,
    gamma: Discount = 0.99,
    cost: Cost = None,
    weighting: Weighting = "inverse",
    k: FewerNeighbors = None,
    forbid: ForbiddenActions = None,
    action_penalty: ActionPenalty = None,
    mask: MaskFile = None,
    support: LeastSupport = 0.0,
    rewards: RewardsFile = None,
    reward_column: RewardColumn = None,
    slip: Slip = 0.0,
    action_noise: ActionNoise = 0.0,
    worst_case: WorstCase = 0.0,
    horizon: Horizon = None,
    penalty: Penalty = "linear",
    tolerance: Tolerance = 1e-3,
    time_budget: TimeBudget = None,
    start: StartPlan = None,
    cluster: OnCluster = None,
    work_dir: WorkDir = None,
    as_json: AsJson = False,
) -> None:
    """Plan: solve a compiled model to a certified optimum."""
    from ..solvers.plan import Plan
    from ..storage.bundle import check_target
    from ..storage.records import load_as

    check_target(output, "plan")
    mdp = _compiled(model, k)
    names = mdp.transitions.action_names
    plan = mdp.solve(
        gamma=gamma,
        cost=cost,
        weighting=weighting,  # type: ignore[arg-type]
        k=k,
        forbidden_actions=_forbidden(forbid or [], mdp.transitions),
        action_penalties=dict(_priced(text, names) for text in action_penalty or ()) or None,
        slip=slip,
        action_noise=action_noise,
        worst_case=worst_case,
        horizon=horizon,
        penalty=penalty,  # type: ignore[arg-type]
        support=support,
        tolerance=tolerance,
        time_budget=time_budget,
        start=None if start is None else load_as(Plan, start),
        cluster=cluster,
        work_dir=work_dir,
        **_per_transition(mdp.transitions, mask, rewards, reward_column),
    )
    _keep(plan, output, as_json)


def _keep(plan: Plan, output: Path, as_json: bool) -> None:
    """Save a plan and show it; one that is not finished replaces none that is."""
    from ..storage.records import save

    if not plan.converged and _finished(output):
        _refuse(plan, output, as_json)
    save(plan, output)
    result = {"output": str(output), **described(plan)}
    show(result, _text(plan, result), as_json=as_json)
    if plan.status == "interrupted":
        raise SystemExit(INTERRUPTED)


def _refuse(plan: Plan, output: Path, as_json: bool) -> NoReturn:
    """Say that a plan that is not finished does not replace one that is."""
    interrupted = plan.status == "interrupted"
    reason = "Interrupted" if interrupted else "Out of time"
    complain(
        f"{reason} at +-{plan.error:.3g}; {output} keeps the finished plan that it had. "
        "Give another --output to keep one that is not finished.",
        as_json=as_json,
    )
    raise SystemExit(INTERRUPTED if interrupted else 1)


def _text(plan: Plan, result: dict[str, Any]) -> str:
    """Return what is said of a plan that was saved."""
    text = (
        f"{plan.status}: values certified to +-{plan.error:.3g} "
        f"in {plan.sweeps} sweeps, {seconds(plan.seconds)} -> {result['output']}"
    )
    mean, best = result["mean_value"], result["best_logged_return"]
    if mean > best:
        text += (
            f"\nThe mean value, {mean:.4g}, is above the best logged return, {best:.4g}: the plan "
            "joins parts of different episodes."
        )
    return text


def _compiled(path: Path, k: int | None) -> DacMdp:
    """Return the model at a path, that of a plan, or one compiled from data."""
    from ..data.transitions import Transitions
    from ..mdp.compilation import compile
    from ..mdp.model import DacMdp
    from ..solvers.plan import Plan
    from ..storage.records import load_as

    loaded = load_as((DacMdp, Plan, Transitions), path)
    if isinstance(loaded, Transitions):
        return compile(loaded, NEIGHBORS if k is None else k)
    return loaded.mdp if isinstance(loaded, Plan) else loaded


def _finished(path: Path) -> bool:
    """Whether there is a plan that reached its tolerance."""
    from ..storage.manifest import read_manifest

    return path.exists() and read_manifest(path)["settings"].get("status") == "optimal"


def _per_transition(
    data: Transitions, mask: Path | None, rewards: Path | None, column: str | None
) -> dict[str, Any]:
    """Return what the files say about every transition."""
    from ..data.tables.per_transition import read_flags, read_numbers
    from ..errors import InputError

    if column is not None and rewards is None:
        raise InputError("--reward-column", "given with --rewards", "without it")
    return {
        "rewards": None if rewards is None else read_numbers(rewards, column),
        "action_mask": None if mask is None else read_flags(mask, data.action_names),
    }


def _forbidden(given: list[str], data: Transitions) -> Any:
    """Return actions, or where they are rows ranges by column."""
    from ..errors import InputError

    if not data.action_vectors:
        return [_action(name, data.action_names) for name in given]
    ranges: dict[str, list[tuple[float | None, ...]]] = {}
    for text in given:
        column, equals, ends = text.rpartition("=")
        try:
            low, high = (float(end) if end else None for end in ends.split(":"))
        except ValueError:
            equals = ""
        if not equals:
            raise InputError("--forbid", "COLUMN=LOW:HIGH, as in throttle=0.5:1", repr(text))
        ranges.setdefault(column, []).append((low, high))
    return ranges


def _priced(text: str, names: tuple[str, ...]) -> tuple[int | str, float]:
    from ..errors import InputError

    action, equals, price = text.rpartition("=")
    try:
        if equals:
            return _action(action, names), float(price)
    except ValueError:
        pass
    raise InputError("--action-penalty", "ACTION=PRICE, as in left=0.5", repr(text))


def _action(name: str, names: tuple[str, ...]) -> int | str:
    """Return an action as it was meant: by its name, or if no action has that, by its number."""
    return int(name) if name.isdecimal() and name not in names else name
