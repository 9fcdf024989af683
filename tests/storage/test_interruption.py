"""Whatever happens while saving, the old or the new record loads, whole."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.storage import bundle, lock, manifest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and signals")
fork = multiprocessing.get_context("fork") if sys.platform != "win32" else None

KILLS = 200


@pytest.fixture(scope="module")
def pair(records):
    """An old and a new dataset of different sizes."""
    old = records["transitions"]
    rows = np.tile(np.arange(len(old)), 200)
    return old, old.subset(rows)


def save_forever(path, things, begun):
    begun.set()
    while True:
        for thing in things:
            da.save(thing, path)


def test_killed_at_random_moments(pair, equal, tmp_path):
    path = da.save(pair[0], tmp_path / "bundle")
    began = time.perf_counter()
    for thing in pair[::-1]:
        da.save(thing, path)
    both_saves = time.perf_counter() - began
    random = np.random.default_rng(0)
    seen = set()
    for _ in range(KILLS):
        begun = fork.Event()
        child = fork.Process(target=save_forever, args=(path, pair[::-1], begun))
        child.start()
        begun.wait()
        time.sleep(float(random.uniform(0.0, 1.5 * both_saves)))
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        loaded = da.load(path)
        assert any(equal(loaded, thing) for thing in pair)
        seen.add(len(loaded))
    assert len(seen) == 2
    da.save(pair[0], path)
    assert len(list(path.iterdir())) == 8


def die_at(step, path, thing):
    """Save, and leave without any clean-up at the n-th call that changes the disk."""
    calls = 0

    def watched(real):
        def call(*arguments, **options):
            nonlocal calls
            calls += 1
            if calls == step:
                os._exit(9)
            return real(*arguments, **options)

        return call

    os.replace, os.fsync = watched(os.replace), watched(os.fsync)
    Path.unlink = watched(Path.unlink)
    np.lib.format.write_array = watched(np.lib.format.write_array)
    da.save(thing, path)
    os._exit(0)


@pytest.mark.parametrize("first", [False, True])
def test_killed_at_every_step(pair, equal, tmp_path, first):
    path = tmp_path / "bundle"
    for step in range(1, 200):
        if not first:
            da.save(pair[0], path)
        child = fork.Process(target=die_at, args=(step, path, pair[1]))
        child.start()
        child.join()
        if first and not (path / "manifest.json").exists():
            with pytest.raises(da.StorageError):
                da.load(path)
        else:
            loaded = da.load(path)
            assert equal(loaded, pair[1]) or (not first and equal(loaded, pair[0]))
        if child.exitcode == 0:
            break
        if first and step % 7 == 0:
            da.save(pair[1], path)
            assert equal(da.load(path), pair[1])
            for file in path.iterdir():
                file.unlink()
    assert 20 < step < 199


def test_a_reader_beside_a_writer_sees_whole_records(pair, equal, tmp_path):
    path = da.save(pair[0], tmp_path / "bundle")
    child = fork.Process(target=save_forever, args=(path, pair[::-1], fork.Event()))
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


def save_often(path, thing):
    for _ in range(15):
        da.save(thing, path)


def test_two_writers_take_turns(pair, equal, tmp_path):
    path = tmp_path / "bundle"
    children = [fork.Process(target=save_often, args=(path, thing)) for thing in pair]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0
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
