"""train: a representation learnt from the data, for `dac compile --encoder FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import whole_numbers
from .output import AsJson, Seed, show

Steps = Annotated[
    int | None,
    typer.Option(help="Number of updates; by default 3,000 of dynamics, 100,000 of others."),
]
Predict = Annotated[
    str | None,
    typer.Option(
        help="Dynamics: what is predicted, by commas: change, state, reward, end, return, action."
    ),
]
Ahead = Annotated[
    str | None, typer.Option(help="Dynamics: steps after which changes are predicted.")
]
PresetName = Annotated[
    str | None, typer.Option(help="Settings of the others: auto, atari, navigation, control.")
]
TrainDir = Annotated[
    Path | None, typer.Option(help="Keep the checkpoint and log here; a killed run continues.")
]
CheckpointEvery = Annotated[
    int | None, typer.Option(help="Updates between checkpoints; by default 1,000.")
]
SnapshotEvery = Annotated[
    int | None, typer.Option(help="Also keep an encoder in the directory so often.")
]


def train(
    data: Annotated[Path, typer.Argument(help="A bundle of transitions.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the encoder (.safetensors).")
    ],
    algorithm: Annotated[
        str,
        typer.Option(help="'dynamics' (what actions do), 'outcomes', 'behavior', 'dqn' or 'bcq'."),
    ] = "dqn",
    steps: Steps = None,
    predict: Predict = None,
    ahead: Ahead = None,
    preset: PresetName = None,
    train_dir: TrainDir = None,
    checkpoint_every: CheckpointEvery = None,
    snapshot_every: SnapshotEvery = None,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write the log for TensorBoard too.")
    ] = False,
    device: Annotated[str, typer.Option(help="'cpu' or a CUDA device.")] = "cpu",
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Train a representation (dynamics, offline DQN or BCQ) on transitions."""
    from ..data.transitions import Transitions
    from ..representation.catalogue import TRAINED, check_encoder_path, train_by_name
    from ..representation.network_files import save_encoder
    from ..storage.records import load_as

    check_encoder_path(output)
    steps = TRAINED.get(algorithm, 1) if steps is None else steps
    encoder = train_by_name(
        algorithm,
        load_as(Transitions, data),
        steps,
        preset=preset,
        seed=seed,
        run_dir=train_dir,
        checkpoint_every=checkpoint_every,
        snapshot_every=snapshot_every,
        tensorboard=tensorboard or None,
        predict=None if predict is None else predict.split(","),
        ahead=None if ahead is None else whole_numbers("--ahead", ahead),
        device=device,
    )
    save_encoder(encoder, output)
    result = {
        "output": str(output),
        "algorithm": algorithm,
        "steps": steps,
        "seed": seed,
        "dimensions": encoder.dimensions,
        "architecture": encoder.architecture.to_json(),
    }
    text = f"{algorithm} trained for {steps:,} updates, {encoder.dimensions} dimensions -> {output}"
    show(result, text, as_json=as_json)
