"""The policy that decides at present, and how another one takes its place between two requests."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..policy.compact import CompactPolicy
from ..policy.compact_rows import CompactVectorPolicy
from ..policy.policy import Policy
from ..storage.serving import stored_policy


@dataclass(frozen=True, eq=False)
class Served:
    """A policy as it was loaded; a request is answered by one of them from first to last.

    Attributes:
        acting: what decides.
        whole: what explains; None where the file has no evidence.
        loaded: when, in seconds since 1970.
    """

    acting: CompactPolicy
    whole: Policy | None
    loaded: float

    @property
    def plan(self) -> str:
        """Digest that decisions are marked with."""
        return self.acting.digest


def load_served(path: Path) -> Served:
    """Load a policy, check it, and decide once, so that the first request finds all at hand."""
    policy = stored_policy(path)
    whole = policy if isinstance(policy, Policy) else None
    acting = policy.compact() if isinstance(policy, Policy) else policy
    acting.decide_batch(np.zeros((1, *acting.form.shape), acting.form.dtype))
    return Served(acting, whole, time.time())


class Current:
    """Holds what is served; to replace it is one assignment.

    Args:
        path: of the policy's file.
        served: what was loaded from there.
    """

    def __init__(self, path: Path, served: Served) -> None:
        self._path = path
        self.served = served

    def reload(self) -> Served:
        """Load what is at the path now and serve it; whatever is wrong with it is raised."""
        new = load_served(self._path)
        _check_alike(new.acting, self.served.acting)
        self.served = new
        return new


def _check_alike(new: CompactPolicy, old: CompactPolicy) -> None:
    """Refuse a policy that reads other observations than clients send, or answers otherwise."""
    if new.form.names != old.form.names or new.form.shape != old.form.shape:
        raise InputError(
            "policy",
            "one that reads the same columns as the one that is served",
            "one with other columns",
            "Start another server for it.",
        )
    rows, before = (isinstance(one, CompactVectorPolicy) for one in (new, old))
    if rows != before or (rows and new.action_names != old.action_names):
        raise InputError(
            "policy",
            "one whose actions have the form of those that are served",
            f"one of {new.actions_in_words}",
            "Start another server for it.",
        )
