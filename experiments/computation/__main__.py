"""python -m experiments.computation DATASET [--updates-timed N] [--output FILE]

DATASET is a game's `data` directory, as `python -m experiments.atari make-data` leaves it. The
updates of DQN and BCQ are timed for a while, and counted for as many as there are transitions,
which is the paper's rule. Everything of ours is done whole.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..atari.frames import FrameData
from .measuring import measure
from .ratios import table


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.computation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--updates-timed", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch")
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    chosen = parser.parse_args(arguments)

    import torch

    torch.set_num_threads(chosen.threads)
    figures = measure(FrameData.open(chosen.dataset), chosen.updates_timed)
    if chosen.output is not None:
        chosen.output.write_text(json.dumps(figures, indent=1) + "\n")
    print(table(figures))


if __name__ == "__main__":
    main()
