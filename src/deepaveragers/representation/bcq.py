"""Discrete BCQ (Fujimoto et al. 2019): Q-learning among the actions that the data would take.

An imitation G(a|s) is learnt beside Q on the same convolutions. Actions with
G(a|s) < threshold * max G(.|s) are left out, both in the target,
y = r + gamma Q_target(s', argmax_a' Q(s', a')), and when acting. The loss is Huber's of
Q(s, a) - y, plus the imitation's cross-entropy, plus a small penalty on its logits.
The representation is the imitation head's layer of 16 units; or those of both heads, on which all
that the network does depends (`own_policy`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ..arguments import choice
from ..arrays import Bool, Float32, Float64, Floats
from ..errors import InputError
from .architecture import Architecture, Kind
from .experience import Columns, Experience
from .network_encoder import NetworkEncoder
from .own_policy import OwnPolicy, output_of
from .settings import Preset, choose_settings

if TYPE_CHECKING:
    from ..policy.network_policy import NetworkPolicy

HEADS = ("imitation", "q")
BOTH = "both"
Represented = Literal["imitation", "q", "both"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BcqEncoder(NetworkEncoder):
    """A last hidden layer of the network; Q-values among likely actions are the BCQ baseline.

    Attributes:
        head: "imitation" or "q", the head whose layer is the representation; or "both".
        threshold: share of the likeliest action's probability that an action needs.
    """

    head: str = "imitation"
    threshold: float = 0.3

    @property
    def read_from(self) -> tuple[str, ...]:
        """The heads whose last hidden layers, side by side, are the representation."""
        return HEADS if self.head == BOTH else (self.head,)

    def own_policy(self, share: float = 0.0) -> OwnPolicy:
        """Return what the network would do, by its representation, which must be "both".

        Args:
            share: of the likeliest action's probability that an action needs; 0: the threshold.
        """
        if self.head != BOTH:
            remedy = "Train with train_bcq(data, representation='both')."
            raise InputError("representation", "'both' to act by it", repr(self.head), remedy)
        logits, values = (output_of(self.weights, head) for head in HEADS)
        unread = np.zeros((len(values), self.architecture.hidden[-1]))
        return OwnPolicy(
            np.hstack((unread, values)),
            np.hstack((logits[:, :-1], unread, logits[:, -1:])),
            share or self.threshold,
        )

    def q_values(self, observations: Columns) -> Float64:
        """Return [B, A] float64; -inf for an action that the data would hardly take."""
        outputs = self.outputs(observations)
        likely = self._likely(outputs["imitation"])
        return np.where(likely, outputs["q"].astype(np.float64), -np.inf)

    def likely(self, observations: Columns) -> Bool:
        """Return [B, A] bool: which actions the data would take; an objective's `action_mask`."""
        return self._likely(self.outputs(observations)["imitation"])

    def _likely(self, logits: Float32) -> Bool:
        return np.exp(logits - logits.max(axis=1, keepdims=True)) >= self.threshold

    def policy(self, epsilon: float = 0.0, seed: int = 0) -> NetworkPolicy:
        """Return the policy that is greedy in Q among the likely actions."""
        from ..policy.network_policy import NetworkPolicy

        return NetworkPolicy(self, epsilon=epsilon, seed=seed)


def train_bcq(
    data: Experience,
    steps: int = 100_000,
    *,
    representation: Represented = "imitation",
    preset: Preset = "auto",
    architecture: Kind = "auto",
    seed: int = 0,
    run_dir: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 1_000,
    snapshot_every: int | None = None,
    tensorboard: bool = False,
    device: str = "cpu", show_progress: bool | None = None, **changes: Any,
) -> BcqEncoder:  # fmt: skip
    """Train a discrete BCQ and return it as an encoder.

    Args:
        data: the transitions.
        steps: number of updates.
        representation: which head's last hidden layer is the representation; "both", side by
            side, so that policies can act as the network does (lookup "network").
        preset: as in `train_dqn`, and so are the other arguments.
        architecture: "auto", or the kind of network.
        seed: of the weights and the batches.
        run_dir: keep a checkpoint and log.csv here. A killed run continues from it.
        checkpoint_every: updates between checkpoints.
        snapshot_every: updates between encoders that are kept.
        tensorboard: log for TensorBoard too.
        device: "cpu" or a CUDA device.
        show_progress: force the bar on or off; None shows it on a terminal.
        changes: fields of `TrainingSettings` to change, such as `threshold`.
    """
    from .q_learning import bcq_loss, train_network

    head = choice("representation", representation, get_args(Represented))
    threshold = choose_settings("atari", True, changes).threshold

    def encoder(network: Architecture, weights: dict[str, Floats]) -> BcqEncoder:
        return BcqEncoder(
            architecture=network, weights=weights, device=device, head=head, threshold=threshold
        )

    return train_network(
        data,
        bcq_loss,
        encoder,
        heads=("q", "imitation"),
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
