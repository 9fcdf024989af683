"""What a network itself would do, as a function of its representation.

A head's outputs are linear in its last hidden layer. So where the representation z(s) holds those
layers of all heads, a decision of the network depends on z alone. With Q-values W z + b, and an
imitation of the log p = softmax(G z + h) where it has one,

    a(s) = argmax of (W z + b)_a over the actions with p_a >= share * max_b p_b.

A share of 1 leaves the likeliest action, and so imitates the log; 0 leaves all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from ..arguments import number
from ..arrays import Array, Bool, Float64, Floats, Int64
from ..errors import InputError


@dataclass(frozen=True, eq=False)
class OwnPolicy:
    """Decisions of a network by its representation.

    Attributes:
        values: [A, D + 1] float64, weights and bias of the Q-values.
        logits: [A, D + 1] float64, the same of the imitation; None where there is none.
        share: of the likeliest action's probability that an action needs.
    """

    values: Float64
    logits: Float64 | None = None
    share: float = 0.0

    def __post_init__(self) -> None:
        number("share", self.share, least=0.0, most=1.0)
        for name in ("values", "logits"):
            found = getattr(self, name)
            if found is None:
                continue
            if found.ndim != 2 or found.shape != self.values.shape or found.dtype != np.float64:
                raise InputError(name, "weights and biases [A, D + 1] in float64", found.shape)
            if not np.isfinite(found).all():
                raise InputError(name, "finite numbers", "NaN or infinity")

    @property
    def dimensions(self) -> int:
        """D, the width of the representation."""
        return self.values.shape[1] - 1

    def actions(self, features: Floats) -> Int64:
        """Return [B] what the network does at features [B, D]."""
        q_values = _linear(self.values, features)
        return np.argmax(np.where(self.likely(features), q_values, -np.inf), axis=1)

    def taken(self, features: Floats) -> Bool:
        """Return [B, A] bool: the one action of each row."""
        return self.actions(features)[:, None] == np.arange(len(self.values))

    def likely(self, features: Floats) -> Bool:
        """Return [B, A] or [1, 1] bool: which actions the log is imitated to take."""
        if self.logits is None:
            return np.ones((1, 1), dtype=bool)
        logits = _linear(self.logits, features)
        return np.asarray(np.exp(logits - logits.max(axis=1, keepdims=True)) >= self.share)


@runtime_checkable
class HasOwnPolicy(Protocol):
    """A representation by a network that can act by itself."""

    def own_policy(self, share: float) -> OwnPolicy:
        """Return what the network would do; a share of 0 stands for its own."""


def own_policy_of(encoder: object, share: float) -> OwnPolicy:
    """Return what the network of a representation would do.

    Args:
        encoder: the representation.
        share: of the likeliest action's probability that an action needs; 0: the network's own.
    """
    if not isinstance(encoder, HasOwnPolicy):
        raise InputError(
            "lookup",
            "'network' only where the representation is a network that can act",
            type(encoder).__name__,
            "Compile with train_bcq(data, representation='both') or train_dqn(data).",
        )
    return encoder.own_policy(share)


def output_of(weights: Mapping[str, Array], head: str) -> Float64:
    """Return [A, H + 1] the weights and biases of a head's output."""
    weight, bias = weights[f"{head}.output.weight"], weights[f"{head}.output.bias"]
    return np.column_stack((weight, bias)).astype(np.float64)


def _linear(coefficients: Float64, features: Floats) -> Float64:
    found: Float64 = features.astype(np.float64) @ coefficients[:, :-1].T + coefficients[:, -1]
    return found
