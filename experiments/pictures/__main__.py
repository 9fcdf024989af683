"""python -m experiments.pictures [--thin | --quick] [--updates N] [--seeds S] [--runs DIR]

Runs the study, prints its table and draws its figure. A run that was stopped goes on.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from .study import FULL, QUICK, THIN, plot, run, table


def main(arguments: list[str] | None = None) -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(prog="python -m experiments.pictures", description=__doc__)
    parser.add_argument("--thin", action="store_true", help="5,000 transitions: minutes a seed")
    parser.add_argument("--quick", action="store_true", help="a minute, to see that it works")
    parser.add_argument("--updates", type=int, help="of DQN and BCQ, instead of the protocol's")
    parser.add_argument("--seeds", type=int, nargs="+", help="instead of the protocol's")
    parser.add_argument("--runs", type=Path, help="where everything is kept")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch")
    chosen = parser.parse_args(arguments)

    import torch

    torch.set_num_threads(chosen.threads)
    protocol = QUICK if chosen.quick else THIN if chosen.thin else FULL
    if chosen.updates is not None:
        protocol = replace(protocol, updates=chosen.updates)
    if chosen.seeds is not None:
        protocol = replace(protocol, seeds=tuple(chosen.seeds))
    name = "pictures-quick" if chosen.quick else "pictures-thin" if chosen.thin else "pictures"
    runs = chosen.runs or Path("runs") / name
    ledger = run(protocol, runs)
    plot(protocol, ledger, runs / "curves.png")
    text = table(protocol, ledger)
    (runs / "table.md").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
