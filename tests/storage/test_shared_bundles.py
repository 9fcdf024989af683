"""Bundles that several use: writers and readers side by side, and versions of this package."""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.storage import bundle, lock, manifest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and locks")
fork = multiprocessing.get_context("fork") if sys.platform != "win32" else None


def test_a_reader_beside_a_writer_sees_whole_records(pair, equal, swift_path):
    path = da.save(pair[0], swift_path / "bundle")

    def save_in_turn():
        while True:
            for thing in pair[::-1]:
                da.save(thing, path)

    child = fork.Process(target=save_in_turn, daemon=True)
    child.start()
    try:
        seen, loads, patience = set(), 0, time.monotonic() + 30
        while loads < 150 or (len(seen) < 2 and time.monotonic() < patience):
            loaded = da.load(path)
            assert any(equal(loaded, thing) for thing in pair)
            seen.add(len(loaded))
            loads += 1
    finally:
        child.kill()
        child.join()
    assert len(seen) == 2


def run_together(*jobs):
    children = [fork.Process(target=work, args=given, daemon=True) for work, *given in jobs]
    for child in children:
        child.start()
    for child in children:
        child.join(120)
        assert child.exitcode == 0


def save_often(path, thing):
    for _ in range(15):
        da.save(thing, path)


def test_two_writers_take_turns(pair, equal, tmp_path):
    path = tmp_path / "bundle"
    run_together(*((save_often, path, thing) for thing in pair))
    assert any(equal(da.load(path), thing) for thing in pair)
    assert len(list(path.iterdir())) == 8


def test_a_waiting_writer_gives_up_in_the_end(pair, tmp_path, monkeypatch):
    path = da.save(pair[0], tmp_path / "bundle")
    held, done = threading.Event(), threading.Event()

    def hold():
        with lock.only_writer(path):
            held.set()
            done.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    with (
        pytest.raises(da.StorageError, match="another process is writing"),
        lock.only_writer(path, patience=0.05),
    ):
        raise AssertionError
    done.set()
    thread.join()
    da.save(pair[1], path)


def append_one_by_one(path, episodes):
    for episode in episodes:
        da.append(path, episode)


def forget_one_by_one(path, ids):
    for number in ids:
        da.forget(path, int(number))


def test_no_update_is_lost_between_processes(records, equal, tmp_path):
    old = records["transitions"]
    parts = [
        da.Transitions(
            observations=old.observations[:3],
            actions=old.actions[:3],
            rewards=np.full(3, float(number)),
            next_observations=old.next_observations[:3],
            terminations=[False, False, True],
            episode_ids=np.full(3, 1000 + number),
            action_names=old.action_names,
        )
        for number in range(20)
    ]
    path = da.save(old, tmp_path / "bundle")
    run_together(
        (append_one_by_one, path, parts[:10]),
        (append_one_by_one, path, parts[10:]),
        (forget_one_by_one, path, np.unique(old.episode_ids)[1:]),
    )
    loaded = da.load(path)
    kept = np.append(old.episode_ids[0], 1000 + np.arange(20))
    assert np.array_equal(np.unique(loaded.episode_ids), kept)
    for number, part in enumerate(parts):
        assert equal(loaded.subset(loaded.episode_ids == 1000 + number), part)


def test_no_update_of_a_model_is_lost_between_threads(records, tmp_path):
    path = da.save(records["model"], tmp_path / "bundle")
    new = da.collect("CartPole-v1", steps=8, seed=3)
    threads = [threading.Thread(target=da.append, args=(path, new)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(da.load(path)) == len(records["model"]) + 4 * 8


def test_an_update_of_nothing(records, tmp_path):
    with pytest.raises(da.StorageError, match="does not exist"):
        da.append(tmp_path / "nothing", records["transitions"])
    with pytest.raises(da.StorageError, match="not a deepaveragers bundle"):
        da.forget(tmp_path, 0)
    assert not list(tmp_path.iterdir())


def test_data_that_is_mapped_can_be_saved_over_itself(pair, equal, tmp_path):
    path = da.save(pair[1], tmp_path / "bundle")
    loaded = da.load(path)
    da.save(loaded.subset(slice(0, 50)), path)
    assert equal(loaded, pair[1])
    assert len(da.load(path)) == 50


def test_older_versions_are_migrated(pair, tmp_path, monkeypatch):
    path = da.save(pair[0], tmp_path / "bundle")
    assert da.load(path).action_names == ("0", "1")

    def renamed(stored):
        settings = {**stored["settings"], "action_names": ["left", "right"]}
        return {**stored, "version": 2, "settings": settings}

    monkeypatch.setattr(manifest, "VERSION", 2)
    monkeypatch.setitem(manifest.MIGRATIONS, 1, renamed)
    assert da.load(path).action_names == ("left", "right")


def test_quick_and_full_verification(pair, tmp_path):
    path = da.save(pair[1], tmp_path / "bundle")
    file = next(path.glob("observations-*.npy"))
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(da.BundleError, match="checksum"):
        bundle.read_bundle(path)
    assert len(bundle.read_bundle(path, verify="quick").arrays) == 7
    with pytest.raises(da.InputError, match="'full' or 'quick'"):
        bundle.read_bundle(path, verify="maybe")
