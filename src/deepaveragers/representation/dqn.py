"""Offline DQN: Q-learning on a dataset alone (Mnih et al. 2015, without new experience).

For a transition (s, a, r, s') the target is y = r + gamma max_a' Q_target(s', a'), or r
where the episode terminated; the loss is Huber's of Q(s, a) - y. The network is the
paper's Table 2, and the representation is its layer of 16 units before the output.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arrays import Float64, Floats
from ..errors import InputError
from .architecture import Architecture, Kind
from .experience import Columns, Experience
from .network_encoder import NetworkEncoder
from .own_policy import OwnPolicy, output_of
from .settings import Preset

if TYPE_CHECKING:
    from ..policy.network_policy import NetworkPolicy


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DqnEncoder(NetworkEncoder):
    """The Q-network's last hidden layer; its Q-values act as the DQN baseline."""

    head: str = "q"

    def q_values(self, observations: Columns) -> Float64:
        """Return [B, A] float64."""
        return self.outputs(observations)["q"].astype("float64")

    def own_policy(self, share: float = 0.0) -> OwnPolicy:
        """Return what the network would do, by its representation.

        Args:
            share: 0; the network does not imitate.
        """
        if share:
            raise InputError("support", "0 where the network does not imitate the log", share)
        return OwnPolicy(output_of(self.weights, "q"))

    def policy(self, epsilon: float = 0.0, seed: int = 0) -> NetworkPolicy:
        """Return the policy that is greedy in these Q-values."""
        from ..policy.network_policy import NetworkPolicy

        return NetworkPolicy(self, epsilon=epsilon, seed=seed)


def train_dqn(
    data: Experience,
    steps: int = 100_000,
    *,
    preset: Preset = "auto",
    architecture: Kind = "auto",
    seed: int = 0,
    run_dir: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 1_000,
    snapshot_every: int | None = None,
    tensorboard: bool = False,
    device: str = "cpu",
    show_progress: bool | None = None,
    **changes: Any,
) -> DqnEncoder:
    """Train an offline DQN and return it as an encoder.

    Args:
        data: the transitions.
        steps: number of updates.
        preset: "atari" (Table 3 of the paper), "navigation" (Table 4), "control" (vectors);
            "auto" takes "atari" for pictures and "control" for vectors.
        architecture: "auto", or the kind of network.
        seed: of the weights and the batches; the same seed gives the same network.
        run_dir: keep a checkpoint and log.csv here. A killed run continues from it.
        checkpoint_every: updates between checkpoints.
        snapshot_every: updates between encoders that are kept, as encoder-<update>.safetensors.
        tensorboard: log for TensorBoard too.
        device: "cpu" or a CUDA device.
        show_progress: force the bar on or off; None shows it on a terminal.
        changes: fields of `TrainingSettings` to change, such as `learning_rate`.
    """
    from .q_learning import dqn_loss, train_network

    def encoder(network: Architecture, weights: dict[str, Floats]) -> DqnEncoder:
        return DqnEncoder(architecture=network, weights=weights, device=device)

    return train_network(
        data,
        dqn_loss,
        encoder,
        heads=("q",),
        preset=preset,
        architecture=architecture,
        changes=changes,
        steps=steps,
        seed=seed,
        run_dir=run_dir,
        checkpoint_every=checkpoint_every,
        snapshot_every=snapshot_every,
        tensorboard=tensorboard,
        device=device,
        show_progress=show_progress,
    )
