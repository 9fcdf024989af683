"""Whatever happens while saving, the old or the new record loads, whole."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.storage import bundle

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and signals")
fork = multiprocessing.get_context("fork") if sys.platform != "win32" else None

KILLS = 60


def save_forever(path, things):
    while True:
        for thing in things:
            da.save(thing, path)


def update_forever(path, new, ids):
    while True:
        da.append(path, new)
        da.forget(path, ids)


def killed_at_random_moments(work, path, most_seconds):
    """Yield what loads after each of the kills."""
    random = np.random.default_rng(0)
    for _ in range(KILLS):
        child = fork.Process(target=work, daemon=True)
        child.start()
        time.sleep(float(random.uniform(0.0, 0.005 + most_seconds)))
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        yield da.load(path)


def seconds_of(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def test_killed_while_saving(pair, equal, swift_path):
    path = da.save(pair[0], swift_path / "bundle")
    both = seconds_of(lambda: [da.save(thing, path) for thing in pair[::-1]])
    for loaded in killed_at_random_moments(lambda: save_forever(path, pair[::-1]), path, 2 * both):
        assert any(equal(loaded, thing) for thing in pair)
    da.save(pair[0], path)
    assert len(list(path.iterdir())) == 8


@pytest.fixture(scope="module", params=["transitions", "model"])
def updated(request, records):
    """A record, transitions to add, the episodes that they become, and the longer record."""
    old = records[request.param]
    new = da.collect("CartPole-v1", steps=60, seed=5)
    longer = da.append(old, new)
    ids = (longer if request.param == "transitions" else longer.transitions).episode_ids
    return old, new, np.unique(ids[len(old) :]), longer


def test_killed_while_appending_or_forgetting(updated, equal, swift_path):
    old, new, ids, longer = updated
    path = da.save(old, swift_path / "bundle")
    both = seconds_of(lambda: (da.append(path, new), da.forget(path, ids)))
    sizes = {len(old): old, len(longer): longer}

    def work():
        if len(da.load(path)) > len(old):
            da.forget(path, ids)
        update_forever(path, new, ids)

    for loaded in killed_at_random_moments(work, path, 2 * both):
        assert equal(loaded, sizes[len(loaded)])


def die_at(step, work):
    """Work, and leave without any clean-up at the n-th call that changes the disk."""
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
    np.lib.format.write_array_header_1_0 = watched(np.lib.format.write_array_header_1_0)
    work()
    os._exit(0)


def exit_code_at(step, work):
    child = fork.Process(target=die_at, args=(step, work))
    child.start()
    child.join()
    return child.exitcode


@pytest.mark.parametrize("first", [False, True])
def test_killed_at_every_step_of_saving(pair, equal, swift_path, first):
    path = swift_path / "bundle"
    for step in range(1, 200):
        if not first:
            da.save(pair[0], path)
        code = exit_code_at(step, lambda: da.save(pair[1], path))
        if first and not (path / "manifest.json").exists():
            with pytest.raises(da.StorageError):
                da.load(path)
        else:
            loaded = da.load(path)
            assert equal(loaded, pair[1]) or (not first and equal(loaded, pair[0]))
        if code == 0:
            break
        if first and step % 7 == 0:
            da.save(pair[1], path)
            assert equal(da.load(path), pair[1])
            for file in path.iterdir():
                file.unlink()
    assert 20 < step < 199


@pytest.mark.parametrize("forgetting", [False, True])
def test_killed_at_every_step_of_an_update(updated, equal, swift_path, forgetting):
    old, new, ids, longer = updated
    before, after = (longer, old) if forgetting else (old, longer)
    path = swift_path / "bundle"

    def update():
        if forgetting:
            da.forget(path, ids)
        else:
            da.append(path, new)

    for step in range(1, 200):
        da.save(before, path)
        code = exit_code_at(step, update)
        loaded = da.load(path)
        assert equal(loaded, before if len(loaded) == len(before) else after)
        if code == 0:
            break
    assert len(loaded) == len(after)
    assert 20 < step < 199


@pytest.mark.parametrize("first", [False, True])
def test_interrupts_in_a_row_leave_nothing_behind(pair, equal, swift_path, monkeypatch, first):
    """Three of them: one while writing, two while tidying up after it."""
    path = swift_path / "folder" / "bundle"
    calls = step = 0

    def watched(owner, name):
        real = getattr(owner, name)

        def call(*arguments, **options):
            nonlocal calls
            calls += 1
            if step <= calls < step + 3:
                raise KeyboardInterrupt
            return real(*arguments, **options)

        monkeypatch.setattr(owner, name, call)

    if not first:
        da.save(pair[0], path)
    before = sorted(path.parent.rglob("*"))
    watched(os, "fsync")
    watched(os, "replace")
    watched(Path, "unlink")
    while step < 100:
        step, calls = step + 1, 0
        try:
            da.save(pair[1], path)
        except KeyboardInterrupt:
            pass
        else:
            break
        if (path / "manifest.json").exists() and equal(da.load(path), pair[1]):
            assert len(list(path.iterdir())) == 8
            break
        assert sorted(path.parent.rglob("*")) == before
        assert path.parent.exists() != first
    assert 20 < step < 100


def on_a_full_disk(path, new, largest):
    """Append where no file may become this large; leave with 3 if that is said."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    try:
        da.append(path, new)
    except da.StorageError as error:
        os._exit(3 if "File too large" in str(error) else 4)


def test_a_full_disk_keeps_no_part_of_a_failed_update(records, equal, swift_path):
    """The transitions still fit; of the model's arrays the largest does not."""
    old = da.compile(records["transitions"], k=5)
    new = da.collect("CartPole-v1", steps=60, seed=5)
    path = da.save(old, swift_path / "bundle")
    before = sorted(path.iterdir())
    largest = da.append(old, new).graph.indices.nbytes
    child = fork.Process(target=on_a_full_disk, args=(path, new, largest))
    child.start()
    child.join()
    assert child.exitcode == 3
    assert sorted(path.iterdir()) == before
    assert equal(da.load(path), old)


def test_what_a_killed_process_left_makes_room_before_anything_is_written(
    pair, swift_path, monkeypatch
):
    path = da.save(pair[0], swift_path / "bundle")
    left = path / f"rewards-{'0' * 16}.tmp-1"
    left.touch()

    def write(directory, name, array, shared):
        assert not left.exists()
        return write_array(directory, name, array, shared)

    write_array = bundle.write_array
    monkeypatch.setattr(bundle, "write_array", write)
    da.save(pair[1], path)
