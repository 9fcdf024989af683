"""What a dynamics network learns to predict of each transition.

"change" s_(t+h) - s_t, after h steps of which the first is the logged action's: per column in
         units of its own deviation, cut at +-5. Pictures are read as principal components.
"state"  s_t itself, standardised: nothing that is observed is lost.
"reward" r_t, standardised; "return" the discounted rewards from here to the end as logged.
"end"    whether the episode terminates with this transition.
"action" the logged action itself; where actions are rows, standardised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np

from ..arguments import choice, several, whole_number
from ..arrays import Array, Bool, Float32, Float64, frozen
from ..data.observations import is_image
from ..data.returns import returns_to_go, rows_ahead
from ..data.transitions import Transitions
from ..errors import InputError
from .picture_components import fit_picture_components

Predicted = Literal["change", "state", "reward", "return", "end", "action"]
Error = Literal["squared", "logistic", "choice"]

LARGEST = 5.0
"""Deviations at which a change is cut: one jump must not decide what is learnt."""


@dataclass(frozen=True, eq=False)
class Target:
    """One quantity to be predicted.

    Attributes:
        name: of the quantity.
        error: how a prediction is judged.
        values: [N, W] float32; for "choice", [N, 1] numbers.
        known: [N] bool, whether the log says it.
        per_action: whether each action has its own prediction; where actions are rows, whether
            it depends on the action.
    """

    name: str
    error: Error
    values: Float32
    known: Bool
    per_action: bool = True

    def outputs(self, actions: int) -> int:
        """Return how many outputs a network needs for it."""
        if self.error == "choice":
            return actions
        return self.values.shape[1] * (actions if self.per_action else 1)


def action_outputs(data: Transitions) -> int:
    """Return how many outputs stand for one prediction: one per action, or per coefficient."""
    return 1 + 2 * data.actions.shape[1] if data.action_vectors else data.num_actions


def action_terms(data: Transitions) -> Float32:
    """Return [N, 1 + 2 Da] what coefficients are of: 1, standardised numbers, their squares."""
    actions = data.actions.astype(np.float64)
    deviation = actions.std(axis=0)
    units = (actions - actions.mean(axis=0)) / np.where(deviation > 0.0, deviation, np.inf)
    limited = np.clip(units, -LARGEST, LARGEST)
    ones = np.ones((len(limited), 1))
    return np.concatenate([ones, limited, limited**2], axis=1).astype(np.float32)


def checked_predictions(predict: object) -> tuple[Predicted, ...]:
    """Return the names of what is predicted, at least one."""
    allowed = f"a list of {', '.join(get_args(Predicted))}; at least one"
    given = (predict,) if isinstance(predict, str) else several("predict", predict, allowed)
    if not given:
        raise InputError("predict", allowed, "none")
    return tuple(dict.fromkeys(choice("predict", one, get_args(Predicted)) for one in given))


def checked_steps(ahead: object) -> tuple[int, ...]:
    """Return how many steps ahead changes are predicted, at least one number."""
    given = ahead if isinstance(ahead, Sequence | np.ndarray) else (ahead,)
    steps = several("ahead", given, "numbers of steps >= 1, at least one", least=1)
    return tuple(sorted({whole_number("ahead", one) for one in steps}))


def make_targets(
    data: Transitions, predict: Sequence[Predicted], ahead: Sequence[int], gamma: float
) -> list[Target]:
    """Return what is to be predicted of every transition."""
    every = np.ones(len(data), dtype=bool)
    targets: list[Target] = []
    if "change" in predict or "state" in predict:
        here, later = _columns(data)
    if "change" in predict:
        for steps in ahead:
            rows = rows_ahead(data, steps - 1)
            change = np.where(rows[:, None] >= 0, later[rows] - here, 0.0)
            targets.append(_target(f"change_{steps}", change, rows >= 0, data))
    if "state" in predict:
        targets.append(_target("state", here, every, data, per_action=False))
    if "reward" in predict:
        targets.append(_target("reward", data.rewards[:, None], every, data))
    if "return" in predict:
        targets.append(_target("return", returns_to_go(data, gamma)[:, None], every, data))
    if "end" in predict:
        ends = data.terminations[:, None].astype(np.float32)
        targets.append(Target("end", "logistic", frozen(ends), every))
    if "action" in predict and data.action_vectors:
        targets.append(_target("action", data.actions, every, data, per_action=False))
    elif "action" in predict:
        taken = data.actions[:, None].astype(np.float32)
        targets.append(Target("action", "choice", frozen(taken), every, per_action=False))
    return targets


def _columns(data: Transitions) -> tuple[Float64, Float64]:
    """Return [N, W] s and s' as columns: those observed, or principal components of pictures."""
    if is_image(data.observations):
        components = fit_picture_components(data.observations)
        return components(data.observations), components(data.next_observations)
    flat = (
        np.asarray(part, dtype=np.float64).reshape(len(data), -1)
        for part in (data.observations, data.next_observations)
    )
    return cast("tuple[Float64, Float64]", tuple(flat))


def _target(
    name: str, values: Array, known: Bool, data: Transitions, *, per_action: bool = True
) -> Target:
    """Return a quantity in units of its deviation over the rows where it is known."""
    mean, deviation = values[known].mean(axis=0), values[known].std(axis=0)
    if is_image(data.observations) and values.shape[1] > 1:
        # Components keep their proportions: the last ones are mostly noise.
        deviation = np.full_like(deviation, np.sqrt(np.mean(deviation**2)))
    # Rounding leaves a column without differences with a deviation near its size * 2^-53.
    constant = deviation <= 1e-12 * np.abs(mean)
    scaled = np.where(known[:, None], values - mean, 0.0) / np.where(constant, np.inf, deviation)
    limited = np.clip(scaled, -LARGEST, LARGEST).astype(np.float32)
    return Target(name, "squared", frozen(limited), known, per_action)
