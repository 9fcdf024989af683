"""Training a dynamics network: Adam on the sum of all prediction errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Floats, Int64
from ..data.transitions import Transitions
from ..errors import TrainingDiverged
from ..progress import progress
from .architecture import Architecture
from .dynamics_targets import Target, action_outputs, action_terms
from .networks import F, as_arrays, as_tensors, output, torch, trunk
from .standardizing import MEAN, SCALE

CHECK_EVERY = 100
"""Updates between looks at whether the loss is still a number."""


@dataclass(frozen=True)
class Run:
    """How long and how fast to train; see `train_dynamics`."""

    steps: int
    batch_size: int
    learning_rate: float
    seed: int
    device: str
    show_progress: bool | None
    watch: Callable[[int, int], None] | None = None


def train(
    data: Transitions,
    network: Architecture,
    start: Mapping[str, Floats],
    targets: Sequence[Target],
    run: Run,
) -> dict[str, Floats]:
    """Return the weights after all updates; the rows of update t are drawn by (seed, t)."""
    weights = as_tensors(start, run.device)
    trained = [weights[name].requires_grad_() for name in weights if name not in (MEAN, SCALE)]
    terms = action_terms(data) if data.action_vectors else None
    optimizer = torch.optim.Adam(trained, lr=run.learning_rate, fused=True)
    with progress("train", run.steps, show=run.show_progress) as advance:
        for step in range(run.steps):
            rows = np.random.default_rng((run.seed, step)).integers(len(data), size=run.batch_size)
            signal = trunk(network, weights, data.observations[rows])
            outputs = output(network, weights, signal, network.heads[0])
            loss = prediction_loss(outputs, targets, data, rows, terms)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            for group in optimizer.param_groups:
                group["lr"] = _learning_rate(run, step)
            optimizer.step()
            if step % CHECK_EVERY == 0:
                _check(step, float(loss.detach()))
            advance(1)
            if run.watch is not None:
                run.watch(step + 1, run.steps)
    return as_arrays(weights)


def prediction_loss(
    outputs: torch.Tensor,
    targets: Sequence[Target],
    data: Transitions,
    rows: Int64,
    terms: Float32 | None = None,
) -> torch.Tensor:
    """Return the sum over targets of the mean error over the rows where they are known.

    Args:
        outputs: [B, W] of the network.
        targets: what is predicted.
        data: the transitions.
        rows: [B] which of them.
        terms: of actions that are rows, from `action_terms`.
    """
    count = action_outputs(data)
    total = outputs.new_zeros(())
    first = 0
    for target in targets:
        width = target.outputs(count)
        predicted = outputs[:, first : first + width]
        first += width
        if target.per_action:
            predicted = _taken(predicted.view(len(rows), count, -1), data, rows, terms)
        wanted = torch.as_tensor(target.values[rows], device=outputs.device)
        known = torch.as_tensor(target.known[rows], device=outputs.device)
        errors = _errors(target, predicted, wanted)
        total = total + (errors * known).sum() / known.sum().clamp(min=1)
    return total


def _taken(
    predicted: torch.Tensor, data: Transitions, rows: Int64, terms: Float32 | None
) -> torch.Tensor:
    """Return [B, W] the predictions for the logged actions, of those [B, A, W] for all."""
    device = predicted.device
    if terms is not None:
        return (torch.as_tensor(terms[rows], device=device)[:, :, None] * predicted).sum(dim=1)
    actions = torch.as_tensor(data.actions[rows], dtype=torch.int64, device=device)
    return predicted[torch.arange(len(rows), device=device), actions]


def _errors(target: Target, predicted: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Return [B] the error of each row's prediction."""
    if target.error == "choice":
        return F.cross_entropy(predicted, wanted[:, 0].long(), reduction="none")
    if target.error == "logistic":
        return F.binary_cross_entropy_with_logits(predicted, wanted, reduction="none").mean(dim=1)
    return (predicted - wanted).square().mean(dim=1)


def _learning_rate(run: Run, step: int) -> float:
    return run.learning_rate * 0.5 * (1.0 + math.cos(math.pi * step / run.steps))


def _check(step: int, loss: float) -> None:
    if not math.isfinite(loss):
        raise TrainingDiverged(
            f"Training diverged: the loss of update {step} is {loss}. Lower the learning rate."
        )
