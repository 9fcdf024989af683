"""How far a plan can be trusted: what is proved, what is estimated, what is assumed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Float64
from ..errors import InputError
from ..evaluation.guarantee import COLUMNS_SHOWN, THINNEST, Guarantee, guarantee
from ..evaluation.statistics import bootstrap_interval
from ..mdp.problem import rewards_of
from ..representation.encoder import Standardize
from ..solvers.plan import Plan
from ..solvers.planned_actions import planned_actions
from .columns import MINUS, in_words
from .data_messages import Behaviour, Statement, Thin, ThinPlace, Trust
from .planned_distances import planned_distances
from .plans import Kept
from .session import Session
from .summaries import logged_returns

FAR = 3.0
"""Times the 90 % quantile of the distances: what lies beyond is thin."""
FEW = 2_000
"""Episodes up to which an interval is by bootstrap; beyond, a normal one is as good."""
ESTIMATE_SECONDS = 50.0
"""Of an estimate: no networks are learnt, as `fit` does with a minute or more."""
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
    statements = [_certified(plan), *_statements(found, reason)]
    if kept.summary.start_value is not None:
        statements.append(_beside(kept.summary.start_value, behaviour))
    return Trust(
        statements=(*statements, ASSUMED),
        behaviour=behaviour,
        planned=kept.summary.start_value,
        estimate=estimate,
        guarantee=None if found is None else _told(found),
        thin=_thin(plan, found),
    )


def estimated(
    session: Session, plan: Plan, watch: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Return what judges on held-out episodes say of a plan made in the same way.

    Rewards that the question changed are those by which it is judged. `watch` is that of `fit`.
    """
    from ..evaluation.candidates import Candidate
    from ..evaluation.fitting.fit import fit

    objective, mdp = plan.objective, session.mdp
    data = session.data
    if objective.rewards is not None:
        data = replace(data, rewards=rewards_of(mdp, objective))
    encoder = None if isinstance(mdp.encoder, Standardize) else mdp.encoder
    candidate = Candidate(
        objective=replace(objective, rewards=None, k=None),
        k=objective.k or mdp.graph.k,
        encoder=encoder,
        candidates=mdp.graph.indices.shape[1] if data.action_vectors else None,
        name="this question",
    )
    found = fit(
        data,
        [candidate],
        gamma=objective.gamma,
        time_budget=ESTIMATE_SECONDS,
        show_progress=False,
        watch=watch,
    )
    told = found.summary()
    return {
        name: told[name]
        for name in ("answer", "shown", "better", "interval", "level", "behaviour", "value",
                     "episodes", "judges", "notes", "assumed", "seconds")
    }  # fmt: skip


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
        "The plan is the best of the model",
        f"Every value is within ±{plan.error:.3g} of the exact optimum of the compiled model "
        f"under this question.{acting}",
        "proved",
    )


def _statements(found: Guarantee | None, reason: str) -> list[Statement]:
    title = "What the policy earns in the world"
    if found is None:
        return [Statement(title, reason, "assumed")]
    worth = (
        "The bound says nothing: it is below the worst value that there is."
        if found.vacuous
        else f"On average over the states at least {found.mean_lower_bound:.4g}, where the plan "
        f"promises {found.mean_value:.4g}, with chance {1 - found.delta:.0%}."
    )
    slope = (
        f" The smoothness L = {found.lipschitz:.3g} is estimated from the data, so nothing is "
        "proved."
        if found.lipschitz_estimated
        else ""
    )
    return [Statement(title, worth + slope, "estimated")]


def _beside(planned: float, behaviour: Behaviour) -> Statement:
    low, high = (f"{end:.3g}".replace("-", MINUS) for end in behaviour.interval)
    return Statement(
        "Beside what was done",
        f"At the starts the plan promises {planned:.4g} in the model, costs of distance taken off; "
        f"the log earned {behaviour.mean:.4g} there (95 % interval {low} to {high}). A "
        "promise is no estimate: held-out episodes are.",
        "estimated",
    )


def _behaviour(session: Session, plan: Plan) -> Behaviour:
    earned = logged_returns(plan, session.starts.rows)
    mean = float(earned.mean())
    if len(earned) <= FEW:
        return Behaviour(mean, bootstrap_interval(earned), len(earned))
    reach = 1.96 * float(earned.std(ddof=1)) / len(earned) ** 0.5
    return Behaviour(mean, (mean - reach, mean + reach), len(earned))


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
