"""Playing the baselines and the DAC-MDPs; every policy is a row of results.csv.

At each snapshot the network plays by itself, and so do the N_e candidates on its
representation. As in the paper, the best candidate's score is that of the episodes by which it
was chosen, which flatters it; at the end of training the chosen one of each N_e is therefore
played again on other episodes ("judge"), and so are the baselines.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import deepaveragers as da

from ..candidates import SETS, candidates
from ..ledger import Ledger, written
from .games import make_game
from .planning import OnFeatures, open_encoder
from .protocol import EPSILON, GAMMA, Protocol, model_dir

KEY = ("game", "representation", "seed", "updates", "policy", "cost", "lookup", "round")
VALUES = ("episodes", "mean", "low", "high", "mean_length", "seconds", "returns")
ROUNDS = {"search": 1, "judge": 2}
"""Seeds of the episodes."""


def open_ledger(runs: Path, game: str) -> Ledger:
    """Return a game's results so far; a file each, so that games can run side by side."""
    return Ledger(runs / game / "results.csv", KEY, VALUES)


def evaluate(protocol: Protocol, runs: Path, game: str, name: str, seed: int, updates: int) -> None:
    """Play what was not played yet on a representation."""
    ledger = open_ledger(runs, game)
    place = {"game": game, "representation": name, "seed": seed, "updates": updates}
    at_end = updates in (0, protocol.updates)
    encoder = open_encoder(protocol, runs, game, name, seed, updates)
    record = partial(_record, protocol, ledger)
    if name != "random":
        own = {**place, "policy": "baseline", "cost": "", "lookup": ""}
        for turn in ROUNDS if at_end else ("search",):
            record(encoder.policy, **own, round=turn)

    policies = _Policies(model_dir(runs, game, name, seed, updates), encoder)
    count = protocol.num_candidates if at_end else protocol.curve_candidates
    for one in candidates(count):
        entry = {"policy": "dac", "cost": one.cost, "lookup": one.lookup}
        record(partial(policies.make, one.cost, one.lookup), **place, **entry, round="search")
    if not at_end:
        return
    for size in SETS:
        if size > count:
            continue
        row = best(ledger, size, **place)
        make = partial(policies.make, float(row["cost"]), int(row["lookup"]))
        record(make, **place, policy=f"dac N_e={size}", cost="", lookup="", round="judge")


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
    """The candidates on one model, loaded and solved when they are first asked for."""

    def __init__(self, path: Path, encoder: Any) -> None:
        self._path = path
        self._encoder = encoder
        self._mdp: da.DacMdp | None = None
        self._plans: dict[float, da.Plan] = {}

    def make(self, cost: float, lookup: int) -> OnFeatures:
        """Return the policy of a candidate."""
        if self._mdp is None:
            if not self._path.exists():
                raise SystemExit(f"{self._path} is not there yet: run `plan` first.")
            loaded = da.load(self._path)
            assert isinstance(loaded, da.DacMdp)
            self._mdp = loaded
        if cost not in self._plans:
            self._plans[cost] = self._mdp.solve(gamma=GAMMA, cost=cost)
        return OnFeatures(self._encoder, self._plans[cost].policy(k=lookup))


def _record(protocol: Protocol, ledger: Ledger, make: Callable[[], Any], **key: Any) -> None:
    if ledger.has(**key):
        return
    report = da.evaluate(
        make(),
        partial(make_game, key["game"], max_frames=protocol.max_frames),
        protocol.episodes,
        seed=ROUNDS[key["round"]],
        epsilon=EPSILON,
    )
    low, high = report.interval
    ledger.add(
        **key,
        episodes=protocol.episodes,
        mean=f"{report.mean:.3f}",
        low=f"{low:.3f}",
        high=f"{high:.3f}",
        mean_length=f"{report.lengths.mean():.1f}",
        seconds=f"{report.seconds:.1f}",
        returns=written(report.returns),
    )
    print(*key.values(), f"{report.mean:.2f}", flush=True)
