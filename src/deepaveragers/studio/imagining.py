"""The most likely future through the data, as the plan would have it."""

from __future__ import annotations

from ..arguments import whole_number
from ..errors import InputError
from ..solvers.plan import Plan
from .inspecting import done, observed, weight_of
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
    found = []
    before = asked.state
    for one in path:
        found.append(
            Step(
                state=one.transition,
                done=done(session.data, one.transition),
                value=one.value,
                reward=one.reward,
                distance=one.distance,
                probability=(None if before is None else weight_of(plan, before, one.transition)),
            )
        )
        before = one.transition
    return Imagined(tuple(found), ended=path[-1].ends, repeats=path[-1].repeats)
