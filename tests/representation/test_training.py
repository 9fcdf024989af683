"""Training: it learns, it repeats itself, it survives being killed, it stops when it diverges."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from deepaveragers.errors import BundleError, InputError, StorageError, TrainingDiverged
from deepaveragers.representation.bcq import BcqEncoder, train_bcq
from deepaveragers.representation.dqn import DqnEncoder, train_dqn
from deepaveragers.representation.network_files import load_encoder, save_encoder
from deepaveragers.representation.weights import read_weights
from deepaveragers.storage.encoders import pack_encoder, unpack_encoder

SMALL = {"hidden": (32, 8), "learning_rate": 1e-3, "target_every": 50}


def same(one, other) -> bool:
    return all(np.array_equal(one.weights[name], other.weights[name]) for name in one.weights)


@pytest.mark.parametrize("train", [train_dqn, train_bcq])
def test_pictures_are_learnt(pictures, train):
    encoder = train(pictures, 300, **SMALL)
    side = (pictures.observations[:, :, 6:].mean(axis=(1, 2)) > 60).astype(int)
    assert (encoder.policy().act(pictures.observations) == side).mean() > 0.95
    assert encoder.encode(pictures.observations).shape == (300, 8)


def test_vectors_are_learnt(rows):
    encoder = train_dqn(rows, 600, gamma=0.0, **SMALL)
    q_values = encoder.q_values(rows.observations)
    earns = rows.observations[:, 0] > 0
    assert np.abs(q_values[:, 1] - earns).mean() < 0.15
    assert np.abs(q_values[:, 0]).mean() < 0.15


def test_bcq_leaves_out_what_the_data_never_do(rows):
    only = rows.subset(np.flatnonzero(rows.actions != 2))
    policy = train_bcq(only, 400, **SMALL).policy()
    assert np.isneginf(policy.q_values(rows.observations)[:, 2]).mean() > 0.95
    assert 2 not in policy.act(rows.observations[:20])


def test_the_policy_takes_one_or_many(rows):
    policy = train_dqn(rows, 5, **SMALL).policy()
    many = policy.act(rows.observations[:7])
    assert many.shape == (7,)
    assert policy.act(rows.observations[0]) == many[0]
    assert policy.predict(rows.observations[:7])[0].tolist() == many.tolist()
    with pytest.raises(InputError, match="observation must be"):
        policy.act(np.zeros((4, 3)))


@pytest.mark.parametrize("train", [train_dqn, train_bcq])
def test_a_stopped_run_ends_as_if_it_had_not_been(pictures, tmp_path, train):
    whole = train(pictures, 60, **SMALL)
    train(pictures, 25, run_dir=tmp_path, checkpoint_every=10, **SMALL)
    resumed = train(pictures, 60, run_dir=tmp_path, checkpoint_every=10, **SMALL)
    assert same(whole, resumed)
    assert not same(whole, train(pictures, 60, seed=1, **SMALL))


SCRIPT = """
import os, signal, sys, torch
torch.set_num_threads(1)
sys.path.insert(0, {folder!r})
from conftest import vectors
from deepaveragers.representation import weights
from deepaveragers.representation.bcq import train_bcq

left = [7]
replace = os.replace

def dying_replace(source, goal):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, goal)

weights.os.replace = dying_replace
train_bcq(vectors(), 300, run_dir={run!r}, checkpoint_every=20, hidden=(32, 8), target_every=50)
"""


def test_a_run_killed_in_a_save_ends_with_the_same_weights(rows, tmp_path):
    script = SCRIPT.format(folder=str(Path(__file__).parent), run=str(tmp_path))
    killed = subprocess.run([sys.executable, "-c", script], env={**os.environ})
    assert killed.returncode == -signal.SIGKILL
    assert read_weights(tmp_path / "checkpoint.safetensors")[1]["step"] == 120
    settings = {"hidden": (32, 8), "target_every": 50}
    resumed = train_bcq(rows, 300, run_dir=tmp_path, **settings)
    assert same(resumed, train_bcq(rows, 300, **settings))
    with open(tmp_path / "log.csv") as stream:
        steps = [int(row["step"]) for row in csv.DictReader(stream)]
    assert steps == [100, 200, 300]


def test_another_run_is_not_continued(rows, tmp_path):
    train_dqn(rows, 5, run_dir=tmp_path, **SMALL)
    with pytest.raises(InputError, match="holds another run"):
        train_dqn(rows, 10, run_dir=tmp_path, seed=1, **SMALL)


def test_snapshots_are_encoders(rows, tmp_path):
    train_dqn(rows, 20, run_dir=tmp_path, snapshot_every=10, **SMALL)
    early, late = (load_encoder(tmp_path / f"encoder-000000{n}.safetensors") for n in (10, 20))
    assert isinstance(early, DqnEncoder)
    assert not same(early, late)
    assert same(late, train_dqn(rows, 20, **SMALL))


def test_divergence_stops_it(rows):
    with pytest.raises(TrainingDiverged, match="diverged"):
        train_dqn(rows, 300, **{**SMALL, "learning_rate": 1e4})


@pytest.mark.parametrize("train", [train_dqn, train_bcq])
def test_saved_and_loaded(rows, tmp_path, train):
    encoder = train(rows, 5, **SMALL)
    for again in (
        load_encoder(save_encoder(encoder, tmp_path / "encoder.safetensors")),
        unpack_encoder(*pack_encoder(encoder)),
    ):
        assert type(again) is type(encoder)
        assert np.array_equal(again.encode(rows.observations), encoder.encode(rows.observations))
        assert np.array_equal(
            again.q_values(rows.observations), encoder.q_values(rows.observations)
        )
    if isinstance(encoder, BcqEncoder):
        assert encoder.head == "imitation"


def test_damaged_files_are_refused(rows, tmp_path):
    file = save_encoder(train_dqn(rows, 1, **SMALL), tmp_path / "encoder.safetensors")
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(BundleError, match="damaged"):
        load_encoder(file)
    with pytest.raises(StorageError, match="does not exist"):
        load_encoder(tmp_path / "none.safetensors")


def test_wrong_settings_are_refused(rows):
    with pytest.raises(InputError, match="settings must be among"):
        train_dqn(rows, 5, learn_rate=1.0)
    with pytest.raises(InputError, match="steps"):
        train_dqn(rows, 0)
    with pytest.raises(InputError, match="preset"):
        train_dqn(rows, 5, preset="doom")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="gamma"):
        train_dqn(rows, 5, gamma=1.0)


def test_a_run_that_is_further_is_not_passed_off_as_a_shorter_one(rows, tmp_path):
    train_dqn(rows, 20, run_dir=tmp_path, **SMALL)
    with pytest.raises(InputError, match="steps must be at least 20"):
        train_dqn(rows, 10, run_dir=tmp_path, **SMALL)


@pytest.mark.parametrize("device", ["nowhere", 3.5])
def test_a_device_that_is_not_there_is_refused(rows, device):
    with pytest.raises(InputError, match="device"):
        train_dqn(rows, 2, device=device, **SMALL)
