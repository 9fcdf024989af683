"""Seconds to compile, to plan, and to plan again for another objective.

Compiled models are kept on disk, so that the clock can run on an otherwise quiet machine: the
first run makes them, every run measures.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import deepaveragers as da

from .cases import CASES, NEIGHBORS
from .planning import compile_pictures, compile_poses, plan_case
from .representations import PictureEncoder
from .rooms import ROOMS, Look
from .study import Scale
from .walks import Walk

REPEATS = 3


@dataclass(frozen=True)
class Timing:
    """One step of the work, done several times after a first that compiled the kernels.

    Attributes:
        room: where.
        representation: "pose" or "pictures".
        step: "search", or the case that was planned.
        warm: whether the plan of the room's first case was given as a start.
        seconds: the median, wall-clock.
        least, most: of the repetitions.
        processor: seconds of all cores together, the median.
    """

    room: str
    representation: str
    step: str
    warm: bool
    seconds: float
    least: float
    most: float
    processor: float


def run_timing(scale: Scale, directory: Path, path: Path) -> None:
    """Measure on the first walk of every room, and write a CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(Timing.__annotations__), lineterminator="\n")
        writer.writeheader()
        for room in ROOMS:
            for representation in ("pose", "pictures"):
                mdp = _model(room, representation, scale, directory)
                for timing in _time(room, representation, mdp):
                    print(
                        f"{room}, {representation}, {timing.step}: {timing.seconds} s", flush=True
                    )
                    writer.writerow(asdict(timing))


def _model(room: str, representation: str, scale: Scale, directory: Path) -> da.DacMdp:
    path = directory / "models" / f"{room}-{representation}"
    if not path.exists():
        walk = Walk(room, scale.seeds[0], scale.steps, Look(), directory)
        for done in walk.make():
            print(f"{room}: {done:,} of {scale.steps:,} steps", flush=True)
        by_pose = representation == "pose"
        model = compile_poses(walk) if by_pose else compile_pictures(walk, PictureEncoder())
        da.save(model.mdp, path)
    loaded: da.DacMdp = da.load(path)
    return loaded


def _time(room: str, representation: str, mdp: da.DacMdp) -> Iterator[Timing]:
    first, *others = [case for case in CASES if case.room == room]
    start = plan_case(mdp, first)
    steps: dict[str, tuple[da.Plan | None, Callable[[], object]]] = {
        "search": (None, lambda: da.compile(mdp.transitions, k=NEIGHBORS, encoder=da.Identity())),
        first.name: (None, lambda: plan_case(mdp, first)),
    }
    for case in others:
        steps[case.name] = (start, lambda case=case: plan_case(mdp, case, start))
    for name, (begin, work) in steps.items():
        seconds, processor = _measure(work)
        figures = median(seconds), min(seconds), max(seconds), median(processor)
        rounded = (round(value, 3) for value in figures)
        yield Timing(room, representation, name, begin is not None, *rounded)


def _measure(work: Callable[[], object]) -> tuple[list[float], list[float]]:
    """Return wall-clock and processor seconds of each repetition."""
    work()
    seconds, processor = [], []
    for _ in range(REPEATS):
        began, spent = time.perf_counter(), time.process_time()
        work()
        seconds.append(time.perf_counter() - began)
        processor.append(time.process_time() - spent)
    return seconds, processor
