"""A simulator learnt from the log: small networks that disagree where the log says little.

Each member sees its own draw of the episodes. Inputs are the standardised state and the action;
outputs are, for every column, the mean change and its deviation, the log-odds of the end, and two
mean rewards: of a step after which the episode goes on, and of one that ends it. An outcome that
is paid at the end would otherwise be a spike in a function that is smooth everywhere else.

An episode stays with one member, and ends by chance. Its states stay in the box of the data, and
columns of few values (counts) take one of these values, those of two (flags) by their chance.

Loss: Huber's of the mean changes, the Gaussian log-likelihood of their deviations given the means,
the square of the reward's error (values need its mean, not its median; rewards have no noise), and
the logistic loss of the ends and of flags; Adam, whose learning rate falls to 0 along a cosine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....arrays import Array, Bool, Float64, Int64
from ....progress import Advance
from ....representation.networks import F, inference_mode, torch
from ..folds import Log
from .action_inputs import action_inputs
from .correction import (
    Outcome,
    among,
    as_arrays,
    corrections,
    from_arrays,
    rows_to_correct,
    said_of_others,
)
from .playing import Step, Weights, ends_of, step_of
from .scales import chance_of, scales_of

MEMBERS = 5
LAYERS = ("w1", "b1", "w2", "b2", "w3", "b3")
HIDDEN = 128
FEWEST_STEPS, MOST_STEPS = 1_500, 6_000
ROWS_PER_STEP = 2.0
"""Rows of a log that ask for one more update."""
BATCH = 128
LEARNING_RATE = 1e-3
QUIETEST, LOUDEST = -8.0, 1.0
"""Log-deviation of a standardised output, least and most."""
FARTHEST_CHANGE = 6.0
"""Deviations of a change, beyond which it is clipped in training."""
DEVIATIONS_WEIGHT = 0.05
"""Of the deviations' log-likelihood in the loss."""


class Outputs(NamedTuple):
    """What a network says of states [..., D] and actions; arrays or tensors, standardised.

    Attributes:
        change: [..., D] mean change of the state; of a flag, the log-odds that it is then up.
        log_deviation: [..., D] of that change.
        reward: [...] of a step after which the episode goes on.
        last_reward: [...] of a step that ends it.
        end: [...] log-odds of the end.
    """

    change: Any
    log_deviation: Any
    reward: Any
    last_reward: Any
    end: Any

    @classmethod
    def of(cls, outputs: Any) -> Outputs:
        """Take a network's outputs [..., 2 D + 3] apart."""
        columns = (outputs.shape[-1] - 3) // 2
        change, deviation = outputs[..., :columns], outputs[..., columns : 2 * columns]
        return cls(change, deviation, outputs[..., -3], outputs[..., -2], outputs[..., -1])

    @property
    def outcome(self) -> Outcome:
        """Rewards and end."""
        return Outcome(self.reward, self.last_reward, self.end)


def steps_for(rows: int) -> int:
    """Return how many updates a log of this many rows takes."""
    return int(min(max(rows / ROWS_PER_STEP, FEWEST_STEPS), MOST_STEPS))


