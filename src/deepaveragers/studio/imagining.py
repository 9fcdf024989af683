"""The most likely future through the data, as the plan would have it."""

from __future__ import annotations

from ..arguments import whole_number
from ..errors import InputError
from ..solvers.plan import Plan
from .inspecting import observed, weight_of
from .inspection_messages import Imagined, ImagineRequest, Step
from .session import Session

MOST_STEPS = 200


def imagine(session: Session, plan: Plan, asked: ImagineRequest) -> Imagined:
    """Return the steps from a state, as `Policy.imagine` finds them."""
    observation = observed(session, asked.state, asked.observation)
    steps = whole_number("steps", asked.steps)
    if steps > MOST_STEPS:
        raise InputError("steps", f"at most {MOST_STEPS}", steps)
    if asked.state is not None and session.data.terminations[asked.state]:
        return Imagined((), ended=True, repeats=False)
    path = session.policy(plan).imagine(observation, steps)
    names = session.data.action_names
    found = []
    before = asked.state
    for one in path:
        action = names.index(one.action)
        found.append(
            Step(
                state=one.transition,
                action=action,
                value=one.value,
                reward=one.reward,
                distance=one.distance,
                probability=(
                    None if before is None else weight_of(plan, before, action, one.transition)
                ),
            )
        )
        before = one.transition
    return Imagined(tuple(found), ended=path[-1].ends, repeats=path[-1].repeats)
