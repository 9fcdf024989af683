"""python -m experiments.atari make-data|train|plan|evaluate|plot|run --config small|paper|...

Each step goes on from where it was stopped; `run` does all of them. Games can be run side by
side, a process each: `run --games Pong` and `run --games Freeway`. `publish` puts rows, bars and
tables into the repository.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from .agent import train_agent
from .dataset import make_data
from .evaluation import evaluate, evaluate_ends, evaluate_own
from .figure import plot, publish
from .planning import is_planned, plan, representations
from .playing import Arcade
from .protocol import PROTOCOLS, UNTRAINED, Protocol, data_dir
from .training import train

STEPS = ("make-data", "train", "plan", "evaluate", "plot")
REPRESENTATIONS = ("random", "dynamics", "dqn", "bcq")


def main(arguments: list[str] | None = None) -> None:
    """Run a step, or all."""
    chosen = _parser().parse_args(arguments)
    protocol = PROTOCOLS[chosen.config]
    names = ("games", "device", "behaviour", "transitions")
    changes = {name: getattr(chosen, name) for name in names if getattr(chosen, name) is not None}
    if "games" in changes:
        changes["games"] = tuple(changes["games"])
    protocol = replace(protocol, **changes)
    runs = chosen.runs or Path("runs") / "atari" / chosen.config

    import torch

    torch.set_num_threads(chosen.threads)
    if chosen.step == "publish":
        publish(replace(protocol, games=_games_with_results(runs)), runs, chosen.config)
        return
    for step in STEPS if chosen.step == "run" else (chosen.step,):
        _run(step, protocol, runs, chosen.representations, end_only=chosen.end_only)


def _run(step: str, protocol: Protocol, runs: Path, learners: list[str], *, end_only: bool) -> None:
    if step == "plot":
        everything = replace(protocol, games=_games_with_results(runs) or protocol.games)
        print(*plot(everything, runs).values(), sep="\n\n")
        return
    for game in protocol.games:
        if step == "make-data":
            behaviour = protocol.behaviour.format(game=game)
            if behaviour.endswith(".zip") and not data_dir(runs, game).exists():
                file = Path(behaviour)
                train_agent(game, protocol.agent_steps, file, device=protocol.device)
            make_data(game, behaviour, protocol.transitions, 0, data_dir(runs, game), protocol.side)
            continue
        if not (data_dir(runs, game) / "about.json").exists():
            raise SystemExit(f"{data_dir(runs, game)} is not there yet: run `make-data` first.")
        if step == "train":
            for learner in learners:
                for seed in protocol.seeds if learner != "random" else ():
                    train(protocol, runs, game, learner, seed)
            continue
        arcade = Arcade(game, protocol.max_frames, protocol.side)
        if step == "evaluate":
            evaluate_ends(protocol, runs, arcade)
        for name, seed, updates in representations(protocol, learners):
            if end_only and updates not in (0, protocol.updates):
                continue
            if step == "evaluate":
                evaluate(protocol, runs, arcade, name, seed, updates)
            elif is_planned(protocol, updates):
                plan(protocol, runs, game, name, seed, updates)
        if step == "evaluate" and protocol.own_candidates:
            for learner in learners:
                for seed in protocol.seeds if learner not in UNTRAINED else ():
                    evaluate_own(protocol, runs, arcade, learner, seed)


def _games_with_results(runs: Path) -> tuple[str, ...]:
    """All games of the directory: each may have been run by a process of its own."""
    return tuple(sorted(file.parent.name for file in runs.glob("*/results.csv")))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.atari",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("step", choices=(*STEPS, "run", "publish"))
    parser.add_argument("--config", choices=tuple(PROTOCOLS), default="small")
    parser.add_argument("--runs", type=Path, help="default: runs/atari/CONFIG")
    parser.add_argument("--games", nargs="+", help="instead of the protocol's")
    parser.add_argument(
        "--representations", nargs="+", choices=REPRESENTATIONS, default=REPRESENTATIONS
    )
    parser.add_argument(
        "--end-only", action="store_true", help="leave the snapshots before the end for later"
    )
    parser.add_argument("--behaviour", help="'scripted', or an agent's file with {game} in it")
    parser.add_argument("--transitions", type=int, help="of each dataset")
    parser.add_argument("--device", help="'cpu' or a CUDA device")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch; 1 makes runs repeat")
    return parser


if __name__ == "__main__":
    main()
