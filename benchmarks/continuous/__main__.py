"""`python -m benchmarks.continuous quality --agents DIR`, and `... timing --steps 1000000`.

`--ledger FILE` keeps what was measured, row by row; `... table --ledger FILE` prints it.

`--support 0.6` plans with support, `--support 1` imitates; `--method fit` lets `da.fit` choose;
`--method td3bc --peers FOLDER` trains d3rlpy's, in the environment that `python -m
benchmarks.policies --prepare` makes. Hopper, HalfCheetah, Walker2d and the double pendulum need
MuJoCo, which the extra `bench` brings.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from experiments.ledger import Ledger, written

from ..planner.circumstances import commit
from ..policies.peers.environment import DEFAULT as PEERS_FOLDER
from ..policies.peers.learning import ROW_PEERS, Peers
from .quality import LEARNT, Method, Row, by_fit, by_peer, by_plan, measured
from .tables import seconds, table
from .tasks import TASKS, log_of
from .timing import timed

KEY = ("task", "steps", "seed", "method")
VALUES = ("logged", "whole", "seconds", "commit", "words", "returns")
DEFAULT_TASKS = ("pendulum", "mountaincar", "lunarlander")


def main(arguments: list[str] | None = None) -> None:
    """Print what is measured, row by row."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.continuous")
    parser.add_argument("what", choices=("quality", "timing", "table"))
    parser.add_argument("--tasks", nargs="+", choices=tuple(TASKS), default=DEFAULT_TASKS)
    parser.add_argument("--agents", type=Path, help="folder of policies that collect data")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=(10, 11, 12))
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument(
        "--method",
        choices=("plan", "fit", *ROW_PEERS),
        default="plan",
        help="what makes a policy: a plan, da.fit, or one of d3rlpy's learners",
    )
    parser.add_argument("--support", type=float, default=0.0, help="of a plan; 1 is imitation")
    parser.add_argument("--encoder", choices=("columns", *LEARNT), default="columns")
    parser.add_argument("--peers", type=Path, default=PEERS_FOLDER, help="d3rlpy's environment")
    parser.add_argument("--updates", type=int, default=10_000, help="of a learner of d3rlpy's")
    parser.add_argument("--logs", type=Path, help="folder where logs are kept")
    parser.add_argument(
        "--ledger", type=Path, help="a CSV file of rows: what is there is not run again"
    )
    parser.add_argument("--dimensions", type=int, default=6)
    parser.add_argument("--candidates", type=int, default=10)
    parser.add_argument("--landing", choices=("change", "own"), default="change")
    given = parser.parse_args(arguments)
    if given.what == "table":
        if given.ledger is None:
            parser.error("table needs --ledger FILE")
        rows = Ledger(given.ledger, KEY, VALUES).rows
        print(f"{table(rows)}\n\nSeconds of processor time: {seconds(rows)}.")
        return
    if given.what == "timing":
        found = timed(given.steps, given.dimensions, given.candidates, given.landing)
        print(", ".join(f"{name} {value:.3g}" for name, value in found.items()))
        return
    with Peers(given.peers) as peers:
        own = {"plan": by_plan(given.support, given.encoder), "fit": by_fit}
        method = own.get(given.method) or by_peer(peers, given.method, given.updates)
        for task in given.tasks:
            report(task, given, method)


def report(task: str, given: argparse.Namespace, method: Method) -> None:
    """Print the policies of one task, and their mean; keep them, where that is asked for."""
    kept = None if given.ledger is None else Ledger(given.ledger, KEY, VALUES)
    means = []
    for seed in given.seeds:
        key = {"task": task, "steps": given.steps, "seed": seed, "method": label(given)}
        if kept is not None and kept.has(**key):
            continue
        data = log_of(task, given.steps, seed, given.agents, given.logs)
        row = measured(data, TASKS[task].env, given.episodes, method)
        if kept is not None:
            keep(kept, key, row)
        low, high = row.interval
        means.append(row.mean)
        print(
            f"{task} {given.steps:,} seed {seed}: logged {row.logged:.1f} (whole "
            f"episodes {row.whole:.1f}), {given.method} "
            f"{row.mean:.1f} [{low:.1f}, {high:.1f}], processors {row.processor:.1f} s"
            f"{row.words and '; '}{row.words}",
            flush=True,
        )
    if means:
        print(f"{task} {given.steps:,} {given.method}: {np.mean(means):.1f}", flush=True)


def label(given: argparse.Namespace) -> str:
    """Return what a method is called in the ledger."""
    if given.method == "plan":
        return f"plan {given.encoder} {given.support:g}"
    return "fit" if given.method == "fit" else f"{given.method} {given.updates}"


def keep(ledger: Ledger, key: dict[str, object], row: Row) -> None:
    """Add a row to the ledger."""
    ledger.add(
        **key,
        logged=f"{row.logged:.6g}",
        whole=f"{row.whole:.6g}",
        seconds=f"{row.processor:.1f}",
        commit=commit(),
        words=row.words,
        returns=written(row.returns),
    )


if __name__ == "__main__":
    main()
