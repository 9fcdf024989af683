"""Every setting of the study. A sweep is a list of settings; sweeps share settings."""

from __future__ import annotations

from dataclasses import dataclass

COSTS = (0.0, 0.1, 1.0, 10.0, 100.0, 1e4, 1e6)
KS = (1, 3, 5, 11, 21, 31)
K_PIS = (1, 5, 11, 31, 101)
LARGEST_K = max(KS)


@dataclass(frozen=True, order=True)
class Setting:
    """One way to plan and act; the names are the paper's."""

    cost: float = 1.0
    k: int = 5
    k_pi: int = 11
    lookup: str = "nearest"
    weighting: str = "inverse"


def cost_sweep() -> list[Setting]:
    """C from 0 to 1e6, with k = k_pi = 1."""
    return [Setting(cost=cost, k=1, k_pi=1) for cost in COSTS]


def k_sweep() -> list[Setting]:
    """The smoothness k, with k_pi = 1 and C = 1."""
    return [Setting(k=k, k_pi=1) for k in KS]


def k_pi_sweep() -> list[Setting]:
    """The policy's smoothness k_pi, with k = 5 and C = 1."""
    return [Setting(k_pi=k_pi) for k_pi in K_PIS]


def ablation() -> list[Setting]:
    """Weighted averaging x nearest states, with k = 5, k_pi = 11 and C = 1."""
    return [
        Setting(lookup=lookup, weighting=weighting)
        for weighting in ("inverse", "uniform")
        for lookup in ("nearest", "lookahead")
    ]


def settings(*, quick: bool) -> list[Setting]:
    """Return all settings, each once, those that share a plan beside each other."""
    if quick:
        wanted = [*cost_sweep()[::3], *k_sweep()[1:3], *ablation()]
    else:
        wanted = [*cost_sweep(), *k_sweep(), *k_pi_sweep(), *ablation()]
    return sorted(set(wanted), key=lambda s: (s.weighting, s.k, s.cost, s.lookup, s.k_pi))
