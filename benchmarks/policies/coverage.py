"""Do the intervals of `da.fit` cover, and is 'shown to be better' right?

    python -m benchmarks.policies.coverage --repetitions 50

Per world and repetition: a fresh log, `da.fit`, and the true value of the policy and of logged
behaviour by playing many episodes. A line of JSON per repetition; what is there is not run again.
`--plain` learns no networks. Nothing in the package was tuned on these worlds' repetitions from
`FIRST_SEED` on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import deepaveragers as da

from ..planner.circumstances import commit
from .worlds import WORLDS, World

FIRST_SEED = 10_000
PLAYED = 2_000
"""Episodes behind a true value."""
NEAR = 0.15
"""Share of the range of logged returns within which a prediction is near the truth."""
PAGE = """# Coverage: are the intervals of `fit` honest?

Logs of small worlds with a known truth. Each log is fitted, the policy and logged behaviour are
played for {played:,} episodes, and the true difference is compared with what `fit` said from the
log alone.

{parts}

## By world

{table}

'Too low' and 'too high' are of intervals that miss the truth. 'Shown' is how often the interval
lies above 0. Truth and width are in units of reward, discounted. The machine was shared with other
work: seconds are an upper bound.

Commits: {commits}.
{notes}"""
PART = """## {title}

    {command}

{logs} logs of {worlds} worlds.

- The 90 % interval of the difference covers the truth in {covered:.0%} of the logs.
- The policy was shown to be better in {shown} logs; {wrong} times wrongly.
- The estimate of the difference lies within 15 % of the range of logged returns of the truth in
  {near:.0%} of the logs.
- The policy earns less than logged behaviour in {worse} logs."""
WITHOUT_NETWORKS = 50.0
"""A time budget, in seconds, under which `fit` learns none."""


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--worlds", nargs="+", default=[world.name for world in WORLDS])
    parser.add_argument("--plain", action="store_true", help="learn no networks")
    parser.add_argument("--results", type=Path, default=Path("runs/coverage.jsonl"))
    parser.add_argument("--report", action="store_true", help="only print the table")
    parser.add_argument("--page", type=Path, help="write the table as a page of the documentation")
    parser.add_argument("--note", action="append", default=[], help="what readers are to know")
    given = parser.parse_args()
    rows = read(given.results)
    if not given.report:
        done = {(row["world"], row["seed"], row["plain"]) for row in rows}
        for repetition in range(given.repetitions):
            for world in WORLDS:
                key = (world.name, given.first_seed + repetition, given.plain)
                if world.name in given.worlds and key not in done:
                    row = repeat(world, key[1], plain=given.plain)
                    given.results.parent.mkdir(parents=True, exist_ok=True)
                    with given.results.open("a") as file:
                        file.write(json.dumps(row) + "\n")
                    rows.append(row)
    print(table(rows))
    if given.page is not None:
        given.page.write_text(page(rows, given.note))


def page(rows: list[dict[str, Any]], notes: Sequence[str] = ()) -> str:
    """Return the page: what was run and found, without networks and with them, and the table."""
    parts = [
        _part([row for row in rows if row["plain"] == plain], plain=plain)
        for plain in (True, False)
        if any(row["plain"] == plain for row in rows)
    ]
    commits = sorted({row.get("commit", "unknown") for row in rows})
    return PAGE.format(
        played=PLAYED,
        parts="\n\n".join(parts),
        table=table(rows),
        commits=", ".join(commits),
        notes="".join(f"\n- {note}" for note in notes) + "\n" * bool(notes),
    )


def _part(rows: list[dict[str, Any]], *, plain: bool) -> str:
    """Return what was found in some rows, as a section."""
    covered = sum(row["low"] <= row["truth"] <= row["high"] for row in rows) / len(rows)
    shown = [row for row in rows if row["shown"]]
    worlds = {world.name: world for world in WORLDS}
    near = sum(
        abs(row["truth"] - row["better"]) <= NEAR * worlds[row["world"]].span(row["seed"])
        for row in rows
    ) / len(rows)
    return PART.format(
        title="Without networks" if plain else "With networks",
        command=f"python -m benchmarks.policies.coverage{' --plain' * plain} --repetitions "
        f"{len({row['seed'] for row in rows})} --page docs/benchmarks/coverage.md",
        logs=len(rows),
        worlds=len({row["world"] for row in rows}),
        covered=covered,
        shown=len(shown),
        wrong=sum(row["truth"] <= 0.0 for row in shown),
        near=near,
        worse=sum(row["truth"] < -2.0 * row["truth_error"] for row in rows),
    )


def repeat(world: World, seed: int, *, plain: bool) -> dict[str, Any]:
    """Return what was said and what is true, for one log."""
    budget = WITHOUT_NETWORKS if plain else None
    found = da.fit(
        world.log(seed), gamma=world.gamma, seed=seed, time_budget=budget, show_progress=False
    )
    value, error = world.value(found.policy.act, PLAYED, seed)
    today, today_error = world.behaviour(PLAYED, seed)
    return {
        "world": world.name,
        "seed": seed,
        "plain": plain,
        "chosen": str(found.candidate),
        "truth": value - today,
        "truth_error": (error**2 + today_error**2) ** 0.5,
        "behaviour": today,
        "better": found.better,
        "low": found.interval[0],
        "high": found.interval[1],
        "shown": found.shown,
        "judges": {name: vars(one) for name, one in found.opinions.items()},
        "seconds": found.seconds,
        "commit": commit(),
    }


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file; a line that a kill has torn is cut off."""
    if not path.exists():
        return []
    text = path.read_text()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole)
    return [json.loads(line) for line in whole.splitlines()]


def table(rows: list[dict[str, Any]]) -> str:
    """Return a Markdown table: how often the intervals cover and the claim is right."""
    lines = [
        "| world | networks | logs | covered | too low | too high | shown | shown wrongly "
        "| mean truth | mean width | seconds |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, plain in sorted({(row["world"], row["plain"]) for row in rows}):
        own = [row for row in rows if (row["world"], row["plain"]) == (name, plain)]
        count = len(own)
        below = sum(row["truth"] > row["high"] for row in own)
        above = sum(row["truth"] < row["low"] for row in own)
        shown = sum(row["shown"] for row in own)
        wrong = sum(row["shown"] and row["truth"] <= 0.0 for row in own)
        width = sum(row["high"] - row["low"] for row in own) / count
        truth = sum(row["truth"] for row in own) / count
        seconds = sum(row["seconds"] for row in own) / count
        lines.append(
            f"| {name} | {'no' if plain else 'yes'} | {count} | {1 - (below + above) / count:.0%} "
            f"| {below / count:.0%} | {above / count:.0%} | {shown / count:.0%} | {wrong} "
            f"| {truth:.3g} | {width:.3g} | {seconds:.1f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
