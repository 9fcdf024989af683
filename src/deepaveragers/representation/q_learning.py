"""The losses of DQN and BCQ, and from a dataset to a trained encoder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..arguments import instance
from ..arrays import Floats
from .architecture import Architecture, Kind, design
from .experience import Experience
from .network_encoder import NetworkEncoder
from .network_files import save_encoder
from .networks import F, Weights, output, torch, trunk
from .settings import Preset, TrainingSettings, choose_settings
from .standardizing import picture_standardization, standardization
from .training import Batch, Loss, Schedule, Trainer, train, value_limit

EncoderKind = TypeVar("EncoderKind", bound=NetworkEncoder)
Figures = dict[str, torch.Tensor]


def dqn_loss(
    network: Architecture,
    weights: Weights,
    target: Weights,
    batch: Batch,
    settings: TrainingSettings,
) -> tuple[torch.Tensor, Figures]:
    """Return Huber's loss of Q(s, a) - (r + gamma max_a' Q_target(s', a'))."""
    with torch.no_grad():
        following = output(network, target, trunk(network, target, batch.next_observations), "q")
        best = following.max(dim=1).values
        goal = batch.rewards + settings.gamma * batch.continues * best
    q_values = output(network, weights, trunk(network, weights, batch.observations), "q")
    chosen = q_values.gather(1, batch.actions[:, None])[:, 0]
    return F.smooth_l1_loss(chosen, goal), {"q": chosen.detach().mean()}


def bcq_loss(
    network: Architecture,
    weights: Weights,
    target: Weights,
    batch: Batch,
    settings: TrainingSettings,
) -> tuple[torch.Tensor, Figures]:
    """Return the loss of Q plus that of the imitation."""
    with torch.no_grad():
        signal = trunk(network, weights, batch.next_observations)
        likelihood = output(network, weights, signal, "imitation").softmax(dim=1)
        likely = likelihood >= settings.threshold * likelihood.max(dim=1, keepdim=True).values
        preferred = output(network, weights, signal, "q").masked_fill(~likely, -torch.inf)
        best = preferred.argmax(dim=1, keepdim=True)
        following = output(network, target, trunk(network, target, batch.next_observations), "q")
        value = following.gather(1, best)[:, 0]
        goal = batch.rewards + settings.gamma * batch.continues * value
    signal = trunk(network, weights, batch.observations)
    q_values = output(network, weights, signal, "q")
    logits = output(network, weights, signal, "imitation")
    chosen = q_values.gather(1, batch.actions[:, None])[:, 0]
    imitation = F.cross_entropy(logits, batch.actions)
    loss = F.smooth_l1_loss(chosen, goal) + imitation
    loss = loss + settings.logit_penalty * logits.pow(2).mean()
    return loss, {"q": chosen.detach().mean(), "imitation": imitation.detach()}


def train_network(
    data: Experience,
    loss: Loss,
    encoder: Callable[[Architecture, dict[str, Floats]], EncoderKind],
    *,
    heads: tuple[str, ...],
    preset: Preset,
    architecture: Kind,
    changes: dict[str, Any],
    **schedule: Any,
) -> EncoderKind:
    """Design a network for the data, train it, and return it as an encoder."""
    instance("data", data, Experience, "Transitions")  # type: ignore[type-abstract]
    plan = Schedule(**schedule)
    is_image = data.observations.dtype == "uint8" and len(data.observations.shape) > 2
    settings = choose_settings(preset, is_image, changes)
    network = design(
        data.observations,
        architecture,
        hidden=settings.hidden,
        heads=heads,
        outputs=data.num_actions,
    )
    weights: dict[str, Floats] = {**network.initial_weights(plan.seed)}
    if not network.is_image:
        weights |= standardization(data.observations[:])
    elif settings.standardize_pictures:
        weights |= picture_standardization(network, data.observations)
    trainer = Trainer(data, network, weights, loss, settings, seed=plan.seed, device=plan.device)

    def snapshot(trained: dict[str, Floats], file: Path) -> None:
        save_encoder(encoder(network, trained), file)

    return encoder(network, train(trainer, plan, value_limit(data, settings), snapshot))
