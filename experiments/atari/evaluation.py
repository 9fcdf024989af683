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
from .planning import is_planned, open_encoder
from .playing import Arcade, Decide, Encode, play_behaviour, play_together
from .protocol import GAMMA, UNTRAINED, Protocol, model_dir, snapshots

KEY = ("game", "representation", "seed", "updates", "policy", "cost", "lookup", "round")
VALUES = ("episodes", "mean", "low", "high", "mean_length", "seconds", "returns")
ROUNDS = {"search": 1, "judge": 2}
"""Seeds of the episodes."""
NO_CANDIDATE = {"cost": "", "lookup": ""}


def open_ledger(runs: Path, game: str) -> Ledger:
    """Return a game's results so far; a file each, so that games can run side by side."""
    return Ledger(runs / game / "results.csv", KEY, VALUES)


def evaluate_ends(protocol: Protocol, runs: Path, arcade: Arcade) -> None:
    """Play at random and by the behaviour without its exploration: the ends of a scale."""
    game = arcade.game
    ledger = open_ledger(runs, game)
    behaviour = protocol.behaviour.format(game=game)
    for name in ("at random", "behaviour"):
        place = {"game": game, "representation": "none", "seed": 0, "updates": 0, "policy": name}
        key = {**place, **NO_CANDIDATE, "round": "judge"}
        if not ledger.has(**key):
            player = None if name == "at random" else make_behaviour(behaviour, game, 1)
            report = play_behaviour(
                arcade, player, episodes=protocol.episodes, seed=ROUNDS["judge"]
            )
            _add(ledger, key, report)


def evaluate(
    protocol: Protocol, runs: Path, arcade: Arcade, name: str, seed: int, updates: int
) -> None:
    """Play what was not played yet on a representation."""
    game = arcade.game
    ledger = open_ledger(runs, game)
    place = {"game": game, "representation": name, "seed": seed, "updates": updates}
    at_end = name in UNTRAINED or updates == protocol.updates
    encoder = open_encoder(protocol, runs, game, name, seed, updates)
    if name not in UNTRAINED:
        own = {**place, "policy": "baseline", **NO_CANDIDATE}
        searched = protocol.own_candidates > 0 or not at_end
        for turn in ["search"] * searched + ["judge"] * at_end:
            piece = {**own, "round": turn}, encoder.policy().act
            _play(protocol, arcade, ledger, _pictures, [piece])

    if not is_planned(protocol, updates):
        return
    count = protocol.num_candidates if at_end else protocol.curve_candidates
    policies = _Policies(model_dir(runs, game, name, seed, updates))
    search = [
        (
            {**place, "policy": "dac", "cost": one.cost, "lookup": one.lookup, "round": "search"},
            policies.of(one.cost, one.lookup),
        )
        for one in candidates(count)
    ]
    _play(protocol, arcade, ledger, encoder.encode, search)
    if not at_end:
        return
    judged = []
    for size in SETS:
        if size <= count:
            row = best(ledger, size, **place)
            key = {**place, "policy": f"dac N_e={size}", **NO_CANDIDATE, "round": "judge"}
            judged.append((key, policies.of(float(row["cost"]), int(row["lookup"]))))
    _play(protocol, arcade, ledger, encoder.encode, judged)


def evaluate_own(protocol: Protocol, runs: Path, arcade: Arcade, learner: str, seed: int) -> None:
    """Judge the best of a network's last snapshots: the same search as that among the plans."""
    ledger = open_ledger(runs, arcade.game)
    place = {"game": arcade.game, "representation": learner, "seed": seed}
    own = {"policy": "baseline", **NO_CANDIDATE}
    last = snapshots(protocol)[: protocol.own_candidates]
    rows = [
        row
        for updates in last
        for row in ledger.select(**place, **own, updates=updates, round="search")
    ]
    if len(rows) < protocol.own_candidates or not rows:
        return
    chosen = int(max(rows, key=lambda row: float(row["mean"]))["updates"])
    encoder = open_encoder(protocol, runs, arcade.game, learner, seed, chosen)
    name = f"baseline N_e={protocol.own_candidates}"
    key = {**place, "updates": protocol.updates, **own, "policy": name, "round": "judge"}
    _play(protocol, arcade, ledger, _pictures, [(key, encoder.policy().act)])


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
    """The candidates on one model, loaded and solved when they first act; a function each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mdp: da.DacMdp | None = None
        self._plans: dict[float, da.Plan] = {}
        self._made: dict[tuple[float, int], da.Policy] = {}
        self._deciding: dict[tuple[float, int], Decide] = {}

    def of(self, cost: float, lookup: int) -> Decide:
        """Return the policy of a candidate, from features to actions."""

        def decide(features: np.ndarray) -> np.ndarray:
            if (cost, lookup) not in self._made:
                self._made[cost, lookup] = self._make(cost, lookup)
            return np.asarray(self._made[cost, lookup].act(features))

        return self._deciding.setdefault((cost, lookup), decide)

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
    arcade: Arcade,
    ledger: Ledger,
    encode: Encode,
    pieces: Sequence[tuple[dict[str, Any], Callable[[np.ndarray], Any]]],
) -> None:
    """Play the policies that have no row yet together, each once, and write their rows."""
    missing = [(key, policy) for key, policy in pieces if not ledger.has(**key)]
    if not missing:
        return
    turn = missing[0][0]["round"]
    different = list(dict.fromkeys(policy for _, policy in missing))
    reports = play_together(
        arcade,
        encode,
        different,
        episodes=protocol.search_episodes if turn == "search" else protocol.episodes,
        seed=ROUNDS[turn],
    )
    for key, policy in missing:
        _add(ledger, key, reports[different.index(policy)])


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
