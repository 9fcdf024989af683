"""Hyper-parameters of the trained representations: the paper's tables as presets."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from ..errors import InputError

Preset = Literal["auto", "atari", "navigation", "control"]
"""'auto' takes 'atari' for pictures and 'control' for vectors."""


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a Q-network is trained on a dataset.

    The defaults are the paper's Table 3, but for `standardize_pictures`.

    Attributes:
        batch_size: transitions per update.
        learning_rate: of Adam.
        adam_epsilon: of Adam.
        gamma: discount.
        target_every: updates between copies of the network to its target.
        reward_clip: rewards are clipped to +- this; None leaves them (Table 1 clips at 1).
        standardize_pictures: read pictures as (x - mean picture) / standard deviation. Where
            little moves, as in Pong, a network sees nothing else in x / 255 and learns
            nothing in tens of thousands of updates. False is the paper's.
        hidden: widths of a head's hidden layers; the last is the representation.
        threshold: BCQ only; actions less likely than this share of the likeliest one's
            probability under the imitation are never chosen.
        logit_penalty: BCQ only; weight of the mean squared imitation logits in the loss.
    """

    batch_size: int = 32
    learning_rate: float = 0.0000625
    adam_epsilon: float = 0.00015
    gamma: float = 0.99
    target_every: int = 8_000
    reward_clip: float | None = 1.0
    standardize_pictures: bool = True
    hidden: tuple[int, ...] = (512, 16)
    threshold: float = 0.3
    logit_penalty: float = 0.01

    def __post_init__(self) -> None:
        for name in ("batch_size", "target_every"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(name, "a whole number >= 1", value)
        for name in ("learning_rate", "adam_epsilon"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise InputError(name, "a number > 0", value)
        if not isinstance(self.standardize_pictures, bool):
            raise InputError("standardize_pictures", "true or false", self.standardize_pictures)
        if not 0.0 <= self.gamma < 1.0:
            raise InputError("gamma", "in [0, 1)", self.gamma)
        if not 0.0 <= self.threshold <= 1.0:
            raise InputError("threshold", "in [0, 1]", self.threshold)
        if not self.logit_penalty >= 0.0:
            raise InputError("logit_penalty", "a number >= 0", self.logit_penalty)
        if self.reward_clip is not None and not self.reward_clip > 0:
            raise InputError("reward_clip", "a number > 0, or None", self.reward_clip)
        object.__setattr__(self, "hidden", tuple(self.hidden))


PRESETS: dict[str, TrainingSettings] = {
    "atari": TrainingSettings(),
    "navigation": TrainingSettings(
        batch_size=64, learning_rate=0.0003, adam_epsilon=1e-8, target_every=100, reward_clip=None
    ),
    "control": TrainingSettings(
        batch_size=64,
        learning_rate=0.0005,
        adam_epsilon=1e-8,
        target_every=500,
        reward_clip=None,
        hidden=(256, 256, 16),
    ),
}
"""Tables 3 and 4 of the paper, and ours for vector observations."""


def choose_settings(preset: Preset, is_image: bool, changes: dict[str, Any]) -> TrainingSettings:
    """Return a preset with some of its fields changed."""
    if preset not in get_args(Preset):
        raise InputError("preset", f"one of {', '.join(get_args(Preset))}", repr(preset))
    name = ("atari" if is_image else "control") if preset == "auto" else preset
    known = {field.name for field in fields(TrainingSettings)}
    for change in changes:
        if change not in known:
            raise InputError("settings", f"among {', '.join(sorted(known))}", change)
    return replace(PRESETS[name], **changes)
