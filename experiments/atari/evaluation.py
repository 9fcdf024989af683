"""Playing the baselines and the DAC-MDPs; every policy is a row of results.csv.

At each snapshot the network plays by itself, and so do the N_e candidates on its
representation. As in the paper, the best candidate's score is that of the episodes by which it
was chosen, which flatters it; at the end of training the chosen one of each N_e is therefore
played again on other episodes ("judge"), and so are the baselines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from ..candidates import SETS, candidates
from ..ledger import Ledger, written
from .behaviour import make_behaviour
from .planning import open_encoder
from .playing import Decide, Encode, play_behaviour, play_together
from .protocol import GAMMA, UNTRAINED, Protocol, model_dir

KEY = ("game", "representation", "seed", "updates", "policy", "cost", "lookup", "round")
VALUES = ("episodes", "mean", "low", "high", "mean_length", "seconds", "returns")
ROUNDS = {"search": 1, "judge": 2}
"""Seeds of the episodes."""
NO_CANDIDATE = {"cost": "", "lookup": ""}


def open_ledger(runs: Path, game: str) -> Ledger:
    """Return a game's results so far; a file each, so that games can run side by side."""
    return Ledger(runs / game / "results.csv", KEY, VALUES)


def evaluate_ends(protocol: Protocol, runs: Path, game: str) -> None:
    """Play at random and by the behaviour without its exploration: the ends of a scale."""
    ledger = open_ledger(runs, game)
    behaviour = protocol.behaviour.format(game=game)
    for name in ("at random", "behaviour"):
        place = {"game": game, "representation": "none", "seed": 0, "updates": 0, "policy": name}
        key = {**place, **NO_CANDIDATE, "round": "judge"}
        if not ledger.has(**key):
            player = None if name == "at random" else make_behaviour(behaviour, game, 1)
            report = play_behaviour(
                game,
                player,
                episodes=protocol.episodes,
                seed=ROUNDS["judge"],
                max_frames=protocol.max_frames,
            )
            _add(ledger, key, report)


def evaluate(protocol: Protocol, runs: Path, game: str, name: str, seed: int, updates: int) -> None:
    """Play what was not played yet on a representation."""
    ledger = open_ledger(runs, game)
    place = {"game": game, "representation": name, "seed": seed, "updates": updates}
    at_end = name in UNTRAINED or updates == protocol.updates
    encoder = open_encoder(protocol, runs, game, name, seed, updates)
    if name not in UNTRAINED:
        own = {**place, "policy": "baseline", **NO_CANDIDATE}
        turn = "judge" if at_end else "search"
        _play(protocol, ledger, _pictures, [({**own, "round": turn}, encoder.policy().act)])

    count = protocol.num_candidates if at_end else protocol.curve_candidates
    if count == 0:
        return
    policies = _Policies(model_dir(runs, game, name, seed, updates))
    search = [
        (
            {**place, "policy": "dac", "cost": one.cost, "lookup": one.lookup, "round": "search"},
            policies.of(one.cost, one.lookup),
        )
        for one in candidates(count)
    ]
    _play(protocol, ledger, encoder.encode, search)
    if not at_end:
        return
    judged = []
    for size in SETS:
        if size <= count:
            row = best(ledger, size, **place)
            key = {**place, "policy": f"dac N_e={size}", **NO_CANDIDATE, "round": "judge"}
            judged.append((key, policies.of(float(row["cost"]), int(row["lookup"]))))
    _play(protocol, ledger, encoder.encode, judged)


def best(ledger: Ledger, size: int, **place: Any) -> dict[str, str]:
    """Return the row of the best of N_e candidates in the search; the first where they tie."""
    rows = [
        row
        for one in candidates(size)
        for row in ledger.select(
            **place, policy="dac", cost=one.cost, lookup=one.lookup, round="search"
        )
    ]
    return max(rows, key=lambda row: float(row["mean"]))


class _Policies:
    """The candidates on one model, loaded and solved when they first act."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mdp: da.DacMdp | None = None
        self._plans: dict[float, da.Plan] = {}
        self._made: dict[tuple[float, int], da.Policy] = {}

    def of(self, cost: float, lookup: int) -> Decide:
        """Return the policy of a candidate, from features to actions."""

        def decide(features: np.ndarray) -> np.ndarray:
            if (cost, lookup) not in self._made:
                self._made[cost, lookup] = self._make(cost, lookup)
            return np.asarray(self._made[cost, lookup].act(features))

        return decide

    def _make(self, cost: float, lookup: int) -> da.Policy:
        if self._mdp is None:
            if not self._path.exists():
                raise SystemExit(f"{self._path} is not there yet: run `plan` first.")
            loaded = da.load(self._path)
            assert isinstance(loaded, da.DacMdp)
            self._mdp = loaded
        if cost not in self._plans:
            self._plans[cost] = self._mdp.solve(gamma=GAMMA, cost=cost)
        alike = [policy for (_, k), policy in self._made.items() if k == lookup]
        if alike:
            return alike[0].by(self._plans[cost])
        return self._plans[cost].policy(k=lookup)


def _pictures(stacks: np.ndarray) -> np.ndarray:
    """What a network reads that acts by itself."""
    return stacks


def _play(
    protocol: Protocol,
    ledger: Ledger,
    encode: Encode,
    pieces: Sequence[tuple[dict[str, Any], Callable[[np.ndarray], Any]]],
) -> None:
    """Play the policies that have no row yet together, and write their rows."""
    missing = [(key, policy) for key, policy in pieces if not ledger.has(**key)]
    if not missing:
        return
    turn = missing[0][0]["round"]
    reports = play_together(
        missing[0][0]["game"],
        encode,
        [policy for _, policy in missing],
        episodes=protocol.search_episodes if turn == "search" else protocol.episodes,
        seed=ROUNDS[turn],
        max_frames=protocol.max_frames,
    )
    for (key, _), report in zip(missing, reports, strict=True):
        _add(ledger, key, report)


def _add(ledger: Ledger, key: dict[str, Any], report: da.EvaluationReport) -> None:
    low, high = report.interval
    ledger.add(
        **key,
        episodes=len(report.returns),
        mean=f"{report.mean:.3f}",
        low=f"{low:.3f}",
        high=f"{high:.3f}",
        mean_length=f"{report.lengths.mean():.1f}",
        seconds=f"{report.seconds:.1f}",
        returns=written(report.returns),
    )
    print(*key.values(), f"{report.mean:.2f}", flush=True)
