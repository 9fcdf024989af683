"""Hyper-parameters of the trained representations: the paper's tables as presets."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from ..arguments import check_known, choice, flag, number, optional, several, whole_number

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
            self._set(name, whole_number(name, getattr(self, name)))
        for name in ("learning_rate", "adam_epsilon"):
            self._set(name, number(name, getattr(self, name), above=0.0))
        flag("standardize_pictures", self.standardize_pictures)
        self._set("gamma", number("gamma", self.gamma, least=0.0, below=1.0))
        self._set("threshold", number("threshold", self.threshold, least=0.0, most=1.0))
        self._set("logit_penalty", number("logit_penalty", self.logit_penalty, least=0.0))
        self._set("reward_clip", optional(number, "reward_clip", self.reward_clip, above=0.0))
        widths = several("hidden", self.hidden, "widths >= 1, at least one", least=1)
        self._set("hidden", tuple(whole_number("hidden", width) for width in widths))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


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
    choice("preset", preset, get_args(Preset))
    name = ("atari" if is_image else "control") if preset == "auto" else preset
    check_known("settings", changes, (field.name for field in fields(TrainingSettings)))
    return replace(PRESETS[name], **changes)
