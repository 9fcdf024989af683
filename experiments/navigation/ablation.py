"""What each change to MiniWorld's defaults is worth, in the Simple Room with all actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .cases import CASES
from .planning import TIE_NOISE, compile_pictures, run_case
from .representations import PictureEncoder
from .results import Row, row_of
from .rooms import MINIWORLD_LOOK, ROOMS, Look
from .study import Scale
from .walks import Walk

FINAL = Look()


@dataclass(frozen=True)
class Variant:
    """The study's settings with one thing changed."""

    name: str
    look: Look
    encoder: PictureEncoder
    cost: float = CASES[0].objective.cost
    tie_noise: float = TIE_NOISE


VARIANTS = (
    Variant("as in the study", FINAL, PictureEncoder()),
    Variant("C = 0.1", FINAL, PictureEncoder(), cost=0.1),
    Variant("C = 1", FINAL, PictureEncoder(), cost=1.0),
    Variant("ties by index", FINAL, PictureEncoder(), tie_noise=0.0),
    Variant("chequered floor", replace(FINAL, floor="floor_tiles_bw"), PictureEncoder()),
    Variant("field of view 60", replace(FINAL, field_of_view=60.0), PictureEncoder()),
    Variant("no averaging of pixels", FINAL, PictureEncoder(average=1)),
    Variant("walls all grey", replace(FINAL, coloured_walls=False), PictureEncoder()),
    Variant("4 networks", FINAL, PictureEncoder(seeds=(0, 1, 2, 3))),
    Variant("any first heading", replace(FINAL, any_heading=True), PictureEncoder()),
    Variant("MiniWorld's defaults", MINIWORLD_LOOK, PictureEncoder(average=1)),
)


def run_ablation(scale: Scale, directory: Path, names: Sequence[str], seed: int) -> Iterator[Row]:
    """Yield a row per variant of these names, on one walk."""
    case = CASES[0]
    models = {}
    for variant in VARIANTS:
        if variant.name not in names:
            continue
        walk = Walk(case.room, seed, scale.steps, variant.look, directory)
        for done in walk.make():
            print(f"{variant.name}: {done:,} of {scale.steps:,} steps", flush=True)
        encoder = variant.encoder
        key = (variant.look, encoder.average, encoder.seeds, variant.tie_noise)
        if key not in models:
            models = {key: compile_pictures(walk, encoder, tie_noise=variant.tie_noise)}
        asked = replace(case, objective=replace(case.objective, cost=variant.cost))
        outcome = run_case(
            models[key],
            asked,
            ROOMS[case.room](variant.look),
            episodes=scale.episodes[case.room],
            choosing_episodes=scale.choosing_episodes,
        )
        row = row_of(outcome, models[key], variant.name, seed)
        print(f"{variant.name}: {row.mean:.3f} (reached {row.reached:.3f})", flush=True)
        yield row
