"""Rows of results, and the files they are written to."""

from __future__ import annotations

import csv
import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .cases import Case
from .planning import Model, Outcome
from .rollouts import Rollouts

RESAMPLES = 2_000


@dataclass(frozen=True)
class Row:
    """One case on the data of one seed.

    Attributes:
        room: where.
        case: what was asked.
        representation: "pose", "pictures", or the name of an ablation or a baseline.
        seed: of the walk.
        episodes: number of reported episodes.
        policy_k: the k_pi that was chosen; 0 for a baseline.
        mean: mean return.
        clipped: mean of the returns clipped to (-1, 2).
        reached: share of the episodes that reached the box.
        wall, pillar, cone: touches per episode.
        forbidden: how often a forbidden action was taken.
        encode_seconds, search_seconds, plan_seconds: wall-clock times.
        sweeps: of the planner.
        behavior: mean return of the data's own policy.
        returns: of every episode.
    """

    room: str
    case: str
    representation: str
    seed: int
    episodes: int
    policy_k: int
    mean: float
    clipped: float
    reached: float
    wall: float
    pillar: float
    cone: float
    forbidden: int
    encode_seconds: float
    search_seconds: float
    plan_seconds: float
    sweeps: int
    behavior: float
    returns: tuple[float, ...]


def row_of(outcome: Outcome, model: Model, representation: str, seed: int) -> Row:
    """Return the figures of one outcome."""
    return Row(
        room=outcome.case.room,
        case=outcome.case.name,
        representation=representation,
        seed=seed,
        policy_k=outcome.policy.k,
        encode_seconds=model.encode_seconds,
        search_seconds=model.search_seconds,
        plan_seconds=outcome.plan.seconds,
        sweeps=outcome.plan.sweeps,
        behavior=float(model.mdp.transitions.episode_returns().mean()),
        **figures_of(outcome.case, outcome.rollouts),
    )


def figures_of(case: Case, played: Rollouts) -> dict[str, Any]:
    """Return those fields of a row that say what happened in the episodes."""
    return {
        "episodes": len(played.returns),
        "mean": float(played.returns.mean()),
        "clipped": float(np.clip(played.returns, -1.0, 2.0).mean()),
        "reached": float(played.reached.mean()),
        "wall": float(played.count("wall").mean()),
        "pillar": float(played.count("pillar").mean()),
        "cone": float(played.count("cone").mean()),
        "forbidden": forbidden_taken(case, played),
        "returns": tuple(float(value) for value in played.returns),
    }


def forbidden_taken(case: Case, played: Rollouts) -> int:
    """Return how often the rollouts took an action that the case forbids."""
    from .rooms import ACTION_NAMES

    banned = {ACTION_NAMES.index(str(name)) for name in case.objective.forbidden_actions or ()}
    return sum(action in banned for actions in played.actions for action in actions)


def interval(groups: Sequence[Sequence[float]], seed: int = 0) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean over data seeds and episodes.

    Seeds are resampled, then the episodes within each: episodes that share a dataset are
    not independent.
    """
    generator = np.random.default_rng(seed)
    arrays = [np.asarray(group, dtype=float) for group in groups]
    means = []
    for _ in range(RESAMPLES):
        chosen = generator.integers(len(arrays), size=len(arrays))
        picked = [generator.choice(arrays[place], len(arrays[place])) for place in chosen]
        means.append(np.mean([values.mean() for values in picked]))
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def write(rows: Sequence[Row], directory: Path, name: str) -> None:
    """Write the rows as JSON, a line each, with how they were made."""
    directory.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(asdict(row)) for row in rows)
    made_by = json.dumps(provenance())
    text = f'{{"made_by": {made_by},\n"rows": [\n{lines}\n]}}\n'
    (directory / f"{name}.json").write_text(text)


def read(directory: Path) -> list[Row]:
    """Return the rows of every file of results in the directory."""
    return [row for path in sorted(directory.glob("*.json")) for row in read_file(path)]


def read_file(path: Path) -> list[Row]:
    """Return the rows of a file; none if it is not there."""
    if not path.exists():
        return []
    return [Row(**row) for row in json.loads(path.read_text())["rows"]]


def tabulate(directory: Path) -> None:
    """Write two CSV files: every row without its episodes, and the walks of a case together."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in read(directory):
        groups.setdefault((row.room, row.case, row.representation), []).append(row)
    each = [asdict(row) for rows in groups.values() for row in rows]
    _write_csv(directory / "rows.csv", [{**row, "returns": None} for row in each])
    _write_csv(directory / "cases.csv", [_together(rows) for rows in groups.values()])


def _together(rows: Sequence[Row]) -> dict[str, Any]:
    low, high = interval([row.returns for row in rows])
    figures = {"low": low, "high": high}
    for name in ("mean", "clipped", "reached", "wall", "pillar", "cone", "behavior"):
        figures[name] = float(np.mean([getattr(row, name) for row in rows]))
    return {
        **{name: getattr(rows[0], name) for name in ("room", "case", "representation")},
        "walks": len(rows),
        "episodes": sum(row.episodes for row in rows),
        **{name: round(value, 4) for name, value in figures.items()},
        "forbidden": sum(row.forbidden for row in rows),
        "policy_k": " ".join(str(row.policy_k) for row in rows),
    }


def _write_csv(path: Path, records: Sequence[dict[str, Any]]) -> None:
    columns = [column for column in records[0] if column != "returns"]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)


def provenance() -> dict[str, Any]:
    """Return the command, the commit and the machine."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = models[0].split(":")[1].strip() if models else processor
    return {
        "command": "python -m experiments.navigation " + " ".join(sys.argv[1:]),
        "commit": commit.stdout.strip(),
        "processor": processor,
        "python": platform.python_version(),
    }
