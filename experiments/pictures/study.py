"""CartPole from pictures: DAC-MDPs on five representations against DQN and BCQ.

For each seed a dataset of random play is collected, and DQN and BCQ are trained on it. At each
snapshot of their training the network plays by itself ("baseline"), and its representation is
compiled into a DAC-MDP of which the N_e candidates play. The best candidate is chosen on its
search episodes, and is then played again on others: only those count in the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from ..candidates import K, candidates
from ..ledger import Ledger, pooled, written
from .cartpole import PicturePole

GAMMA, EPSILON = 0.99, 0.001
LEARNERS = {"dqn": da.train_dqn, "bcq": da.train_bcq}
KEY = ("representation", "seed", "updates", "policy", "cost", "lookup", "round")
VALUES = ("episodes", "mean", "low", "high", "seconds", "returns")


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """What is run.

    Attributes:
        transitions: of random play, per seed.
        updates: of DQN and BCQ.
        dynamics_updates: of the dynamics features.
        snapshot_every: updates between points of the curve.
        seeds: of the data, the training and the random network.
        num_candidates: N_e.
        search_episodes: by which a candidate is chosen.
        episodes: by which the baselines and the chosen are judged.
        settings: changes to the paper's Table 4.
    """

    transitions: int = 30_000
    updates: int = 20_000
    dynamics_updates: int = 1_000
    snapshot_every: int = 4_000
    seeds: tuple[int, ...] = (0, 1, 2)
    num_candidates: int = 6
    search_episodes: int = 20
    episodes: int = 100
    settings: tuple[tuple[str, Any], ...] = (("hidden", (128, 16)),)


FULL = Protocol()
THIN = Protocol(
    transitions=5_000,
    updates=1_000,
    snapshot_every=1_000,
    search_episodes=5,
    episodes=30,
)
QUICK = Protocol(
    transitions=2_000,
    updates=200,
    dynamics_updates=100,
    snapshot_every=100,
    seeds=(0,),
    search_episodes=5,
    episodes=10,
)


def open_ledger(directory: Path) -> Ledger:
    """Return the results so far."""
    return Ledger(directory / "results.csv", KEY, VALUES)


def run(protocol: Protocol, directory: Path) -> Ledger:
    """Run what is not done yet; every finished piece is a row of results.csv."""
    ledger = open_ledger(directory)
    for seed in protocol.seeds:
        data = _data(protocol, directory, seed)
        for name, updates, encoder in _representations(protocol, directory, data, seed):
            _study(protocol, ledger, data, encoder, representation=name, seed=seed, updates=updates)
    return ledger


def _data(protocol: Protocol, directory: Path, seed: int) -> da.Transitions:
    path = directory / f"data-{seed}"
    if not path.exists():
        da.save(da.collect(PicturePole, protocol.transitions, seed=seed), path)
    data = da.load(path)
    assert isinstance(data, da.Transitions)
    if len(data) != protocol.transitions:
        raise SystemExit(f"{path} is of another protocol; give another --runs directory.")
    return data


def _representations(
    protocol: Protocol, directory: Path, data: da.Transitions, seed: int
) -> Iterator[tuple[str, int, Any]]:
    """Yield name, updates and encoder; the fully trained ones come before their snapshots."""
    yield "pixels", 0, da.Identity()
    yield "random", 0, da.RandomNetwork(dimensions=64, seed=seed)
    yield "dynamics", 0, _dynamics(protocol, directory, data, seed)
    points = range(protocol.updates, 0, -protocol.snapshot_every)
    for name, train in LEARNERS.items():
        run_dir = directory / f"{name}-{seed}"
        if not _snapshot(run_dir, protocol.updates).exists():
            train(
                data,
                protocol.updates,
                preset="navigation",
                seed=seed,
                run_dir=run_dir,
                checkpoint_every=500,
                snapshot_every=protocol.snapshot_every,
                **dict(protocol.settings),
            )
        for updates in points:
            yield name, updates, da.load_encoder(_snapshot(run_dir, updates))


def _snapshot(run_dir: Path, updates: int) -> Path:
    """Return the file of a trained encoder; a run may have gone further than is asked for."""
    return run_dir / f"encoder-{updates:08d}.safetensors"


def _dynamics(protocol: Protocol, directory: Path, data: da.Transitions, seed: int) -> Any:
    """Return the dynamics features, trained when they are first asked for."""
    file = directory / f"dynamics-{seed}.safetensors"
    if not file.exists():
        steps = protocol.dynamics_updates
        da.save_encoder(da.train_dynamics(data, steps, batch_size=128, seed=seed), file)
    return da.load_encoder(file)


def _study(
    protocol: Protocol, ledger: Ledger, data: da.Transitions, encoder: Any, **place: Any
) -> None:
    """Play the network and its DAC-MDPs, and record what they earned."""
    whole = {**place, "policy": "best", "cost": "", "lookup": "", "round": "judge"}
    if ledger.has(**whole):
        return
    if place["representation"] in LEARNERS:
        _record(
            ledger,
            lambda: encoder.policy(),
            protocol.episodes,
            **{**whole, "policy": "baseline"},
        )
    mdp = da.compile(data, K, encoder, neighbors="auto")
    plans: dict[float, da.Plan] = {}

    def policy(cost: float, lookup: int) -> da.Policy:
        if cost not in plans:
            plans[cost] = mdp.solve(gamma=GAMMA, cost=cost)
        return plans[cost].policy(k=lookup)

    means = {}
    for one in candidates(protocol.num_candidates):
        entry = {**place, "policy": "dac", "cost": one.cost, "lookup": one.lookup}
        search = {**entry, "round": "search"}
        _record(ledger, lambda c=one: policy(c.cost, c.lookup), protocol.search_episodes, **search)
        means[one] = float(ledger.select(**search)[0]["mean"])
    first, best = candidates(1)[0], max(means, key=lambda one: means[one])
    for name, one in (("first", first), ("best", best)):
        entry = {**whole, "policy": name}
        _record(ledger, lambda c=one: policy(c.cost, c.lookup), protocol.episodes, **entry)


def _record(ledger: Ledger, make: Any, episodes: int, **key: Any) -> None:
    if ledger.has(**key):
        return
    seed = {"search": 1, "judge": 2}[key["round"]]
    report = da.evaluate(make(), PicturePole, episodes, seed=seed, epsilon=EPSILON)
    low, high = report.interval
    ledger.add(
        **key,
        episodes=episodes,
        mean=f"{report.mean:.3f}",
        low=f"{low:.3f}",
        high=f"{high:.3f}",
        seconds=f"{report.seconds:.1f}",
        returns=written(report.returns),
    )
    print(key["representation"], key["seed"], key["updates"], key["policy"], f"{report.mean:.1f}")


def table(protocol: Protocol, ledger: Ledger) -> str:
    """Return the final results as a table in Markdown; intervals are over all episodes."""
    names = {"baseline": "its own policy", "first": "DAC, N_e = 1", "best": "DAC, N_e = 6"}
    lines = [
        "| representation | " + " | ".join(names.values()) + " | seeds, N_e = 6 |",
        "|---|" + "---|" * (len(names) + 1),
    ]
    for representation in ("pixels", "random", "dynamics", *LEARNERS):
        updates = protocol.updates if representation in LEARNERS else 0
        cells = []
        for policy in names:
            rows = ledger.select(
                representation=representation, updates=updates, policy=policy, round="judge"
            )
            report = pooled(rows) if rows else None
            cells.append(_cell(report) if report else "-")
        cells.append(", ".join(f"{float(row['mean']):.0f}" for row in rows))
        lines.append(f"| {representation} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(report: da.EvaluationReport) -> str:
    low, high = report.interval
    return f"{report.mean:.1f} ({low:.1f} to {high:.1f})"


def plot(protocol: Protocol, ledger: Ledger, file: Path) -> None:
    """Draw the curves over training, with 95 % intervals of all episodes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(LEARNERS), figsize=(9, 3.6), sharey=True)
    styles = {"baseline": ("its own policy", "tab:gray"), "first": ("DAC, $N_e=1$", "tab:blue")}
    styles["best"] = ("DAC, $N_e=6$", "tab:orange")
    points = range(protocol.snapshot_every, protocol.updates + 1, protocol.snapshot_every)
    for panel, learner in zip(np.atleast_1d(panels), LEARNERS, strict=True):
        for policy, (label, colour) in styles.items():
            found = [
                (updates, pooled(rows))
                for updates in points
                if (rows := ledger.select(representation=learner, updates=updates, policy=policy))
            ]
            if found:
                middle = [report.mean for _, report in found]
                ends = np.array([report.interval for _, report in found]).T
                spread = np.abs(ends - middle)
                panel.errorbar(
                    [u for u, _ in found], middle, spread, label=label, color=colour, capsize=3
                )
        for name, style in (("random", ":"), ("dynamics", "--")):
            rows = ledger.select(representation=name, policy="best")
            if rows:
                mean, label = pooled(rows).mean, f"DAC on {name} features"
                panel.axhline(mean, color="k", ls=style, lw=1, label=label)
        panel.set(title=f"{learner.upper()} representation", xlabel="updates")
    np.atleast_1d(panels)[0].set_ylabel("mean return")
    np.atleast_1d(panels)[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(file, dpi=130)
    plt.close(figure)
