"""How well does `select` choose without the environment?

Per repetition: a fresh bag of 10,000 transitions, 30 candidates, their true returns, and what
each offline estimate would have chosen. A choice hits when its true return is within 10 % of
the best candidate's.

True returns are plain sums over up to 500 steps, so `simulated` judges by a discount that sees
as far. `simulated_99` and the other estimates judge by 0.99, with which candidates plan.
"""

from __future__ import annotations

import argparse
import csv
import shlex
import sys
from collections import defaultdict
from pathlib import Path

import deepaveragers as da

from .agent import ENVIRONMENT, controller, trained_agent
from .bags import EPSILONS
from .page import PAGE, fill
from .results import commit, hardware

HERE = Path(__file__).parent
ESTIMATES = ("simulated", "simulated_99", "cross_fitted", "fitted_q", "importance")
LONGEST = 500
FIRST_SEED = 500
HEADER = (
    "bag", "repetition", "k", "cost", "k_pi", "episodes", "true_return", *ESTIMATES,
    "command", "commit", "hardware",
)  # fmt: skip


def main() -> None:
    """Run the missing repetitions, and print the hit rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run that checks the parts")
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument(
        "--estimates", nargs="*", default=list(ESTIMATES[2:]), choices=ESTIMATES[2:],
        help="what to compute beside the simulations",
    )  # fmt: skip
    parser.add_argument("--bags", nargs="+", default=["random", "mixed"])
    parser.add_argument("--cache", type=Path, default=Path("runs/cartpole"))
    parser.add_argument("--results", type=Path, default=HERE / "choosing.csv")
    parser.add_argument("--report", action="store_true", help="only write what there is")
    given = parser.parse_args()
    if given.quick:
        given.repetitions, given.episodes = 1, 5
        given.results = given.cache / "choosing-quick.csv"
    steps = 2_000 if given.quick else 10_000
    command = shlex.join(["python", "-m", "experiments.cartpole.choosing", *sys.argv[1:]])
    origin = (command, commit(), hardware())
    known = {(row["bag"], int(row["repetition"])) for row in read(given.results)}
    for repetition in range(0 if given.report else given.repetitions):
        for bag in given.bags:
            if (bag, repetition) not in known:
                kept = None if given.quick else given.cache / "agent.npz"
                data = _collect(bag, steps, FIRST_SEED + repetition, kept)
                _append(
                    given.results,
                    [
                        (bag, repetition, *row, *origin)
                        for row in _repeat(data, repetition, given.episodes, given.estimates)
                    ],
                )
                print(f"{bag} {repetition} done", flush=True)
    found = hit_rates(read(given.results))
    print(found)
    if not given.quick:
        PAGE.write_text(fill(PAGE.read_text(), {"choosing": found}))


def _collect(bag: str, steps: int, seed: int, kept: Path | None) -> da.Transitions:
    if bag == "random":
        return da.collect(ENVIRONMENT, steps, seed=seed)
    agent = controller if kept is None else trained_agent(kept)
    return da.collect(ENVIRONMENT, steps, agent, epsilon=EPSILONS, seed=seed)


def _repeat(
    data: da.Transitions, seed: int, episodes: int, estimates: list[str]
) -> list[tuple[object, ...]]:
    """Return, for every candidate, its true return and its estimates."""
    candidates = da.candidate_grid(cost=(0.0, 1.0, 10.0, 100.0, 1e6))
    usual = da.select(data, candidates, estimates=estimates, seed=seed)
    far = da.select(
        data, candidates, gamma=1.0 - 1.0 / LONGEST, horizon=LONGEST, estimates=(), seed=seed
    )
    far_scores = {id(score.candidate): score.simulated for score in far.scores}
    mdp = da.compile(data, k=max(candidate.k for candidate in candidates))
    rows: list[tuple[object, ...]] = []
    plans: dict[tuple[int, float], da.Plan] = {}
    for score in usual.scores:
        candidate = score.candidate
        asked = (candidate.k, candidate.objective.cost)
        if asked not in plans:
            plans[asked] = mdp.solve(candidate.asked)
        policy = plans[asked].policy(k=candidate.k_pi)
        truth = da.evaluate(policy, ENVIRONMENT, episodes, seed=9_000 + seed).mean
        beside = [getattr(score, name) for name in ESTIMATES[2:]]
        found = [far_scores[id(candidate)], score.simulated, *beside]
        values = ["" if estimate is None else round(estimate.value, 3) for estimate in found]
        rows.append((*asked, candidate.k_pi, episodes, round(truth, 2), *values))
    return rows


def hit_rates(rows: list[dict[str, str]]) -> str:
    """Return a Markdown table: how often, and how well, each way of choosing chose."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["bag"], row["repetition"]].append(row)
    reached = defaultdict(list)
    for (bag, _), group in groups.items():
        truths = [float(row["true_return"]) for row in group]
        best = max(truths)
        for name in ESTIMATES:
            scores = [float(row[name]) if row[name] else float("-inf") for row in group]
            if max(scores) > float("-inf"):
                reached[name, bag].append([truths[scores.index(max(scores))] / best])
        default = next(
            truth
            for row, truth in zip(group, truths, strict=True)
            if (int(row["k"]), float(row["cost"]), int(row["k_pi"])) == (5, 1.0, 11)
        )
        reached["the paper's default", bag].append([default / best])
        reached["a random candidate", bag].append([truth / best for truth in truths])
    lines = ["| chosen by | bag | hits | share of the best return |", "|---|---|---|---|"]
    for (name, bag), shares in reached.items():
        hits = sum(sum(share >= 0.9 for share in one) / len(one) for one in shares)
        mean = sum(sum(one) / len(one) for one in shares) / len(shares)
        lines.append(f"| {name} | {bag} | {hits:.3g} of {len(shares)} | {mean:.2f} |")
    return "\n".join(lines)


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file, none where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _append(path: Path, rows: list[tuple[object, ...]]) -> None:
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if fresh:
            writer.writerow(HEADER)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
