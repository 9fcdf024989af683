"""The training loop that DQN and BCQ share.

A run depends on nothing but the data, the settings and the seed: the rows of update t are
drawn by a generator seeded with (seed, t). A checkpoint is one file, replaced in one step,
with the weights, the target's weights, Adam's moments and t; a run that was killed goes on
from it and ends with the same weights (on the CPU, with the same number of threads).
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..arguments import file_path, flag, optional, seed_number, whole_number
from ..arrays import Array, Floats
from ..errors import InputError, TrainingDiverged
from ..progress import progress
from .architecture import Architecture
from .experience import Experience
from .networks import as_arrays, as_tensors, torch
from .settings import TrainingSettings
from .standardizing import MEAN, SCALE
from .training_log import TrainingLog
from .weights import read_weights, write_weights

CHECKPOINT = "checkpoint.safetensors"
COUNTS = ("steps", "checkpoint_every", "log_every")
DIVERGED_AT = 10.0
"""Times the largest possible |Q|, beyond which training has diverged."""


class Batch(NamedTuple):
    """Tensors of one update: pictures and columns as stored, the rest as the loss needs it."""

    observations: Array
    actions: torch.Tensor
    rewards: torch.Tensor
    next_observations: Array
    continues: torch.Tensor


Loss = Callable[
    [Architecture, dict[str, torch.Tensor], dict[str, torch.Tensor], Batch, TrainingSettings],
    tuple[torch.Tensor, dict[str, torch.Tensor]],
]
"""From the network, its weights, the target's weights, a batch and the settings to the loss
and figures for the log; "q" among them is the mean Q-value of the batch's actions."""


@dataclass(frozen=True)
class Schedule:
    """How long to train, and what to write on the way.

    Attributes:
        steps: updates in all.
        seed: of the weights and the batches.
        run_dir: where the checkpoint, the log and the snapshots go; None writes nothing.
        checkpoint_every: updates between checkpoints.
        snapshot_every: updates between encoders that are kept; None keeps the last only.
        log_every: updates between rows of the log, and between checks for divergence.
        tensorboard: write the log for TensorBoard too.
        device: "cpu" or a CUDA device.
        show_progress: force the bar on or off; None shows it on a terminal.
    """

    steps: int
    seed: int = 0
    run_dir: Path | None = None
    checkpoint_every: int = 1_000
    snapshot_every: int | None = None
    log_every: int = 100
    tensorboard: bool = False
    device: str = "cpu"
    show_progress: bool | None = None

    def __post_init__(self) -> None:
        plain = {
            **{name: whole_number(name, getattr(self, name)) for name in COUNTS},
            "snapshot_every": optional(whole_number, "snapshot_every", self.snapshot_every),
            "seed": seed_number(self.seed),
            "run_dir": optional(file_path, "run_dir", self.run_dir),
            "tensorboard": flag("tensorboard", self.tensorboard),
            "show_progress": optional(flag, "show_progress", self.show_progress),
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)


class Trainer:
    """A network in training: weights, target, optimizer, and the number of updates so far."""

    def __init__(
        self,
        data: Experience,
        network: Architecture,
        weights: dict[str, Floats],
        loss: Loss,
        settings: TrainingSettings,
        *,
        seed: int = 0,
        device: str = "cpu",
    ) -> None:
        self.step = 0
        self.weights = as_tensors(weights, device)
        self.target = as_tensors(weights, device)
        self._data = data
        self._network = network
        self._loss = loss
        self._settings = settings
        self._seed = seed
        self._device = device
        self._trained = [name for name in self.weights if name not in (MEAN, SCALE)]
        for name in self._trained:
            self.weights[name].requires_grad_()
        self._optimizer = torch.optim.Adam(
            [self.weights[name] for name in self._trained],
            lr=settings.learning_rate,
            eps=settings.adam_epsilon,
            fused=True,
        )

    def update(self) -> dict[str, torch.Tensor]:
        """Take one gradient step; return the loss and the other figures."""
        batch = self._batch()
        loss, figures = self._loss(self._network, self.weights, self.target, batch, self._settings)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        self.step += 1
        if self.step % self._settings.target_every == 0:
            for name in self._trained:
                self.target[name].copy_(self.weights[name].detach())
        return {"loss": loss.detach(), **figures}

    def _batch(self) -> Batch:
        generator = np.random.default_rng((self._seed, self.step))
        rows = generator.integers(len(self._data), size=self._settings.batch_size)
        rewards = self._data.rewards[rows]
        if self._settings.reward_clip is not None:
            rewards = np.clip(rewards, -self._settings.reward_clip, self._settings.reward_clip)
        continues = ~self._data.terminations[rows]
        return Batch(
            self._data.observations[rows],
            torch.as_tensor(self._data.actions[rows], dtype=torch.int64, device=self._device),
            torch.as_tensor(rewards, dtype=torch.float32, device=self._device),
            self._data.next_observations[rows],
            torch.as_tensor(continues, dtype=torch.float32, device=self._device),
        )

    def save(self, file: Path) -> None:
        """Write everything that the next update depends on, in one step."""
        arrays = {f"weights.{name}": array for name, array in as_arrays(self.weights).items()}
        arrays |= {f"target.{name}": array for name, array in as_arrays(self.target).items()}
        for name in self._trained:
            moments = self._optimizer.state[self.weights[name]]
            arrays |= {f"adam.{name}.{k}": v for k, v in as_arrays(moments).items()}
        write_weights(file, arrays, {"step": self.step, "run": self._identity()})

    def restore(self, file: Path) -> None:
        """Go back to where `save` left off."""
        arrays, about = read_weights(file)
        if about.get("run") != self._identity():
            raise InputError(
                "run_dir",
                "a new directory, or one of a run with the same data, settings and seed",
                f"{file.parent}, which holds another run",
            )
        with torch.no_grad():
            for name in self._trained:
                tensor = self.weights[name]
                tensor.copy_(torch.tensor(arrays[f"weights.{name}"]))
                self.target[name].copy_(torch.tensor(arrays[f"target.{name}"]))
                prefix = f"adam.{name}."
                self._optimizer.state[tensor] = {
                    key.removeprefix(prefix): _shaped_like(tensor, array)
                    for key, array in arrays.items()
                    if key.startswith(prefix)
                }
        self.step = int(about["step"])

    def _identity(self) -> dict[str, Any]:
        """What makes a run this run; compared as JSON."""
        columns = (self._data.actions, self._data.rewards, self._data.terminations)
        identity = {
            "loss": self._loss.__name__,
            "seed": self._seed,
            "network": self._network.to_json(),
            "settings": asdict(self._settings),
            "data": [zlib.crc32(np.ascontiguousarray(column).data) for column in columns],
        }
        return json.loads(json.dumps(identity))


