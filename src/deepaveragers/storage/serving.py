"""Policies to serve: from a policy file, with or without evidence, or from a plan."""

from __future__ import annotations

import os

from ..policy.compact import CompactPolicy
from ..policy.policy import Policy
from ..solvers.plan import Plan
from .records import POLICIES, load_as


def stored_policy(path: str | os.PathLike[str]) -> Policy | CompactPolicy:
    """Return the policy in a file; a plan gives the policy that it has by default."""
    found = load_as((*POLICIES, Plan), path)
    policy: Policy | CompactPolicy = found.policy() if isinstance(found, Plan) else found
    return policy


def acting_policy(path: str | os.PathLike[str]) -> CompactPolicy:
    """Return what acts by the policy or plan in a file."""
    policy = stored_policy(path)
    return policy.compact() if isinstance(policy, Policy) else policy
