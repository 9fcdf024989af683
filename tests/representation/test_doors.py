"""The doors of networks refuse nonsense by name, as all others do."""

from __future__ import annotations

import pytest
import torch
from tests.doors.nonsense import (
    NO_COUNT,
    NO_FLAG,
    NO_LIST,
    NO_PATH,
    NO_RECORD,
    NO_SEED,
    NO_SHARE,
    NO_TOLERANCE,
    NO_WORD,
    NOTHING,
    words,
)

import deepaveragers as da

NO_DEVICE = ("a", "", "cuda:99", True, 1.5, [], NOTHING, b"x", 10**400)
TRAINING = {
    "data": (*NO_RECORD, None),
    "steps": (*NO_COUNT, None),
    "preset": (*NO_WORD, None),
    "architecture": (*NO_WORD, None),
    "seed": (*NO_SEED, None),
    "run_dir": NO_PATH,
    "checkpoint_every": (*NO_COUNT, None),
    "snapshot_every": NO_COUNT,
    "tensorboard": (*NO_FLAG, None),
    "device": NO_DEVICE,
    "show_progress": NO_FLAG,
    "learning_rate": (*NO_TOLERANCE, None),
    "hidden": (*NO_LIST, None, [], [0]),
}
DYNAMICS = ("data", "steps", "architecture", "seed", "device", "show_progress", "learning_rate")
SMALL = {"steps": 2, "hidden": (4,), "batch_size": 2}

DOORS = {
    "train_dqn": (lambda w, **given: da.train_dqn(**{"data": w, **SMALL, **given}), TRAINING),
    "train_bcq": (
        lambda w, **given: da.train_bcq(**{"data": w, **SMALL, **given}),
        {**TRAINING, "representation": (*NO_WORD, None)},
    ),
    "train_dynamics": (
        lambda w, **given: da.train_dynamics(**{"data": w, **SMALL, **given}),
        {
            **{name: TRAINING[name] for name in DYNAMICS},
            "predict": (*NO_WORD, None, [], ["change", "x"]),
            "ahead": (*(one for one in NO_COUNT if not isinstance(one, list)), None, [], [1, 0]),
            "gamma": (*NO_SHARE, None),
            "dimensions": (*NO_COUNT, None),
            "batch_size": (*NO_COUNT, None),
            "hidden": (*NO_LIST, None, [0]),
            "watch": ("a", True, 0, [], {}, lambda: None),
        },
    ),
    "solve_own_policy": (
        lambda w, **given: da.solve_own_policy(
            **{"mdp": da.compile(w, 3, encoder=da.train_dqn(w, **SMALL)), **given}
        ),
        {
            "mdp": (*NO_RECORD, None),
            "objective": NO_RECORD,
            "tolerance": (*NO_TOLERANCE, None),
            "gamma": (*NO_SHARE, None),
            "support": (*NO_SHARE, None, 0.3),
            "action_mask": ("a", 1.5, [True]),
            "forbidden_actions": ("a", -1, True, [0]),
        },
    ),
    "acting": (
        lambda w, **given: da.train_dqn(w, **SMALL).policy(**given),
        {"epsilon": (*NO_SHARE, None), "seed": (*NO_SEED, None)},
    ),
    "save_encoder": (
        lambda w, **given: da.save_encoder(
            **{"encoder": da.RandomNetwork(dimensions=2).fit(w.observations), **given}
        ),
        {"path": (*NO_PATH, None)},
    ),
    "load_encoder": (lambda w, path: da.load_encoder(path), {"path": (*NO_PATH, None)}),
    "TorchEncoder": (
        lambda w, **given: da.TorchEncoder(**{"module": torch.nn.Linear(2, 2), **given}),
        {"module": (*NO_RECORD, None), "device": NO_DEVICE, "batch_size": (*NO_COUNT, None)},
    ),
    "TransformerEncoder": (
        lambda w, **given: da.TransformerEncoder(
            **{"transformer": type("Same", (), {"transform": lambda self, rows: rows})(), **given}
        ),
        {"transformer": (*NO_RECORD, None), "refit": (*NO_FLAG, None)},
    ),
}


@pytest.mark.parametrize(
    ("door", "name"), [(door, name) for door, (_, refused) in DOORS.items() for name in refused]
)
def test_nonsense_is_refused_by_name(door, name, rows):
    opened, refused = DOORS[door]
    for value in refused[name]:
        with pytest.raises(da.InputError) as refusal:
            opened(rows, **{name: value})
        assert name in words(refusal.value.parameter), value
        assert "received" in str(refusal.value), value
