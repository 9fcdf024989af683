"""Whether a solve runs on a GPU."""

from __future__ import annotations

import importlib.util

from ..arguments import choice
from ..errors import InputError, MissingExtraError
from ..mdp.model import DacMdp
from ..mdp.objective import Objective
from .iteration.cuda_guess import CUDA_TUNING, CudaTuning


def pick(device: str, mdp: DacMdp, objective: Objective, tuning: CudaTuning = CUDA_TUNING) -> str:
    """Return "cpu" or "cuda" for what was asked; refuse a GPU that cannot do it."""
    choice("device", device, ("cpu", "cuda", "auto"))
    if device == "cpu":
        return device
    what_a_gpu_lacks = {
        "worst_case": objective.worst_case > 0.0,
        "horizon": objective.horizon is not None,
        "actions that are rows": mdp.transitions.action_vectors,
    }
    unsupported = next((name for name, asked in what_a_gpu_lacks.items() if asked), "")
    if device == "auto":
        wanted = not unsupported and len(mdp) >= tuning.smallest_states and has_extra()
        return "cuda" if wanted and not _unusable(mdp, objective, tuning) else "cpu"
    if unsupported:
        raise InputError("device", f"'cpu' for an objective with {unsupported}", repr(device))
    if not has_extra():
        raise MissingExtraError("torch", "cuda")
    if reason := _unusable(mdp, objective, tuning):
        raise InputError("device", "'cpu' on this machine", f"{device!r}, but {reason}")
    return device


def has_extra() -> bool:
    """Whether the extra `cuda` is installed."""
    return importlib.util.find_spec("torch") is not None


def _unusable(mdp: DacMdp, objective: Objective, tuning: CudaTuning) -> str:
    """Return why there is no GPU to use for this; empty if there is one."""
    from torch import cuda

    if not cuda.is_available():
        return "no CUDA GPU or driver was found"
    oldest, found = tuning.oldest, cuda.get_device_capability()
    if found < oldest:
        wanted, have = (".".join(map(str, version)) for version in (oldest, found))
        return f"the GPU is too old: compute capability {have}, at least {wanted} is needed"
    needed, (free, _) = bytes_needed(mdp, objective), cuda.mem_get_info()
    if needed > free:
        return f"{needed / 1e9:.2g} GB of its memory are needed, and {free / 1e9:.2g} GB are free"
    return ""


def bytes_needed(mdp: DacMdp, objective: Objective) -> int:
    """Return how much memory of the GPU a solve takes beyond what it holds already."""
    size, actions, compiled = mdp.graph.indices.shape
    k = objective.k or compiled
    there = mdp.prepared.device_graph
    uploaded = 0 if there is not None and there.weight.shape[2] == k else 8 * actions * k
    # A policy's rows and their products; R, Q before and after and what is available; vectors.
    return (uploaded + 24 * k + 17 * actions + 64) * size
