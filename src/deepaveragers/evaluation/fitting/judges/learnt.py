"""A simulator learnt from the log: small networks that disagree where the log says little.

Each member sees its own draw of the episodes. Inputs are the standardised state and the action;
outputs, for every column that changes, the mean change and its deviation, the same of the reward,
and the log-odds of the end. An episode stays with one member, ends by chance, and its states
stay in the box of the data.

Loss: Huber's of the means, the Gaussian log-likelihood of the deviations given the means, and
the logistic loss of the ends; Adam with a learning rate that falls to 0 along a cosine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....arrays import Array, Bool, Float64, Int64
from ....progress import Advance
from ....representation.networks import F, inference_mode, torch
from ..folds import Log
from .action_inputs import action_inputs
from .playing import Weights

MEMBERS = 5
HIDDEN = 128
FEWEST_STEPS, MOST_STEPS = 1_500, 3_000
ROWS_PER_STEP = 3.5
"""Rows of a log that ask for one more update."""
BATCH = 128
LEARNING_RATE = 1e-3
QUIETEST, LOUDEST = -8.0, 1.0
"""Log-deviation of a standardised output, least and most."""
FARTHEST_CHANGE = 6.0
"""Deviations of a change, beyond which it is clipped in training."""


@dataclass(frozen=True, eq=False)
class Scales:
    """How states, changes and rewards are read.

    Attributes:
        mean, deviation: [D] float64, of the states.
        change_mean, change_deviation: [D + 1] float64, of the change per step and the reward.
        low, high: [D] float64, the box of the standardised states.
        rewards: smallest and largest.
    """

    mean: Float64
    deviation: Float64
    change_mean: Float64
    change_deviation: Float64
    low: Float64
    high: Float64
    rewards: tuple[float, float]


def steps_for(rows: int) -> int:
    """Return how many updates a log of this many rows takes."""
    return int(min(max(rows / ROWS_PER_STEP, FEWEST_STEPS), MOST_STEPS))


def scales_of(states: Float64, next_states: Float64, rewards: Float64) -> Scales:
    """Return how the log is read."""
    mean, deviation = states.mean(axis=0), _deviation(states)
    changes = np.column_stack((next_states - states, rewards))
    both = np.concatenate((states, next_states))
    return Scales(
        mean,
        deviation,
        changes.mean(axis=0),
        _deviation(changes),
        (both.min(axis=0) - mean) / deviation,
        (both.max(axis=0) - mean) / deviation,
        (float(rewards.min()), float(rewards.max())),
    )


def _deviation(columns: Float64) -> Float64:
    found = columns.std(axis=0)
    return np.where(found <= 1e-12 * np.abs(columns.mean(axis=0)), 1.0, found)


class LearntSimulator:
    """An ensemble of networks for one log of vectors."""

    members = MEMBERS

    def __init__(
        self, log: Log, *, seed: int, advance: Advance, weights: Weights | None = None
    ) -> None:
        """Learn from a log, or take weights that were learnt from it before."""
        data = log.data
        states = np.asarray(data.observations, dtype=np.float64).reshape(len(data), -1)
        following = np.asarray(data.next_observations, dtype=np.float64).reshape(len(data), -1)
        self._shape, self._dtype = data.observation_shape, data.observations.dtype
        self._actions = action_inputs(data)
        self._scales = scales_of(states, following, data.rewards)
        inputs = self._inputs((states - self._scales.mean) / self._scales.deviation, data.actions)
        changes = np.column_stack((following - states, data.rewards))
        targets = (changes - self._scales.change_mean) / self._scales.change_deviation
        targets = np.clip(targets, -FARTHEST_CHANGE, FARTHEST_CHANGE)
        ends = data.terminations.astype(np.float32)
        self._ends = bool(ends.any())
        if weights is not None:
            self._weights = {name: torch.tensor(array) for name, array in weights.items()}
            return
        self._weights = _train(
            inputs,
            targets.astype(np.float32),
            ends,
            _drawn_rows(log, seed),
            seed,
            steps_for(len(data)),
            advance,
        )

    @property
    def weights(self) -> Weights:
        """By name, of all members."""
        return {name: tensor.numpy() for name, tensor in self._weights.items()}

    def states(self, observations: Array) -> Float64:
        """Return the standardised states [B, D]."""
        flat = np.asarray(observations, dtype=np.float64).reshape(len(observations), -1)
        return (flat - self._scales.mean) / self._scales.deviation

    def observations(self, states: Float64) -> Array:
        """Return observations [B, ...] as in the data."""
        flat = states * self._scales.deviation + self._scales.mean
        return flat.reshape(len(states), *self._shape).astype(self._dtype)

    def step(
        self, states: Float64, actions: Array, member: Int64, draws: Float64
    ) -> tuple[Float64, Float64, Bool, Bool]:
        """Return next states, rewards, whether ended, whether believed."""
        inputs = self._inputs(states, actions)
        size = states.shape[1] + 1
        outputs = np.empty((len(states), 2 * size + 1))
        with inference_mode():
            for one in range(self.members):
                own = np.flatnonzero(member == one)
                if len(own):
                    weights = {name: w[one : one + 1] for name, w in self._weights.items()}
                    outputs[own] = _forward(weights, torch.as_tensor(inputs[own])[None])[0].numpy()
        mean, log_deviation = outputs[:, :size], outputs[:, size : 2 * size]
        chances = torch.as_tensor(np.clip(draws[:, :size], 1e-4, 1.0 - 1e-4))
        normal = torch.special.ndtri(chances).numpy()
        noise = np.exp(np.clip(log_deviation, QUIETEST, LOUDEST)) * normal
        moved = (mean + noise) * self._scales.change_deviation + self._scales.change_mean
        following = states + moved[:, :-1] / self._scales.deviation
        following = np.clip(following, self._scales.low, self._scales.high)
        rewards = np.clip(moved[:, -1], *self._scales.rewards)
        chance = 1.0 / (1.0 + np.exp(-np.clip(outputs[:, -1], -50.0, 50.0)))
        ended = (draws[:, -1] < chance) & self._ends
        return following, rewards, ended, np.ones(len(states), dtype=bool)

    def _inputs(self, states: Float64, actions: Array) -> Any:
        taken = self._actions(actions).astype(np.float32)
        return np.concatenate((states.astype(np.float32), taken), axis=1)


def _drawn_rows(log: Log, seed: int) -> list[Int64]:
    """Return, for each member, the rows of episodes drawn with replacement."""
    generator = np.random.default_rng(seed)
    rows = []
    for _ in range(MEMBERS):
        drawn = generator.integers(len(log), size=len(log))
        parts = [np.arange(log.first[e], log.last[e] + 1) for e in drawn]
        rows.append(np.concatenate(parts))
    return rows


def _train(
    inputs: Any, targets: Any, ends: Any, rows: list[Int64], seed: int, steps: int, advance: Advance
) -> dict[str, Any]:
    """Return the weights of all members, trained side by side."""
    generator = np.random.default_rng((seed, 1))
    source = torch.Generator().manual_seed(seed)
    size = targets.shape[1]
    weights = _fresh(inputs.shape[1], 2 * size + 1, source)
    optimizer = torch.optim.Adam(list(weights.values()), lr=LEARNING_RATE, fused=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    batch = min(BATCH, len(inputs))
    for _ in range(steps):
        taken = np.stack([own[generator.integers(len(own), size=batch)] for own in rows])
        outputs = _forward(weights, torch.as_tensor(inputs[taken]))
        wanted = torch.as_tensor(targets[taken])
        error = wanted - outputs[..., :size]
        deviation = outputs[..., size : 2 * size].clamp(QUIETEST, LOUDEST)
        spread = deviation + 0.5 * (error.detach() * torch.exp(-deviation)) ** 2
        end = F.binary_cross_entropy_with_logits(
            outputs[..., -1], torch.as_tensor(ends[taken]), reduction="none"
        )
        fit = F.smooth_l1_loss(outputs[..., :size], wanted, reduction="none", beta=0.5)
        loss = (fit.mean(-1) + 0.05 * spread.mean(-1) + end).mean(-1).sum()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
        advance(1)
    return {name: tensor.detach() for name, tensor in weights.items()}


def _fresh(inputs: int, outputs: int, source: Any) -> dict[str, Any]:
    weights = {}
    for name, wide, tall in (
        ("1", inputs, HIDDEN),
        ("2", HIDDEN, HIDDEN),
        ("3", HIDDEN, outputs),
    ):
        scale = (2.0 / wide) ** 0.5 if name != "3" else (1.0 / wide) ** 0.5
        weights[f"w{name}"] = scale * torch.randn(MEMBERS, wide, tall, generator=source)
        weights[f"b{name}"] = torch.zeros(MEMBERS, 1, tall)
    for tensor in weights.values():
        tensor.requires_grad_()
    return weights


def _forward(weights: dict[str, Any], signal: Any) -> Any:
    """Return [M, B, outputs] of inputs [M, B, D + A]."""
    signal = F.silu(torch.baddbmm(weights["b1"], signal, weights["w1"]))
    signal = F.silu(torch.baddbmm(weights["b2"], signal, weights["w2"]))
    return torch.baddbmm(weights["b3"], signal, weights["w3"])