class LearntSimulator:
    """An ensemble of networks for one log of vectors."""

    members = draws = MEMBERS
    draw_variance = 1.0

    def __init__(
        self, log: Log, *, seed: int, advance: Advance, weights: Weights | None = None
    ) -> None:
        """Learn from a log, or take weights that were learnt from it before."""
        data = log.data
        states = np.asarray(data.observations, dtype=np.float64).reshape(len(data), -1)
        following = np.asarray(data.next_observations, dtype=np.float64).reshape(len(data), -1)
        self._shape, self._dtype = data.observation_shape, data.observations.dtype
        self._actions = action_inputs(data)
        ends = data.terminations
        same = 4.0 * float(np.finfo(self._dtype).eps) if self._dtype.kind == "f" else 0.0
        self._scales = scales = scales_of(states, following, data.rewards, ends, same)
        inputs = self._inputs(scales.standardised(states), data.actions)
        rewards = np.where(
            ends,
            scales.last_reward.standardised(data.rewards),
            scales.reward.standardised(data.rewards),
        )
        changes = np.clip(scales.targets(states, following), -FARTHEST_CHANGE, FARTHEST_CHANGE)
        targets = np.column_stack((changes, rewards))
        self._ends = ends_of(ends)
        numbers = None if data.action_vectors else np.arange(data.num_actions)
        self._seen = None if numbers is None else np.isin(numbers, data.actions)
        if weights is not None:
            self._weights = {name: torch.tensor(weights[name]) for name in LAYERS}
            self._corrections = from_arrays(weights)
            return
        draws = log.draws(MEMBERS, seed)
        self._weights = _train(
            inputs,
            targets.astype(np.float32),
            ends.astype(np.float32),
            scales.flags,
            draws,
            seed,
            steps_for(len(data)),
            advance,
        )
        rows = rows_to_correct(ends, seed)
        own, wide = among(rows, draws, len(data)), inputs[rows].astype(np.float64)
        with inference_mode():
            said = [self._said(inputs[rows], member).outcome for member in range(MEMBERS)]
        others = said_of_others(said, own)
        number = log.number[rows]
        self._corrections = corrections(wide, rewards[rows], ends[rows], others, number, own, seed)

    @property
    def weights(self) -> Weights:
        """By name, of all members."""
        layers = {name: tensor.numpy() for name, tensor in self._weights.items()}
        return {**layers, **as_arrays(self._corrections)}

    def states(self, observations: Array) -> Float64:
        """Return the standardised states [B, D]."""
        flat = np.asarray(observations, dtype=np.float64).reshape(len(observations), -1)
        return self._scales.standardised(flat)

    def observations(self, states: Float64) -> Array:
        """Return observations [B, ...] as in the data."""
        return self._scales.raw(states).reshape(len(states), *self._shape).astype(self._dtype)

    def step(self, states: Float64, actions: Array, member: Int64, draws: Float64) -> Step:
        """Return what follows."""
        inputs, scales = self._inputs(states, actions), self._scales
        outputs = np.empty((len(states), 2 * states.shape[1] + 3))
        with inference_mode():
            for one in range(self.members):
                own = np.flatnonzero(member == one)
                if len(own):
                    outputs[own] = self._corrected(inputs[own], one)
        said = Outputs.of(outputs)
        luck = draws[:, : states.shape[1]]
        normal = torch.special.ndtri(torch.as_tensor(np.clip(luck, 1e-4, 1.0 - 1e-4))).numpy()
        noise = np.exp(np.clip(said.log_deviation, QUIETEST, LOUDEST)) * normal
        after = scales.moved(states, said.change, noise, luck)
        ended = self._ends(draws[:, -1] < chance_of(said.end))
        reward = scales.reward.restored(said.reward)
        last = scales.last_reward.restored(said.last_reward)
        found = step_of(scales, states, after, ended, reward, last)
        if self._seen is None:
            return found
        return found._replace(believed=found.believed & self._seen[actions])

    def _said(self, inputs: Any, member: int) -> Outputs:
        """Return what one member says of inputs [B, D + A], before it is corrected."""
        weights = {name: w[member : member + 1] for name, w in self._weights.items()}
        return Outputs.of(_forward(weights, torch.as_tensor(inputs)[None])[0].double().numpy())

    def _corrected(self, inputs: Any, member: int) -> Float64:
        said = self._said(inputs, member)
        corrected = self._corrections[member](inputs, said.outcome)
        return np.column_stack((said.change, said.log_deviation, *corrected))

    def _inputs(self, states: Float64, actions: Array) -> Any:
        taken = self._actions(actions).astype(np.float32)
        return np.concatenate((states.astype(np.float32), taken), axis=1)


def _train(
    inputs: Any,
    targets: Any,
    ends: Any,
    flags: Bool,
    rows: list[Int64],
    seed: int,
    steps: int,
    advance: Advance,
) -> dict[str, Any]:
    """Return the weights of all members, trained side by side."""
    generator = np.random.default_rng((seed, 1))
    source = torch.Generator().manual_seed(seed)
    columns = targets.shape[1] - 1
    weights = _fresh(inputs.shape[1], 2 * columns + 3, source)
    optimizer = torch.optim.Adam(list(weights.values()), lr=LEARNING_RATE, fused=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    batch, two_values = min(BATCH, len(inputs)), torch.as_tensor(flags)
    for _ in range(steps):
        taken = np.stack([own[generator.integers(len(own), size=batch)] for own in rows])
        said = Outputs.of(_forward(weights, torch.as_tensor(inputs[taken])))
        wanted, ended = torch.as_tensor(targets[taken]), torch.as_tensor(ends[taken])
        loss = _loss(said, wanted, ended, two_values)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
        advance(1)
    return {name: tensor.detach() for name, tensor in weights.items()}


def _loss(said: Outputs, wanted: Any, ended: Any, flags: Any) -> Any:
    """Return the loss of all members.

    Args:
        said: outputs for [M, B] rows.
        wanted: [M, B, D + 1] changes, or flags that are then up, and the reward.
        ended: [M, B] whether the row ended its episode.
        flags: [D] which columns are flags.
    """
    outputs = wanted.shape[-1]
    changes, rewards = wanted[..., :-1], wanted[..., -1]
    deviation = said.log_deviation.clamp(QUIETEST, LOUDEST)
    error = (changes - said.change).detach()
    spread = deviation + 0.5 * (error * torch.exp(-deviation)) ** 2
    near = F.smooth_l1_loss(said.change, changes, reduction="none", beta=0.5)
    flag = F.binary_cross_entropy_with_logits(said.change, changes, reduction="none")
    fit = torch.where(flags, flag, near).sum(-1)
    reward = (1.0 - ended) * (said.reward - rewards) ** 2
    # Few steps end an episode: their rewards count by their own mean.
    last = ended * (said.last_reward - rewards) ** 2
    last = last.sum(-1) / ended.sum(-1).clamp(min=1.0)
    end = F.binary_cross_entropy_with_logits(said.end, ended, reduction="none")
    # Where an episode ended, there may be no next state: tables repeat the one before.
    moves = (1.0 - ended) * (fit / outputs + DEVIATIONS_WEIGHT * spread.mean(-1))
    steps = moves + reward / outputs + end
    return (steps.mean(-1) + last / outputs).sum()


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
