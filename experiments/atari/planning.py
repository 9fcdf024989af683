"""Compiling DAC-MDPs on the representations.

Pictures are encoded once, and the model is compiled on the features: a model of 50,000
transitions takes some 30 MB instead of 3 GB. At play the encoder comes first again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

from ..candidates import K
from .frames import FrameData
from .protocol import (
    REWARD_CLIP,
    UNTRAINED,
    Protocol,
    data_dir,
    model_dir,
    snapshot_file,
    snapshots,
)


def representations(protocol: Protocol, learners: list[str]) -> list[tuple[str, int, int]]:
    """Return (name, seed, updates) of all, the untrained and the fully trained ones first."""
    made = [name for name in UNTRAINED if name in learners]
    if protocol.dynamics is None and "dynamics" in made:
        made.remove("dynamics")
    found = [(name, seed, 0) for name in made for seed in protocol.seeds]
    trained = [learner for learner in learners if learner not in UNTRAINED]
    for updates in snapshots(protocol):
        found += [(learner, seed, updates) for learner in trained for seed in protocol.seeds]
    return found


def is_planned(protocol: Protocol, updates: int) -> bool:
    """Whether there are plans on the representation after so many updates."""
    if updates in (0, protocol.updates):
        return True
    return protocol.curve_candidates > 0 and updates in (protocol.curve_points or (updates,))


def open_encoder(
    protocol: Protocol, runs: Path, game: str, name: str, seed: int, updates: int
) -> Any:
    """Return the encoder; the random one is made and stored when it is first asked for."""
    file = snapshot_file(runs, game, name, seed, updates)
    if name == "random" and not file.exists():
        data = FrameData.open(data_dir(runs, game))
        random = da.RandomNetwork(
            architecture=protocol.architecture, dimensions=protocol.random_dimensions, seed=seed
        )
        da.save_encoder(random.fit(data.observations[:1]), file)
    if not file.exists():
        raise SystemExit(f"{file} is not there yet: run `train` first.")
    return da.load_encoder(file, device=protocol.device)


def plan(protocol: Protocol, runs: Path, game: str, name: str, seed: int, updates: int) -> None:
    """Compile a model on a representation, unless it is there."""
    path = model_dir(runs, game, name, seed, updates)
    if path.exists():
        return
    data = FrameData.open(data_dir(runs, game))
    encoder = open_encoder(protocol, runs, game, name, seed, updates)
    stacks, now, later = data.distinct()
    features = encoder.encode(stacks)
    transitions = da.Transitions(
        observations=features[now],
        actions=data.actions,
        rewards=np.clip(data.rewards, -REWARD_CLIP, REWARD_CLIP),
        next_observations=features[later],
        terminations=data.terminations,
        truncations=data.truncations,
        action_names=tuple(data.about["action_names"]),
    )
    mdp = da.compile(transitions, K, da.Identity())
    da.save(mdp, path)
    report = mdp.graph.report
    print(
        f"{game} {name}-{seed} at {updates:,}: compiled by {report.engine}, {report.seconds:.0f} s"
    )
