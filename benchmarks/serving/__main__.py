"""python -m benchmarks.serving load | act | soak | hostile | kills | prepare | page.

Every part keeps its figures in docs/benchmarks/serving.json; `page` writes the page from them.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.planner.circumstances import circumstances
from benchmarks.serving import hostile, kills, load, scoring, soak
from benchmarks.serving.page import page
from benchmarks.serving.peers import environment
from benchmarks.serving.worlds import policy_at

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "benchmarks" / "serving.json"
PAGE = FIGURES.with_suffix(".md")


def main() -> None:
    """Run one part and keep its figures."""
    asked = _parser().parse_args()
    if asked.part == "prepare":
        environment.prepare(asked.bento)
        return
    if asked.part != "page":
        found = _run(asked)
        print(json.dumps(found, indent=1))
        if not asked.keep:
            return
        figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
        words = " ".join(sys.argv[1:])
        words = re.sub(r" --(folder|bento) \S+", "", words)  # places of one machine
        command = f"python -m benchmarks.serving {words}"
        figures[asked.part] = {"about": circumstances(command), "figures": found}
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    PAGE.write_text(page(json.loads(FIGURES.read_text())))


def _run(asked: argparse.Namespace) -> Any:
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="serving-"))
    if asked.part == "soak":
        times = asked.swaps, asked.bad
        return soak.run(folder / "soak", asked.states, asked.seconds, asked.rate, *times)
    policy = policy_at(folder / f"policy-{asked.states}", asked.states)
    if asked.part == "load":
        bento = asked.bento if environment.program(asked.bento).exists() else None
        return load.run(policy, asked.seconds, bento)
    if asked.part == "hostile":
        return hostile.run(policy, asked.requests, folder=folder / "hostile")
    if asked.part == "kills":
        return kills.run(folder / "kills", policy, asked.kills)
    million = policy_at(folder / "policy-million", asked.million)
    time.sleep(0.5)  # until what was written is on the disk
    found = scoring.run(folder / "act", policy, asked.rows)
    return {"act": found, "load": {"states": asked.million, **scoring.load_seconds(million)}}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = ("load", "act", "soak", "hostile", "kills", "prepare", "page")
    parser.add_argument("part", choices=parts)
    parser.add_argument("--states", type=int, default=100_000, help="core states of the policy")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement, or a soak")
    parser.add_argument("--rate", type=float, default=500.0, help="requests per second of a soak")
    parser.add_argument("--swaps", type=int, default=20)
    parser.add_argument("--bad", type=int, default=5)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--requests", type=int, default=10_000, help="hostile ones")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the table for dac act")
    parser.add_argument("--million", type=int, default=1_000_000, help="states to load")
    parser.add_argument("--bento", type=Path, default=environment.DEFAULT, help="its environment")
    parser.add_argument("--folder", type=Path, help="to work in; by default a temporary one")
    parser.add_argument("--keep", action="store_true", help="keep the figures, write the page")
    return parser


if __name__ == "__main__":
    main()
