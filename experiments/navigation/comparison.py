"""Plans beside DQN and BCQ, all from the same walk and the same small pictures.

Pictures are averaged over 7x7 pixels for everybody: networks on 12x12 make hundreds of updates a
second on one core. A plan needs one compilation for all cases of a room; a network is trained anew
for each discount, and an action that is forbidden is taken out of what it may choose, as in the
paper.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import deepaveragers as da

from .baselines import TRAINERS, PictureWalk
from .cases import COMPARED, Case
from .planning import CHOICE_SEED, Model, compile_pictures, run_case
from .representations import PictureEncoder, shrink
from .results import Row, figures_of, row_of
from .rollouts import play, starts
from .rooms import ACTION_NAMES, ROOMS, Look, NavigationRoom
from .study import Scale
from .walks import Walk

AVERAGE = 7
FRESH_STARTS = 6
"""Starts that no choice was made by, and that the other parts do not play."""
CURVE = (0.25, 0.5, 1.0)
"""Shares of the updates at which a network of a room's first case plays."""
DYNAMICS_UPDATES = 3_000


@dataclass(frozen=True, eq=False, kw_only=True)
class DynamicsPictures:
    """Dynamics features of averaged pictures, scaled to variance 1 over the data.

    Attributes:
        network: trained by `da.train_dynamics`.
        mean: [16] float64, fitted.
        scale: fitted.
    """

    network: da.Encoder
    mean: Any = field(default=0.0, repr=False)
    scale: float = 1.0

    def fit(self, observations: np.ndarray) -> DynamicsPictures:
        """Return an encoder with mean 0 and variance 1 on these pictures [B, 84, 84, 3]."""
        codes = np.asarray(self.network.encode(shrink(observations, AVERAGE)), np.float64)
        scale = 1.0 / np.sqrt(codes.var(axis=0).sum())
        return replace(self, mean=codes.mean(axis=0), scale=float(scale))

    def encode(self, observations: np.ndarray) -> np.ndarray:
        """Return [B, 16] float32."""
        codes = self.network.encode(shrink(observations, AVERAGE))
        return ((codes - self.mean) * self.scale).astype(np.float32)


Piece = tuple[str, str]
"""A case and a representation."""


def run_compared(
    name: str, seed: int, scale: Scale, directory: Path, done: set[Piece]
) -> Iterator[Row]:
    """Yield the rows of a room that are not done: plans on two representations, DQN and BCQ."""
    walk = Walk(name, seed, scale.steps, Look(), directory)
    for made in walk.make():
        print(f"{name}, walk {seed}: {made:,} of {scale.steps:,} steps", flush=True)
    data, room = PictureWalk.of(walk, AVERAGE), ROOMS[name](Look())
    cases = [case for case in COMPARED if case.room == name]
    for label in ("random features", "dynamics features"):
        asked = [case for case in cases if (case.name, label) not in done]
        if asked:
            model = _model(label, walk, data)
            for case in asked:
                yield _told(_plan(label, model, room, case, scale, seed))
    behavior = float(walk.transitions().episode_returns().mean())
    for baseline in TRAINERS:
        asked = [
            case for case in cases if not case.objective.slip and (case.name, baseline) not in done
        ]
        for gamma in sorted({case.objective.gamma for case in asked}):
            networks = _networks(baseline, gamma, data, scale, seed)
            for case in asked:
                if case.objective.gamma == gamma:
                    points = CURVE if case == cases[0] else CURVE[-1:]
                    for share in points:
                        row = _played(baseline, case, room, scale, seed, share, networks[share])
                        yield _told(replace(row, behavior=behavior))


def _model(label: str, walk: Walk, data: PictureWalk) -> Model:
    if label == "random features":
        return compile_pictures(walk, PictureEncoder())
    began = time.perf_counter()
    transitions = _transitions(walk, data)
    network = da.train_dynamics(transitions, DYNAMICS_UPDATES, batch_size=128, seed=walk.seed)
    spent = time.perf_counter() - began
    model = compile_pictures(walk, DynamicsPictures(network=network))
    return replace(model, encode_seconds=model.encode_seconds + spent)


def _plan(
    label: str, model: Model, room: NavigationRoom, case: Case, scale: Scale, seed: int
) -> Row:
    outcome = run_case(
        model,
        case,
        room,
        episodes=scale.episodes[case.room],
        choosing_episodes=scale.choosing_episodes,
        report_seed=FRESH_STARTS,
    )
    return row_of(outcome, model, label, seed)


def _transitions(walk: Walk, data: PictureWalk) -> da.Transitions:
    """Return the walk with small pictures as observations."""
    return replace(
        walk.transitions(),
        observations=data.observations[:],
        next_observations=data.next_observations[:],
    )


def _networks(
    baseline: str, gamma: float, data: PictureWalk, scale: Scale, seed: int
) -> dict[float, tuple[Any, float]]:
    """Return a network at each share of its updates, and the processor seconds so far."""
    with TemporaryDirectory() as snapshots:
        began = time.process_time()
        TRAINERS[baseline](
            data,
            scale.updates,
            preset="navigation",
            gamma=gamma,
            seed=seed,
            run_dir=snapshots,
            snapshot_every=scale.updates // 4,
        )
        seconds = time.process_time() - began
        return {
            share: (
                da.load_encoder(
                    f"{snapshots}/encoder-{round(share * scale.updates):08d}.safetensors"
                ),
                share * seconds,
            )
            for share in CURVE
        }


def _played(
    baseline: str,
    case: Case,
    room: NavigationRoom,
    scale: Scale,
    seed: int,
    share: float,
    network: tuple[Any, float],
) -> Row:
    """Return a network's row after a share of its updates; the last is played from fresh starts.

    `plan_seconds` is the processor time of the training so far, and `sweeps` its updates.
    """
    encoder, seconds = network
    updates, at_end = round(share * scale.updates), share == CURVE[-1]
    played = play(
        room,
        lambda seen: allowed_best(encoder.q_values(shrink(seen, AVERAGE)), case),
        starts(
            scale.episodes[case.room] if at_end else scale.choosing_episodes,
            FRESH_STARTS if at_end else CHOICE_SEED,
        ),
        steps=case.steps,
    )
    return Row(
        room=case.room,
        case=case.name,
        representation=baseline if at_end else f"{baseline} at {updates}",
        seed=seed,
        policy_k=0,
        encode_seconds=0.0,
        search_seconds=0.0,
        plan_seconds=seconds,
        sweeps=updates,
        behavior=0.0,
        **figures_of(case, played),
    )


def allowed_best(q_values: np.ndarray, case: Case) -> np.ndarray:
    """Return [B] the best action of each row of Q-values [B, A], among those that a case leaves."""
    banned = case.objective.forbidden_actions or ()
    left = np.array([n for n, name in enumerate(ACTION_NAMES) if name not in banned])
    best: np.ndarray = left[q_values[:, left].argmax(axis=1)]
    return best


def _told(row: Row) -> Row:
    print(
        f"{row.room}, {row.case}, {row.representation}: {row.mean:.3f}, clipped {row.clipped:.3f}",
        f"reached {row.reached:.3f}, {row.plan_seconds:.2f} s",
        flush=True,
    )
    return row
