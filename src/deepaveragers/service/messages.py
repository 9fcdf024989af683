"""What goes over the wire, declared once: it decodes, encodes, and describes itself."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

Observation = dict[str, Any] | list[Any]
"""By name, or numbers in the order of the data."""


class DecideRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What to decide upon: one observation, or several.

    Attributes:
        observation: one, by name or as numbers in the order of the data.
        observations: several of those.
        id: the client's name for the one, kept in the audit log.
        ids: the client's names for the several.
    """

    observation: Observation | UnsetType = UNSET
    observations: list[Observation] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    ids: list[str] | UnsetType = UNSET


class DecisionBody(msgspec.Struct, omit_defaults=True):
    """One decision.

    Attributes:
        action: its name.
        index: its number.
        q: planned value of every action by name; null for one that is not available.
        support: in [0, 1], how well the data support the observation.
        abstained: whether the fallback acted because of thin support.
        ties: actions that the certificate does not tell apart from the best one.
        id: the client's, or the audit log's, name for it.
    """

    action: str
    index: int
    q: dict[str, float | None]
    support: float
    abstained: bool
    ties: list[str]
    id: str | UnsetType = UNSET


class RowDecisionBody(msgspec.Struct, omit_defaults=True):
    """One decision where actions are rows of numbers.

    Attributes:
        action: its numbers by the names of their columns.
        vector: the same numbers in the order of the data.
        value: planned value of the best of the actions that were weighed.
        support: in [0, 1], how well the data support the observation.
        abstained: whether the fallback acted because of thin support.
        id: the client's, or the audit log's, name for it.
    """

    action: dict[str, float]
    vector: list[float]
    value: float
    support: float
    abstained: bool
    id: str | UnsetType = UNSET


class DecideAnswer(msgspec.Struct):
    """Decisions, in the order of the observations.

    Attributes:
        decisions: one for each observation.
        plan: digest of the policy that made all of them.
    """

    decisions: list[DecisionBody]
    plan: str


class RowDecideAnswer(msgspec.Struct):
    """Decisions where actions are rows of numbers, in the order of the observations.

    Attributes:
        decisions: one for each observation.
        plan: digest of the policy that made all of them.
    """

    decisions: list[RowDecisionBody]
    plan: str


class ExplainRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What to explain.

    Attributes:
        observation: one, by name or as numbers in the order of the data.
        cases: comparable cases of the log to show.
    """

    observation: Observation
    cases: int | float = 4


class ExplainAnswer(msgspec.Struct):
    """A decision with its evidence.

    Attributes:
        decision: its parts, as `policy.explain` gives them.
        text: the same for people.
        plan: digest of the policy that made it.
    """

    decision: dict[str, Any]
    text: str
    plan: str


class PolicyAnswer(msgspec.Struct):
    """The policy that decides at present.

    Attributes:
        name: of the model, in paths of the open inference protocol.
        plan: digest that its decisions are marked with.
        digests: SHA-256 of all that decides, of the compiled MDP, and of the log.
        actions: names, by number; of their columns, where actions are rows.
        action_kind: "discrete"; "continuous" or "combined discrete" where they are rows.
        observations: names of the columns in their order; null where they have none.
        observation_shape: of one observation.
        objective: what was asked of the plan.
        support_threshold: below it the fallback acts; null where it never does.
        fallback: name of that action, or its numbers by name.
        evidence: whether it can explain.
        agreement: of a thinned policy with the whole one.
        loaded: when it was, UTC.
    """

    name: str
    plan: str
    digests: dict[str, str]
    actions: list[str]
    action_kind: str
    observations: list[str] | None
    observation_shape: list[int]
    objective: dict[str, Any]
    support_threshold: float | None
    fallback: str | dict[str, float] | None
    evidence: bool
    agreement: dict[str, float] | None
    loaded: str


class HealthAnswer(msgspec.Struct):
    """How the server is.

    Attributes:
        status: "live", "ready", or why it is not ready.
    """

    status: str
