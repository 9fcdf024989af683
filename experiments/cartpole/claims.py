"""The paper's claims about CartPole, each as a rule that one seed's returns keep or break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .bags import BAGS
from .grid import Setting
from .summary import Summary

Rule = Callable[[Sequence[float]], bool]
"""Whether the returns of the settings, in their order, are as claimed."""

BOTH = Setting()
WITHOUT_STATES = Setting(lookup="lookahead")
WITHOUT_WEIGHTS = Setting(weighting="uniform")


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper.

    Attributes:
        text: the sentence, and what we take it to mean.
        settings: whose returns it is about, by the names they are shown under.
        holds: the rule.
        bags: which datasets it is about.
        sizes: and of which sizes; None for all.
    """

    text: str
    settings: dict[str, Setting]
    holds: Rule
    bags: tuple[str, ...] = BAGS
    sizes: tuple[int, ...] | None = None


def _costs(*costs: float) -> dict[str, Setting]:
    return {f"C={cost:g}": Setting(cost=cost, k=1, k_pi=1) for cost in costs}


def _ks(*ks: int) -> dict[str, Setting]:
    return {f"k={k}": Setting(k=k, k_pi=1) for k in ks}


def _k_pis(*k_pis: int) -> dict[str, Setting]:
    return {f"k_pi={k_pi}": Setting(k_pi=k_pi) for k_pi in k_pis}


CLAIMS = (
    Claim(
        "C = 0 fails on all bags: less than half of C = 1",
        _costs(0, 1), lambda r: r[0] < r[1] / 2,
    ),
    Claim(
        "very large C works on optimal: at least 90 % of C = 1",
        _costs(1e6, 1), lambda r: r[0] >= 0.9 * r[1], ("optimal",),
    ),
    Claim(
        "very large C fails on the others: less than half of C = 1",
        _costs(1e6, 1), lambda r: r[0] < r[1] / 2, ("random", "mixed"),
    ),
    Claim(
        "flat in between: C from 0.1 to 10 within 10 % of each other",
        _costs(0.1, 1, 10), lambda r: min(r) >= 0.9 * max(r),
    ),
    Claim(
        "k > 1 is better: k = 5 earns over 2 % more than k = 1",
        _ks(1, 5), lambda r: r[1] > 1.02 * r[0],
    ),
    Claim(
        "too large k hurts where data are thin: k = 31 earns less than 90 % of k = 5",
        _ks(5, 31), lambda r: r[1] < 0.9 * r[0], sizes=(10_000,),
    ),
    Claim(
        "k_pi > 1 is better: k_pi = 11 earns over 2 % more than k_pi = 1",
        _k_pis(1, 11), lambda r: r[1] > 1.02 * r[0],
    ),
    Claim(
        "too large k_pi hurts: k_pi = 101 earns less than 90 % of k_pi = 11",
        _k_pis(11, 101), lambda r: r[1] < 0.9 * r[0],
    ),
    Claim(
        "at 100k sKNN does not matter: without it at least 90 %",
        {"both": BOTH, "no sKNN": WITHOUT_STATES}, lambda r: r[1] >= 0.9 * r[0], sizes=(100_000,),
    ),
    Claim(
        "at 100k WA does not matter: without it at least 90 %",
        {"both": BOTH, "no WA": WITHOUT_WEIGHTS}, lambda r: r[1] >= 0.9 * r[0], sizes=(100_000,),
    ),
    Claim(
        "at 10k the optimal bag needs sKNN: without it less than 90 %",
        {"both": BOTH, "no sKNN": WITHOUT_STATES}, lambda r: r[1] < 0.9 * r[0],
        ("optimal",), (10_000,),
    ),
)  # fmt: skip


def claims_table(summary: Summary, encoder: str) -> str:
    """Return a Markdown table: the claim, and for each bag and size in how many seeds it holds."""
    lines = ["| the paper says | bag, size | mean returns | holds in |", "|---|---|---|---|"]
    for claim in CLAIMS:
        text = claim.text
        for size in sorted(summary.sizes, reverse=True):
            for bag in claim.bags:
                if claim.sizes is None or size in claim.sizes:
                    found = _judged(summary, encoder, claim, bag, size)
                    if found is not None:
                        lines.append(f"| {text} | {bag} {size // 1000}k | {found} |")
                        text = ""
    return "\n".join(lines)


def _judged(summary: Summary, encoder: str, claim: Claim, bag: str, size: int) -> str | None:
    returns = [
        summary.per_seed(bag, size, encoder, 0.0, setting) for setting in claim.settings.values()
    ]
    seeds = sorted(set.intersection(*(set(found) for found in returns)))
    if not seeds:
        return None
    kept = sum(claim.holds([found[seed] for found in returns]) for seed in seeds)
    means = (sum(found[seed] for seed in seeds) / len(seeds) for found in returns)
    shown = ", ".join(f"{name} {mean:.0f}" for name, mean in zip(claim.settings, means))
    return f"{shown} | {kept} of {len(seeds)}"
