"""The study: three rooms, seven cases, several walks, from poses and from pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .cases import CASES
from .pictures import draw_paths, draw_room, film
from .planning import Model, Outcome, compile_pictures, compile_poses, play_slipping, run_case
from .representations import PictureEncoder
from .results import Row, row_of
from .rooms import ROOMS, Look, NavigationRoom
from .walks import Walk

SHOWN_EPISODES = 4
FILMED_STEPS = 40
SLIPPING = {"tunnel": 0.1}
"""Rooms whose plans are played once more where actions slip with this chance."""


@dataclass(frozen=True)
class Scale:
    """How much is run.

    Attributes:
        steps: length of a walk.
        seeds: walks per room.
        episodes: reported episodes per case and walk, by room.
        choosing_episodes: episodes on other starts, for the choice of k_pi.
        updates: gradient steps of a baseline.
    """

    steps: int
    seeds: tuple[int, ...]
    episodes: dict[str, int]
    choosing_episodes: int
    updates: int


FULL = Scale(
    steps=100_000,
    seeds=(0, 1, 2),
    episodes={"simple-room": 200, "box-and-pillar": 100, "tunnel": 100},
    choosing_episodes=100,
    updates=5_000,
)
QUICK = Scale(
    steps=3_000,
    seeds=(0,),
    episodes={"simple-room": 10, "box-and-pillar": 5, "tunnel": 5},
    choosing_episodes=3,
    updates=20,
)


def run_room(
    name: str, seed: int, scale: Scale, directory: Path, images: Path | None
) -> Iterator[Row]:
    """Yield the rows of a room and a walk; what was seen in pictures is drawn if asked."""
    look = Look()
    walk = Walk(name, seed, scale.steps, look, directory)
    for done in walk.make():
        print(f"{name}, walk {seed}: {done:,} of {scale.steps:,} steps", flush=True)
    room = ROOMS[name](look)
    yield from _run(name, "pose", compile_poses(walk), room, scale, seed, None)
    model = compile_pictures(walk, PictureEncoder())
    yield from _run(name, "pictures", model, room, scale, seed, images)


def _run(
    name: str,
    representation: str,
    model: Model,
    room: NavigationRoom,
    scale: Scale,
    seed: int,
    images: Path | None,
) -> Iterator[Row]:
    cases = [case for case in CASES if case.room == name]
    for case in cases:
        model.mdp.solve(case.objective, tolerance=1.0)  # compiles the kernels, before any clock
    outcomes: list[Outcome] = []
    for case in cases:
        outcome = run_case(
            model,
            case,
            room,
            episodes=scale.episodes[name],
            choosing_episodes=scale.choosing_episodes,
            start=outcomes[0].plan if outcomes else None,
        )
        outcomes.append(outcome)
        yield _told(row_of(outcome, model, representation, seed))
        if name in SLIPPING:
            slipping = play_slipping(model, outcome, room, SLIPPING[name])
            yield _told(row_of(slipping, model, f"{representation}, slipping", seed))
    if images is not None:
        _illustrate(name, room, outcomes, images)


def _told(row: Row) -> Row:
    print(
        f"{row.room}, {row.case}, {row.representation}, walk {row.seed}: {row.mean:.3f} "
        f"(reached {row.reached:.3f}, cones {row.cone:.3f}, k_pi {row.policy_k}, "
        f"planned in {row.plan_seconds:.2f} s)",
        flush=True,
    )
    return row


def _illustrate(name: str, room: NavigationRoom, outcomes: list[Outcome], images: Path) -> None:
    draw_room(room, images / f"navigation-{name}.png")
    first = outcomes[0]
    for other in outcomes[1:]:
        tag = other.case.name.replace(" ", "-")
        shown = _telling(first, other)
        draw_paths(
            room,
            {one.case.name: [one.rollouts.paths[e] for e in shown] for one in (first, other)},
            images / f"navigation-{name}-{tag}.png",
        )
    last = outcomes[-1]
    tag = last.case.name.replace(" ", "-")
    poses = last.rollouts.paths[_telling(first, last)[0]][:FILMED_STEPS]
    film(room, poses, images / f"navigation-{name}-{tag}.gif")


def _telling(first: Outcome, other: Outcome) -> list[int]:
    """Return the episodes in which two policies went the most different ways."""

    def apart(episode: int) -> float:
        one, two = (each.rollouts.paths[episode][:, :2] for each in (first, other))
        gaps = np.linalg.norm(one[:, None] - two[None], axis=2)
        return float(max(gaps.min(axis=0).max(), gaps.min(axis=1).max()))

    fine = [
        episode
        for episode in range(len(first.rollouts.paths))
        if all(
            one.rollouts.reached[episode] or one.rollouts.count("pillar")[episode]
            for one in (first, other)
        )
    ]
    return sorted(fine or [0], key=apart, reverse=True)[:SHOWN_EPISODES]
