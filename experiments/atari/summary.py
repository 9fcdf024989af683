"""What the rows say: the table of scores, and the paper's claims counted over games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import deepaveragers as da

from ..candidates import SETS
from ..ledger import Ledger, pooled
from .evaluation import best
from .protocol import UNTRAINED, Protocol

LEARNERS = ("dqn", "bcq")
RESAMPLES = 10_000
ASKED = (
    ("DAC-DQN, N_e = 6, against DQN", ("dqn", "dac N_e=6"), ("dqn", "baseline")),
    ("DAC-BCQ, N_e = 6, against BCQ", ("bcq", "dac N_e=6"), ("bcq", "baseline")),
    ("DAC-DQN, N_e = 1, against DQN", ("dqn", "dac N_e=1"), ("dqn", "baseline")),
    ("DAC-BCQ, N_e = 1, against BCQ", ("bcq", "dac N_e=1"), ("bcq", "baseline")),
    (
        "DAC-DQN, N_e = 6, against the best of DQN's last 6",
        ("dqn", "dac N_e=6"),
        ("dqn", "baseline N_e=6"),
    ),
    (
        "DAC-BCQ, N_e = 6, against the best of BCQ's last 6",
        ("bcq", "dac N_e=6"),
        ("bcq", "baseline N_e=6"),
    ),
    ("DAC-DQN, N_e = 6 against 1", ("dqn", "dac N_e=6"), ("dqn", "dac N_e=1")),
    ("DAC-BCQ, N_e = 6 against 1", ("bcq", "dac N_e=6"), ("bcq", "dac N_e=1")),
    ("DAC-DQN, N_e = 20 against 1", ("dqn", "dac N_e=20"), ("dqn", "dac N_e=1")),
    ("DAC-BCQ, N_e = 20 against 1", ("bcq", "dac N_e=20"), ("bcq", "dac N_e=1")),
    ("random DAC, N_e = 6, against random play", ("random", "dac N_e=6"), ("", "at random")),
    ("DAC-DQN against random DAC, N_e = 6", ("dqn", "dac N_e=6"), ("random", "dac N_e=6")),
    ("DAC-BCQ against random DAC, N_e = 6", ("bcq", "dac N_e=6"), ("random", "dac N_e=6")),
    (
        "dynamics DAC against random DAC, N_e = 6",
        ("dynamics", "dac N_e=6"),
        ("random", "dac N_e=6"),
    ),
    ("DAC-BCQ, N_e = 6, against the behaviour", ("bcq", "dac N_e=6"), ("", "behaviour")),
    ("DAC-DQN, N_e = 6, against the behaviour", ("dqn", "dac N_e=6"), ("", "behaviour")),
    (
        "dynamics DAC, N_e = 6, against the behaviour",
        ("dynamics", "dac N_e=6"),
        ("", "behaviour"),
    ),
    ("BCQ against DQN", ("bcq", "baseline"), ("dqn", "baseline")),
)
"""What is compared, and both sides: a representation ("" for none) and a policy."""


@dataclass(frozen=True, eq=False)
class Game:
    """The rows of a game, read by policy.

    Attributes:
        name: of the game.
        ledger: its rows.
        updates: of the networks at the end.
    """

    name: str
    ledger: Ledger
    updates: int

    def ends(self, policy: str) -> da.EvaluationReport:
        """Return what playing "at random" or by the "behaviour" earned."""
        return pooled(self.ledger.select(representation="none", policy=policy))

    def score(self, representation: str, policy: str) -> da.EvaluationReport:
        """Return what "baseline" or "dac N_e=..." earned at the end of training, judged."""
        updates = 0 if representation in UNTRAINED else self.updates
        place = {"representation": representation, "updates": updates, "round": "judge"}
        return pooled(self.ledger.select(**place, policy=policy))

    def at(self, learner: str, updates: int) -> tuple[da.EvaluationReport, da.EvaluationReport]:
        """Return what the best of six plans and the network earned on the way, in the search."""
        place = {"representation": learner, "updates": updates, "seed": 0}
        own = pooled(self.ledger.select(**place, policy="baseline", round="search"))
        planned = self.ledger.select(**place, policy="dac", round="search")
        return pooled([best(self.ledger, 6, **place)] if planned else []), own

    @property
    def points(self) -> set[str]:
        """After how many updates a network or its plans were played."""
        return {row["updates"] for row in self.ledger.rows if row["representation"] in LEARNERS}

    @property
    def representations(self) -> list[str]:
        """Those with results."""
        names = (*UNTRAINED, *LEARNERS)
        return [name for name in names if len(self.score(name, "dac N_e=1").returns)]


def table(protocol: Protocol, games: list[Game]) -> str:
    """Return the scores at the end of training, in Markdown."""
    sizes = [size for size in SETS if size <= protocol.num_candidates]
    own, heads = ["baseline"], ["its own policy"]
    if protocol.own_candidates:
        own.append(f"baseline N_e={protocol.own_candidates}")
        heads.append(f"best of its last {protocol.own_candidates}")
    policies = [*own, *(f"dac N_e={size}" for size in sizes)]
    heads += [f"DAC, N_e = {size}" for size in sizes]
    lines = [
        "| game | at random | behaviour | representation | " + " | ".join(heads) + " |",
        "|---|---|---|---|" + "---|" * len(policies),
    ]
    for game in games:
        first = [game.name, *(_cell(game.ends(policy)) for policy in ("at random", "behaviour"))]
        for name in game.representations:
            cells = [_cell(game.score(name, policy)) for policy in policies]
            lines.append("| " + " | ".join([*first, name, *cells]) + " |")
            first = [""] * len(first)
    return "\n".join(lines)


def _cell(report: da.EvaluationReport) -> str:
    if len(report.returns) == 0:
        return "-"
    low, high = report.interval
    digits = 0 if abs(report.mean) >= 1_000 else 1
    return f"{report.mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def verdict(first: da.EvaluationReport, second: da.EvaluationReport) -> str:
    """Return "better", "level" or "worse": whether the 95 % interval of the difference has 0.

    The means of both are resampled on their own: episodes of the same seed part soon.
    """
    generator = np.random.default_rng(0)
    means = []
    for report in (first, second):
        count = len(report.returns)
        rows = generator.integers(count, size=(RESAMPLES, count))
        means.append(report.returns[rows].mean(axis=1))
    low, high = np.quantile(means[0] - means[1], [0.025, 0.975])
    return "better" if low > 0.0 else "worse" if high < 0.0 else "level"


def claims(protocol: Protocol, games: list[Game]) -> str:
    """Return how often one kind of policy was better than another, in Markdown."""
    lines = ["| compared | better | level | worse |", "|---|---|---|---|"]
    for title, first, second in ASKED:
        lines += _counted(
            title, [(game, _report(game, *first), _report(game, *second)) for game in games]
        )
    for updates in protocol.curve_points:
        for learner in LEARNERS:
            name = learner.upper()
            title = f"DAC-{name}, N_e = 6, against {name} after {updates:,} updates, as chosen"
            lines += _counted(title, [(game, *game.at(learner, updates)) for game in games])
    return "\n".join(lines)


def _counted(
    title: str, pairs: list[tuple[Game, da.EvaluationReport, da.EvaluationReport]]
) -> list[str]:
    """Return the line of one comparison; none where no game has both sides."""
    found: dict[str, list[str]] = {"better": [], "level": [], "worse": []}
    for game, first, second in pairs:
        if len(first.returns) and len(second.returns):
            found[verdict(first, second)].append(game.name)
    if not any(found.values()):
        return []
    cells = [f"{len(names)}: {', '.join(names)}" if names else "0" for names in found.values()]
    return [f"| {title} | " + " | ".join(cells) + " |"]


def _report(game: Game, representation: str, policy: str) -> da.EvaluationReport:
    return game.score(representation, policy) if representation else game.ends(policy)
