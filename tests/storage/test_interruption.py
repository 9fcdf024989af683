"""Whatever happens while saving, the old or the new record loads, whole."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
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
MEMORY = Path("/dev/shm")
"""Files here need not wait for a disk: a killed process loses nothing that it wrote to them."""


@pytest.fixture
def swift_path(tmp_path):
    """A directory in memory where there is one: the kills fall into work, not into waiting."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as directory:
        yield Path(directory)


@pytest.fixture(scope="module")
def pair(records):
    """An old and a new dataset of different sizes."""
    old = records["transitions"]
    rows = np.tile(np.arange(len(old)), 200)
    return old, old.subset(rows)


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
    seen = set()
    for loaded in killed_at_random_moments(lambda: save_forever(path, pair[::-1]), path, 2 * both):
        assert any(equal(loaded, thing) for thing in pair)
        seen.add(len(loaded))
    assert len(seen) == 2
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
    sizes, seen = {len(old): old, len(longer): longer}, set()

    def work():
        if len(da.load(path)) > len(old):
            da.forget(path, ids)
        update_forever(path, new, ids)

    for loaded in killed_at_random_moments(work, path, 2 * both):
        assert equal(loaded, sizes[len(loaded)])
        seen.add(len(loaded))
    assert len(seen) == 2


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


def test_killed_at_every_step_of_appending(updated, equal, swift_path):
    old, new, _, longer = updated
    path = swift_path / "bundle"
    for step in range(1, 200):
        da.save(old, path)
        code = exit_code_at(step, lambda: da.append(path, new))
        loaded = da.load(path)
        assert equal(loaded, longer if len(loaded) > len(old) else old)
        if code == 0:
            break
    assert len(loaded) > len(old)
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

    def write(directory, name, array):
        assert not left.exists()
        return write_array(directory, name, array)

    write_array = bundle.write_array
    monkeypatch.setattr(bundle, "write_array", write)
    da.save(pair[1], path)


def test_a_reader_beside_a_writer_sees_whole_records(pair, equal, swift_path):
    path = da.save(pair[0], swift_path / "bundle")
    child = fork.Process(target=save_forever, args=(path, pair[::-1]), daemon=True)
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
