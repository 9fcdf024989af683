"""How far a plan can be trusted: what is proved, what is estimated, what is assumed."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ..arrays import Float64
from ..errors import InputError
from ..evaluation.guarantee import COLUMNS_SHOWN, THINNEST, Guarantee, guarantee
from ..evaluation.quantiles import normal_reach
from ..evaluation.statistics import bootstrap_interval
from ..mdp.jumps import FARTHEST, jumps_in_words
from ..mdp.logged_returns import logged_returns, steps_from_starts
from ..solvers.plan import Plan
from ..solvers.planned_actions import planned_actions
from .columns import in_words, typeset
from .data_messages import Behaviour, Statement, Thin, ThinPlace, Trust
from .planned_distances import planned_distances
from .plans import Kept
from .session import Session

FAR = 3.0
"""Times the 90 % quantile of the distances: what lies beyond is thin."""
FEW = 2_000
"""Episodes up to which an interval is by bootstrap; beyond, a normal one is as good."""
LEVEL = 0.95
"""Of the interval of what the log earned."""
BEYOND_THEOREM = (
    "The theorem speaks of plans with the linear penalty and without slip, worst case, horizon: "
    "of this question it says nothing."
)
OF_NUMBERED = (
    "The theorem speaks of discrete actions; of these it says nothing. Held-out episodes do."
)
ASSUMED = Statement(
    "The model is not the world",
    "States that are near each other in the representation are taken to behave alike, and the "
    "logged state is taken to be all that decisions and outcomes depend on.",
    "assumed",
)


def trust(session: Session, kept: Kept, estimate: dict[str, Any] | None) -> Trust:
    """Return what is known of a plan."""
    plan = kept.plan
    found, reason = _guarantee(plan)
    behaviour = _behaviour(session, plan)
    statements = [_certified(plan), _in_the_world(found, reason), *_jumps(session.jumps)]
    if kept.summary.start_value is not None:
        statements.append(_beside(kept.summary.start_value, behaviour))
    return Trust(
        statements=tuple(
            msgspec.structs.replace(one, text=typeset(one.text)) for one in (*statements, ASSUMED)
        ),
        behaviour=behaviour,
        planned=kept.summary.start_value,
        estimate=estimate,
        guarantee=None if found is None else _told(found),
        thin=_thin(plan, found),
    )


def _guarantee(plan: Plan) -> tuple[Guarantee | None, str]:
    try:
        return guarantee(plan), ""
    except InputError as error:
        if plan.mdp.transitions.action_vectors:
            return None, OF_NUMBERED
        known = error.parameter == "plan"
        return None, BEYOND_THEOREM if known else f"The theorem says nothing here: {error}"


def _certified(plan: Plan) -> Statement:
    loss = plan.greedy_loss
    acting = (
        f" Acting by it loses at most {loss:.3g} of the best in any state of the model."
        if np.isfinite(loss)
        else ""
    )
    return Statement(
        "The plan is the best of the model" if plan.converged else "The plan is not finished",
        f"Every value is within ±{plan.error:.3g} of the exact optimum of the compiled model "
        f"under this question.{acting}",
        "proved",
    )


def _in_the_world(found: Guarantee | None, reason: str) -> Statement:
    title = "What the policy earns in the world"
    if found is None:
        return Statement(title, reason, "unknown")
    if found.vacuous:
        return Statement(
            title, "The bound says nothing: it is below the worst value that there is.", "unknown"
        )
    worth = (
        f"On average over the states at least {found.mean_lower_bound:.4g}, where the plan "
        f"promises {found.mean_value:.4g}, with chance {1 - found.delta:.0%}."
    )
    slope = (
        f" The smoothness L = {found.lipschitz:.3g} is estimated from the data, so nothing is "
        "proved."
        if found.lipschitz_estimated
        else ""
    )
    return Statement(title, worth + slope, "estimated")


def _jumps(ratio: float) -> tuple[Statement, ...]:
    """Say how far the plan jumps; nothing where no step goes on."""
    title = "The plan leans on jumps" if ratio > FARTHEST else "The plan's jumps are short"
    words = jumps_in_words(ratio)
    return (Statement(title, words, "estimated"),) if words else ()


def _beside(planned: float, behaviour: Behaviour) -> Statement:
    low, high = behaviour.interval
    steps = "" if behaviour.steps is None else f" in its first {behaviour.steps} steps"
    return Statement(
        "Beside what was done",
        f"At the starts the plan promises {planned:.4g} in the model, costs of distance taken off; "
        f"the log earned {behaviour.mean:.4g} there{steps} ({behaviour.level:.0%} interval "
        f"{low:.3g} to {high:.3g}). A promise is no estimate: held-out episodes are.",
        "promised",
    )


def _behaviour(session: Session, plan: Plan) -> Behaviour:
    earned = logged_returns(plan.mdp, plan.objective, from_starts=True)[session.starts.rows]
    mean = float(earned.mean())
    if len(earned) <= FEW:
        interval = bootstrap_interval(earned, level=LEVEL)
    else:
        reach = normal_reach(LEVEL) * float(earned.std(ddof=1)) / len(earned) ** 0.5
        interval = mean - reach, mean + reach
    return Behaviour(mean, interval, LEVEL, len(earned), steps_from_starts(plan.objective))


def _told(found: Guarantee) -> dict[str, Any]:
    told = found.summary()
    del told["thinnest"]
    return told


def _thin(plan: Plan, found: Guarantee | None) -> Thin:
    distances = planned_distances(plan)
    known = distances[np.isfinite(distances)]
    threshold = FAR * float(np.quantile(known, 0.9)) if len(known) else 0.0
    far = int((known > threshold).sum())
    return Thin(
        states=far,
        share=far / max(1, len(known)),
        threshold=threshold,
        colouring="support",
        thinnest=tuple(
            ThinPlace(one.transition, one.action, one.distance, one.episode, one.observation)
            for one in found.thinnest
        )
        if found is not None
        else _thinnest(plan, distances),
    )


def _thinnest(plan: Plan, distances: Float64) -> tuple[ThinPlace, ...]:
    data, planned = plan.mdp.transitions, planned_actions(plan)
    order = np.argsort(-np.nan_to_num(distances, nan=-1.0), kind="stable")[:THINNEST]
    return tuple(
        ThinPlace(
            state=state,
            action=in_words(data, int(planned[state])),
            distance=float(distances[state]),
            episode=data.episode_name(state),
            observation=data.by_name(data.next_observations[state], COLUMNS_SHOWN),
        )
        for state in order[np.isfinite(distances[order])].tolist()
    )
