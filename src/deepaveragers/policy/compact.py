"""A policy without its log: what acting needs, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..arrays import Array, Float64, Floats
from ..representation.encoder import Encoder
from .acting import Acting
from .deciding import Decisions, encode_within, no_decisions, tied_with_best
from .observing import ObservationForm, ObservationReader
from .rules import Rule
from .support import Support

DIGEST_DIGITS = 16


@dataclass(frozen=True)
class Origin:
    """Where a policy comes from.

    Attributes:
        plan: SHA-256 of all that its decisions depend on: policies with the same one decide
            alike.
        model: SHA-256 of the compiled MDP.
        data: SHA-256 of the log.
        core_states: of the plan.
        objective: what was asked of the plan, in plain values.
    """

    plan: str
    model: str
    data: str
    core_states: int
    objective: Mapping[str, Any]


@dataclass(frozen=True)
class Agreement:
    """How well a thinned policy agrees with the policy that it was made from.

    Attributes:
        states: that it keeps.
        tested: logged states on which both were asked; none of them decided anything about it.
        same: share of those on which both take the same action.
        loss: mean loss by the other actions, in Q-values of the whole policy.
    """

    states: int
    tested: int
    same: float
    loss: float


@dataclass(frozen=True, eq=False)
class Manner:
    """How decisions are made of Q-values and support.

    Attributes:
        action_names: of all A actions.
        slack: difference of Q-values that the certificate does not prove.
        support_threshold: below it the fallback acts; None where it never does.
        fallback: number of that action; its numbers, where actions are rows.
    """

    action_names: tuple[str, ...]
    slack: float
    support_threshold: float | None = None
    fallback: int | tuple[float, ...] | None = None


class CompactPolicy(Acting):
    """Decides as the policy that it was made from, bit for bit; it cannot explain.

    `Policy.compact()` makes one, `Policy.thinned()` a smaller one, `da.load` reads one from a
    file. Observations are given as to `Policy`.

    Args:
        encoder: the fitted representation.
        form: of observations.
        rule: how Q-values are found.
        support: of observations by the data.
        manner: how decisions are made of both.
        origin: where it comes from.
        agreement: of a thinned policy with the whole one; None for others.
    """

    def __init__(
        self,
        encoder: Encoder,
        form: ObservationForm,
        rule: Rule,
        support: Support,
        manner: Manner,
        origin: Origin,
        agreement: Agreement | None = None,
    ) -> None:
        self.encoder, self.form, self.rule = encoder, form, rule
        self.manner, self.origin, self.agreement = manner, origin, agreement
        self.scale = support
        self._observations = ObservationReader(form)

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}({self.actions_in_words}, {self.origin.core_states:,} core states)"

    @property
    def digest(self) -> str:
        """The first 16 digits of `origin.plan`, which decisions are marked with."""
        return self.origin.plan[:DIGEST_DIGITS]

    def summary(self) -> dict[str, Any]:
        """Return what is to be known of the policy as plain values, for JSON."""
        return {
            "actions": list(self.action_names),
            "action_kind": self.action_kind,
            "observations": None if self.form.names is None else list(self.form.names),
            "observation_shape": list(self.form.shape),
            **asdict(self.origin),
            "support_threshold": self.manner.support_threshold,
            "fallback": self._named_fallback(),
            "agreement": None if self.agreement is None else asdict(self.agreement),
        }

    def _named_fallback(self) -> Any:
        fallback = self.manner.fallback
        return self.action_names[fallback] if isinstance(fallback, int) else None

    @property
    def action_kind(self) -> str:
        """What actions are: "discrete" ones have names; of rows, the columns have."""
        return "discrete"

    @property
    def actions_in_words(self) -> str:
        """What kind of actions there are, in words."""
        return f"{len(self.action_names)} actions"

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names of the actions, by number; of their columns, where they are rows."""
        return self.manner.action_names

    @property
    def observation_names(self) -> tuple[str, ...] | None:
        """Names of the columns of observations; None where they have none."""
        return self.form.names

    def q_values(self, observations: Any) -> Float64:
        """Return [B, A] float64; -inf for an action that is not available."""
        batch = self._read(observations)[0]
        if not len(batch):
            return self._nothing().q_values
        return self._weighed(encode_within(self.encoder, batch))[0]

    def support(self, observations: Any) -> Float64:
        """Return [B] in [0, 1]: how well the data support each observation."""
        batch = self._read(observations)[0]
        return self.scale.score(encode_within(self.encoder, batch)) if len(batch) else np.empty(0)

    def decide(self, observations: Any) -> Decisions:
        """Return the decisions on a batch, with Q-values, support, abstentions and ties."""
        return self.decide_batch(self._read(observations)[0])

    def decide_batch(self, batch: Array) -> Decisions:
        """Return the decisions on observations [B, ...] that were read and checked."""
        if not len(batch):
            return self._nothing()
        features = encode_within(self.encoder, batch)
        q_values, actions, distances = self._weighed(features)
        if distances is None:
            support = self.scale.score(features)
        else:
            support = self.scale.of_distances(distances)
        abstained = np.zeros(len(batch), bool)
        if self.manner.support_threshold is not None:
            abstained = support < self.manner.support_threshold
            actions[abstained] = self.manner.fallback
        ties = tied_with_best(q_values, self.manner.slack)
        return Decisions(self.action_names, actions, q_values, support, abstained, ties)

    def read(self, observations: Any) -> Array:
        """Return observations [B, ...] as the policy sees them; what it cannot use is refused."""
        return self._read(observations)[0]

    def _weighed(self, features: Floats) -> tuple[Float64, Array, Float64 | None]:
        """Return Q-values, the best actions, and distances that support is about, or None."""
        q_values, distances = self.rule.judge(features)
        return q_values, np.argmax(q_values, axis=1), distances

    def _nothing(self) -> Decisions:
        """Return the decisions on no observation."""
        return no_decisions(self.action_names)

    def _actions(self, batch: Array, epsilon: float) -> Array:
        if self.manner.support_threshold is not None or not len(batch):
            return self.decide_batch(batch).actions
        return self._weighed(encode_within(self.encoder, batch))[1]
