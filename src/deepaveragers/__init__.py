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

__version__ = "0.2.0"

if TYPE_CHECKING:
    from .data.action_features import ActionFeatures
    from .data.collecting import collect
    from .data.frame_stacks import FrameStacks
    from .data.mapping import TableMapping
    from .data.reading import read, read_reported
    from .data.transitions import Transitions
    from .data.writing import write
    from .doctor.diagnosing import diagnose, write_report
    from .doctor.findings import Diagnosis
    from .doctor.repairs import Repair, repair
    from .errors import (
        BundleError,
        ClusterError,
        DataWarning,
        DeepAveragersError,
        InputError,
        MissingExtraError,
        StorageError,
        TrainingDiverged,
    )
    from .evaluation.candidates import Candidate, candidate_grid
    from .evaluation.comparing import compare
    from .evaluation.comparison import Comparison
    from .evaluation.fitting.answer import Fit
    from .evaluation.fitting.fit import fit
    from .evaluation.guarantee import Guarantee, guarantee
    from .evaluation.importance import Estimate, importance_value
    from .evaluation.rollouts import EvaluationReport, evaluate
    from .mdp.compilation import compile
    from .mdp.model import DacMdp
    from .mdp.objective import Objective
    from .neighbors.graph import NeighborGraph
    from .neighbors.index import NeighborIndex
    from .neighbors.indexing import neighbor_index
    from .policy.compact import CompactPolicy
    from .policy.deciding import Decisions
    from .policy.decision import Decision
    from .policy.policy import Policy
    from .reporting.report import Report, report
    from .representation.bcq import BcqEncoder, train_bcq
    from .representation.dqn import DqnEncoder, train_dqn
    from .representation.dynamics import DynamicsEncoder, train_dynamics
    from .representation.encoder import Encoder, Identity, Standardize
    from .representation.network_files import load_encoder, save_encoder
    from .representation.random_network import RandomNetwork
    from .representation.settings import TrainingSettings
    from .representation.torch_encoder import TorchEncoder
    from .representation.transformer import TransformerEncoder
    from .solvers.constrained import ConstrainedPlan, solve_constrained
    from .solvers.one_step import solve_one_step
    from .solvers.own_policy import solve_own_policy
    from .solvers.plan import Plan
    from .solvers.policy_evaluation import PolicyValue, factored_values, policy_values
    from .storage.editing import append, forget
    from .storage.records import load, save

__all__ = [
    "ActionFeatures",
    "BcqEncoder",
    "BundleError",
    "Candidate",
    "ClusterError",
    "CompactPolicy",
    "Comparison",
    "ConstrainedPlan",
    "DacMdp",
    "DataWarning",
    "Decision",
    "Decisions",
    "DeepAveragersError",
    "Diagnosis",
    "DqnEncoder",
    "DynamicsEncoder",
    "Encoder",
    "Estimate",
    "EvaluationReport",
    "Fit",
    "FrameStacks",
    "Guarantee",
    "Identity",
    "InputError",
    "MissingExtraError",
    "NeighborGraph",
    "NeighborIndex",
    "Objective",
    "Plan",
    "Policy",
    "PolicyValue",
    "RandomNetwork",
    "Repair",
    "Report",
    "Standardize",
    "StorageError",
    "TableMapping",
    "TorchEncoder",
    "TrainingDiverged",
    "TrainingSettings",
    "TransformerEncoder",
    "Transitions",
    "append",
    "candidate_grid",
    "collect",
    "compare",
    "compile",
    "diagnose",
    "evaluate",
    "factored_values",
    "fit",
    "forget",
    "guarantee",
    "importance_value",
    "load",
    "load_encoder",
    "neighbor_index",
    "policy_values",
    "read",
    "read_reported",
    "repair",
    "report",
    "save",
    "save_encoder",
    "solve_constrained",
    "solve_one_step",
    "solve_own_policy",
    "train_bcq",
    "train_dqn",
    "train_dynamics",
    "write",
    "write_report",
]

_HOMES = {
    "ActionFeatures": "data.action_features",
    "write_report": "doctor.diagnosing",
    "TableMapping": "data.mapping",
    "read_reported": "data.reading",
    "Comparison": "evaluation.comparison",
    "compare": "evaluation.comparing",
    "candidate_grid": "evaluation.candidates",
    "append": "storage.editing",
    "forget": "storage.editing",
    "ConstrainedPlan": "solvers.constrained",
    "solve_constrained": "solvers.constrained",
    "Candidate": "evaluation.candidates",
    "Diagnosis": "doctor.findings",
    "diagnose": "doctor.diagnosing",
    "Repair": "doctor.repairs",
    "repair": "doctor.repairs",
    "FrameStacks": "data.frame_stacks",
    "collect": "data.collecting",
    "read": "data.reading",
    "Transitions": "data.transitions",
    "write": "data.writing",
    "BundleError": "errors",
    "ClusterError": "errors",
    "DataWarning": "errors",
    "DeepAveragersError": "errors",
    "InputError": "errors",
    "MissingExtraError": "errors",
    "StorageError": "errors",
    "TrainingDiverged": "errors",
    "Estimate": "evaluation.importance",
    "importance_value": "evaluation.importance",
    "Fit": "evaluation.fitting.answer",
    "fit": "evaluation.fitting.fit",
    "Guarantee": "evaluation.guarantee",
    "guarantee": "evaluation.guarantee",
    "EvaluationReport": "evaluation.rollouts",
    "evaluate": "evaluation.rollouts",
    "DacMdp": "mdp.model",
    "compile": "mdp.compilation",
    "Objective": "mdp.objective",
    "NeighborGraph": "neighbors.graph",
    "NeighborIndex": "neighbors.index",
    "neighbor_index": "neighbors.indexing",
    "CompactPolicy": "policy.compact",
    "Decision": "policy.decision",
    "Decisions": "policy.deciding",
    "Policy": "policy.policy",
    "BcqEncoder": "representation.bcq",
    "train_bcq": "representation.bcq",
    "DqnEncoder": "representation.dqn",
    "train_dqn": "representation.dqn",
    "DynamicsEncoder": "representation.dynamics",
    "train_dynamics": "representation.dynamics",
    "Encoder": "representation.encoder",
    "Identity": "representation.encoder",
    "Standardize": "representation.encoder",
    "load_encoder": "representation.network_files",
    "save_encoder": "representation.network_files",
    "RandomNetwork": "representation.random_network",
    "TrainingSettings": "representation.settings",
    "TorchEncoder": "representation.torch_encoder",
    "TransformerEncoder": "representation.transformer",
    "Report": "reporting.report",
    "report": "reporting.report",
    "solve_one_step": "solvers.one_step",
    "solve_own_policy": "solvers.own_policy",
    "Plan": "solvers.plan",
    "PolicyValue": "solvers.policy_evaluation",
    "factored_values": "solvers.policy_evaluation",
    "policy_values": "solvers.policy_evaluation",
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
