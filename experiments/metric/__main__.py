"""python -m experiments.metric: representations, support and cost on four tasks, resumable."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from .study import PLANS, PREDICTED, run, table
from .tasks import TASKS


def main() -> None:
    """Run the study, or show what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, default=Path("runs/metric"))
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[10, 11])
    parser.add_argument("--representations", nargs="+", choices=PREDICTED, default=list(PREDICTED))
    parser.add_argument("--plans", nargs="+", choices=PLANS, default=list(PLANS))
    parser.add_argument("--table", action="store_true", help="play nothing, show what there is")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch; 1 makes runs repeat")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    tasks = [] if asked.table else asked.tasks
    ledger = run(asked.runs, tasks, asked.seeds, asked.representations, asked.plans)
    text = table(ledger, asked.plans, asked.seeds)
    if not asked.table:
        (asked.runs / "table.md").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
