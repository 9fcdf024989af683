"""DeepAveragers: logged experience in, a certified plan that you can question out.

    import deepaveragers as da

    data = da.collect("CartPole-v1", steps=100_000, seed=0)
    mdp = da.compile(data, k=5)
    plan = mdp.solve(gamma=0.99, cost=1.0)
    policy = plan.policy(k=11)
    report = da.evaluate(policy, "CartPole-v1", episodes=100)

Importing loads no more than this file: each name below is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .data.collecting import collect
    from .data.readers.table import read_table
    from .data.reading import read
    from .data.transitions import Transitions
    from .data.writing import write
    from .errors import (
        BundleError,
        DeepAveragersError,
        InputError,
        MissingExtraError,
        StorageError,
    )
    from .evaluation.guarantee import Guarantee, guarantee
    from .evaluation.rollouts import EvaluationReport, evaluate
    from .mdp.model import DacMdp, compile
    from .mdp.objective import Objective
    from .neighbors.graph import NeighborGraph
    from .policy.decision import Decision
    from .policy.policy import Policy
    from .representation.encoder import Encoder, Identity, Standardize
    from .solvers.plan import Plan
    from .storage.records import load, save

__all__ = [
    "BundleError",
    "DacMdp",
    "Decision",
    "DeepAveragersError",
    "Encoder",
    "EvaluationReport",
    "Guarantee",
    "Identity",
    "InputError",
    "MissingExtraError",
    "NeighborGraph",
    "Objective",
    "Plan",
    "Policy",
    "Standardize",
    "StorageError",
    "Transitions",
    "collect",
    "compile",
    "evaluate",
    "guarantee",
    "load",
    "read",
    "read_table",
    "save",
    "write",
]

_HOMES = {
    "collect": "data.collecting",
    "read": "data.reading",
    "read_table": "data.readers.table",
    "write": "data.writing",
    "Transitions": "data.transitions",
    "BundleError": "errors",
    "DeepAveragersError": "errors",
    "InputError": "errors",
    "MissingExtraError": "errors",
    "StorageError": "errors",
    "Guarantee": "evaluation.guarantee",
    "guarantee": "evaluation.guarantee",
    "EvaluationReport": "evaluation.rollouts",
    "evaluate": "evaluation.rollouts",
    "DacMdp": "mdp.model",
    "compile": "mdp.model",
    "Objective": "mdp.objective",
    "NeighborGraph": "neighbors.graph",
    "Decision": "policy.decision",
    "Policy": "policy.policy",
    "Encoder": "representation.encoder",
    "Identity": "representation.encoder",
    "Standardize": "representation.encoder",
    "Plan": "solvers.plan",
    "load": "storage.records",
    "save": "storage.records",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'deepaveragers' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
