"""Bundles share what they have in common: on the disk once, and each whole without the other."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tarfile
import zipfile

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.cli.app import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="counts links")


def room(path):
    """Return the bytes that files below a path take up, each file counted once."""
    files = {file.stat().st_ino: file.stat().st_size for file in path.rglob("*") if file.is_file()}
    return sum(files.values())


@pytest.fixture
def model(tmp_path):
    data = da.collect("CartPole-v1", steps=2_000, seed=0)
    return da.save(da.compile(data, k=5), tmp_path / "model")


@pytest.fixture
def plan(model):
    return da.save(da.load(model).solve(gamma=0.9), model.parent / "plan")


def test_ten_plans_of_one_model_take_the_room_of_their_values(model):
    mdp = da.load(model)
    alone = room(model.parent)
    plans = [mdp.solve(gamma=0.9 + 0.005 * step) for step in range(10)]
    for number, each in enumerate(plans):
        da.save(each, model.parent / f"plan{number}")
    own = sum(each.values.nbytes + each.q_values.nbytes for each in plans)
    manifests = sum(file.stat().st_size for file in model.parent.glob("plan*/manifest.json"))
    assert room(model.parent) <= alone + own + manifests + 10 * 2 * 128


def test_plans_by_the_command(model):
    alone = room(model.parent)
    for number in range(3):
        output = model.parent / f"plan{number}"
        assert run(["solve", str(model), "-o", str(output), "--gamma", f"0.9{number}"]) == 0
    grown = room(model.parent) - alone
    assert grown < 3 * (2_000 * 3 * 8 + 20_000)


def test_a_plan_is_whole_without_its_model(model, plan, equal):
    before = da.load(plan)
    shutil.rmtree(model)
    assert equal(da.load(plan), before)
    shutil.move(plan, plan.parent / "elsewhere")
    assert equal(da.load(plan.parent / "elsewhere"), before)


def test_a_model_that_goes_on_leaves_its_plans_as_they_were(model, plan, equal):
    before = da.load(plan)
    kept = {name: np.array(value) for name, value in vars(before.mdp.transitions).items()
            if isinstance(value, np.ndarray)}  # fmt: skip
    da.append(model, da.collect("CartPole-v1", steps=50, seed=1))
    da.forget(model, int(da.load(model).transitions.episode_ids[0]))
    after = da.load(plan)
    assert equal(after, before)
    for name, value in kept.items():
        assert np.array_equal(getattr(after.mdp.transitions, name), value)


def test_plans_of_a_plan_share_too(plan):
    again = da.save(da.load(plan).mdp.solve(gamma=0.5), plan.parent / "again")
    assert room(plan.parent) < room(plan) + room(again)


def test_saving_where_it_was_loaded_from(model, equal):
    loaded = da.load(model)
    files = sorted(file.name for file in model.iterdir())
    da.save(loaded, model)
    assert sorted(file.name for file in model.iterdir()) == files
    assert equal(da.load(model), loaded)


@pytest.mark.parametrize("packing", ["tar", "zip"])
def test_packed_and_unpacked_together(model, plan, packing, equal, tmp_path):
    before = da.load(plan)
    archive, there = tmp_path / f"both.{packing}", tmp_path / "there"
    if packing == "tar":
        with tarfile.open(archive, "w") as file:
            for part in (model, plan):
                file.add(part, part.name)
        with tarfile.open(archive) as file:
            file.extractall(there, filter="data")
        assert archive.stat().st_size < 1.2 * (room(model) + 2_000 * 3 * 8 + 60_000)
    else:
        with zipfile.ZipFile(archive, "w") as file:
            for each in sorted([*model.iterdir(), *plan.iterdir()]):
                file.write(each, each.relative_to(tmp_path))
        with zipfile.ZipFile(archive) as file:
            file.extractall(there)
    assert equal(da.load(there / "plan"), before)
    assert equal(da.load(there / "model"), before.mdp)


def test_another_disk_gets_a_copy(model, monkeypatch, equal):
    mdp = da.load(model)

    def no_link(*arguments, **options):
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", no_link)
    path = da.save(mdp.solve(gamma=0.9), model.parent / "plan")
    assert all(file.stat().st_nlink == 1 for file in path.iterdir())
    assert equal(da.load(path).mdp, mdp)


def test_arrays_of_a_replaced_bundle_are_written_again(model, equal):
    """Mapped files may be gone by the time of a save; what is mapped is still there."""
    mdp = da.load(model)
    kept = mdp.graph.indices.copy()
    da.append(model, da.collect("CartPole-v1", steps=50, seed=1))
    loaded = da.load(da.save(mdp.solve(gamma=0.9), model.parent / "plan"))
    assert equal(loaded.mdp, mdp)
    assert np.array_equal(loaded.mdp.graph.indices, kept)


def test_parts_of_a_mapped_array_are_no_file(model, equal):
    data = da.load(model).transitions.subset(np.arange(100))
    again = da.load(da.save(data, model.parent / "part"))
    assert equal(again, data)


def test_equal_bytes_of_another_type_are_another_file(tmp_path):
    """Eight zeros as flags and one zero as a number have one digest."""
    data = da.Transitions(
        observations=np.zeros((8, 1)),
        actions=np.zeros(8, int),
        rewards=np.zeros(8),
        next_observations=np.zeros((8, 1)),
        terminations=np.zeros(8, bool),
    )
    first = da.load(da.save(data, tmp_path / "first"))
    second = da.load(da.save(first, tmp_path / "second"))
    assert second.rewards.dtype == np.float64
    manifest = json.loads((tmp_path / "second" / "manifest.json").read_text())
    assert manifest["arrays"]["terminations"]["dtype"] == "|b1"
