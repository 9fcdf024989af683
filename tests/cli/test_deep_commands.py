"""dac train, and dac compile on networks."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest

pytest.importorskip("torch")

from tests.representation.conftest import vectors

import deepaveragers as da
from deepaveragers.cli import main


def run(capsys, command):
    with pytest.raises(SystemExit) as leaving:
        main(shlex.split(command))
    output = capsys.readouterr()
    return leaving.value.code or 0, output.out, output.err


@pytest.fixture
def rows():
    return vectors()


@pytest.fixture
def data(rows, tmp_path):
    return da.save(rows, tmp_path / "data")


def test_train_then_compile(rows, data, tmp_path, capsys):
    file, model = tmp_path / "bcq.safetensors", tmp_path / "model"
    train = f"train {data} -o {file} --algorithm bcq --seed 3 --train-dir {tmp_path / 'run'} --json"
    assert run(capsys, f"{train} --steps 5 --checkpoint-every 2")[0] == 0
    code, out, _ = run(capsys, f"{train} --steps 12")
    assert (code, json.loads(out)["dimensions"]) == (0, 16)
    whole = da.train_bcq(rows, 12, seed=3)
    stopped = da.load_encoder(file)
    assert all(np.array_equal(stopped.weights[name], whole.weights[name]) for name in whole.weights)
    code, out, _ = run(capsys, f"compile {data} -o {model} --encoder {file} --json")
    assert (code, json.loads(out)["encoder"]) == (0, "BcqEncoder")
    assert np.array_equal(da.load(model).source_features, whole.encode(rows.observations))


def test_train_dynamics(rows, data, tmp_path, capsys):
    file = tmp_path / "dynamics.safetensors"
    command = f"train {data} -o {file} --algorithm dynamics --steps 4 --seed 3 --json"
    code, out, _ = run(capsys, f"{command} --predict change,end --ahead 1,3")
    assert (code, json.loads(out)["steps"]) == (0, 4)
    whole = da.train_dynamics(rows, 4, predict=("change", "end"), ahead=(1, 3), seed=3)
    found = da.load_encoder(file)
    assert np.array_equal(found.encode(rows.observations), whole.encode(rows.observations))


def test_collecting_by_a_network_is_acting_by_it(tmp_path, capsys):
    rows = da.collect("CartPole-v1", 300, seed=0)
    network = da.train_dqn(rows, 3, seed=0)
    file = tmp_path / "dqn.safetensors"
    da.save_encoder(network, file)
    command = f"collect CartPole-v1 -o {tmp_path / 'played'} --steps 200 --policy {file} --json"
    assert run(capsys, command)[0] == 0
    played = da.load(tmp_path / "played")
    best = network.q_values(played.observations).argmax(axis=1)
    assert np.array_equal(played.actions, best)


@pytest.mark.parametrize(
    ("name", "kind", "dimensions"),
    [
        ("random", "NetworkEncoder", 512),
        ("dynamics", "DynamicsEncoder", 16),
        ("outcomes", "DynamicsEncoder", 16),
        ("behavior", "DynamicsEncoder", 16),
        ("dqn", "DqnEncoder", 16),
        ("bcq", "BcqEncoder", 16),
    ],
)
def test_compile_by_name(data, tmp_path, capsys, name, kind, dimensions):
    command = f"compile {data} -o {tmp_path / 'model'} --encoder {name} --train-steps 3 --json"
    code, out, _ = run(capsys, command)
    assert code == 0
    assert json.loads(out)["encoder"] == kind
    assert json.loads(out)["dimensions"] == dimensions
    assert da.load(tmp_path / "model").core_features.shape[1] == dimensions


@pytest.mark.parametrize(
    ("command", "part"),
    [
        (
            "train {data} -o {out}/e.safetensors --algorithm ppo",
            "'dynamics' or 'outcomes' or 'behavior' or 'dqn' or 'bcq'",
        ),
        ("train {data} -o {out}/e.safetensors --steps 1 --ahead 2", "ahead must be left out"),
        ("train {data} -o {out}/e.safetensors --algorithm dynamics --predict x", "predict"),
        ("train {data} -o {out}/e.safetensors --algorithm dynamics --tensorboard", "tensorboard"),
        ("train {data} -o {out}/e.safetensors --steps 0", "steps"),
        ("train {data} -o {out}/e.safetensors --preset doom", "preset"),
        ("train {data} -o {out}/e.pt --steps 1", ".safetensors"),
        ("train {out}/none -o {out}/e.safetensors", "does not exist"),
        ("compile {data} -o {out}/model --encoder vae", "standardize, identity, random"),
        ("compile {data} -o {out}/model --encoder none.safetensors", "does not exist"),
        ("compile {data} -o {out}/model --encoder {data}", ""),
    ],
)
def test_wrong_input_is_one_sentence(data, tmp_path, capsys, command, part):
    code, out, error = run(capsys, command.format(data=data, out=tmp_path) + " --json")
    assert code == 2
    assert part in json.loads(out)["error"]
    assert error.count("\n") == 1
    assert not (tmp_path / "model").exists()