def _shaped_like(tensor: torch.Tensor, array: Array) -> torch.Tensor:
    """Return a moment in its weight's layout, or Adam's count of steps as it is."""
    if array.shape != tuple(tensor.shape):
        return torch.tensor(array)
    return torch.empty_like(tensor, requires_grad=False).copy_(torch.tensor(array))


def train(
    trainer: Trainer,
    schedule: Schedule,
    value_limit: float,
    snapshot: Callable[[dict[str, Floats], Path], None],
) -> dict[str, Floats]:
    """Train to the end of the schedule and return the weights.

    Args:
        trainer: at its beginning; a checkpoint in the schedule's directory is taken up.
        schedule: how long, and what to write.
        value_limit: |Q| beyond which training has diverged.
        snapshot: writes the weights as an encoder to a file.
    """
    checkpoint = None if schedule.run_dir is None else schedule.run_dir / CHECKPOINT
    if checkpoint is not None and checkpoint.exists():
        trainer.restore(checkpoint)
        if trainer.step > schedule.steps:
            raise InputError(
                "steps",
                f"at least {trainer.step}, which the run in {schedule.run_dir} has reached",
                schedule.steps,
                "Choose another directory, or load a snapshot.",
            )
    began, first = time.perf_counter(), trainer.step
    log = TrainingLog(schedule.run_dir, from_step=first, tensorboard=schedule.tensorboard)
    with log, progress("train", schedule.steps, show=schedule.show_progress) as advance:
        advance(first)
        while trainer.step < schedule.steps:
            figures = trainer.update()
            advance(1)
            step, last = trainer.step, trainer.step == schedule.steps
            if last or step % schedule.log_every == 0:
                row = {name: float(figure) for name, figure in figures.items()}
                _check_divergence(step, row, value_limit)
                rate = (step - first) / (time.perf_counter() - began)
                log.write(step, {**row, "updates_per_second": rate})
            if checkpoint is None or schedule.run_dir is None:
                continue
            if schedule.snapshot_every is not None and step % schedule.snapshot_every == 0:
                file = schedule.run_dir / f"encoder-{step:08d}.safetensors"
                snapshot(as_arrays(trainer.weights), file)
            if last or step % schedule.checkpoint_every == 0:
                log.flush()
                trainer.save(checkpoint)
    return as_arrays(trainer.weights)


def _check_divergence(step: int, row: dict[str, float], value_limit: float) -> None:
    if not all(np.isfinite(list(row.values()))):
        raise TrainingDiverged(
            f"Training diverged: a figure of update {step} is not finite ({row}). "
            "Lower the learning rate, or clip the rewards."
        )
    if abs(row["q"]) > value_limit:
        raise TrainingDiverged(
            f"Training diverged: the mean Q-value of update {step} is {row['q']:.3g}, and no "
            f"return can be beyond {value_limit / DIVERGED_AT:.3g}. Lower the learning rate or "
            "gamma, or copy to the target less often."
        )


def value_limit(data: Experience, settings: TrainingSettings) -> float:
    """Return |Q| beyond which training has diverged: 10 max|r| / (1 - gamma)."""
    largest = float(np.abs(data.rewards).max())
    if settings.reward_clip is not None:
        largest = min(largest, settings.reward_clip)
    return DIVERGED_AT * max(largest, 1e-3) / (1.0 - settings.gamma)
