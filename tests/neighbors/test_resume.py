"""A search that is killed goes on from its last finished block, and ends with the same bits."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import numpy as np
import pytest

from deepaveragers.errors import InputError
from deepaveragers.neighbors import block_search, search
from deepaveragers.neighbors.features import Features
from deepaveragers.neighbors.graph import NeighborGraph
from deepaveragers.neighbors.tuning import Tuning

BLOCK = 200


def build_graph(**asked: object) -> NeighborGraph:
    """Search in small blocks."""
    return search.build_graph(**asked, tuning=Tuning(block_states=BLOCK))


def make_inputs(count: int = 4000) -> dict[str, object]:
    rng = np.random.default_rng(3)
    features = np.round(rng.normal(size=(count + 1, 6)), 1).astype(np.float32)
    return {
        "features": Features(features[:-1], features[1:]),
        "actions": rng.integers(0, 3, count).astype(np.int32),
        "num_actions": 3,
        "k": 5,
    }


MOMENTS = ("searching", "half written", "written", "moved")


def run_until(directory: Path, saves: int, moment: str, there: Event) -> None:
    """Search until a moment after so many saved blocks; say so, and wait there to be killed."""
    save, find, replace = search.Checkpoint.save, block_search.BlockSearch._find, os.replace
    saved = []

    def stop() -> None:
        there.set()
        time.sleep(600)

    def watched_find(*args: object) -> object:
        if moment == "searching" and len(saved) == saves:
            stop()
        return find(*args)

    def watched_replace(part: Path, whole: Path) -> None:
        last = len(saved) == saves and whole.parent.name == "blocks"
        if last and moment == "half written":
            os.truncate(part, os.path.getsize(part) // 2)
        if last and moment in ("half written", "written"):
            stop()
        replace(part, whole)
        if last and moment == "moved":
            stop()

    def counted_save(*args: object) -> None:
        save(*args)
        saved.append(1)

    search.Checkpoint.save, block_search.BlockSearch._find = counted_save, watched_find
    os.replace = watched_replace
    build_graph(**make_inputs(), resume_dir=directory, threads=1)


def test_twenty_kills(tmp_path):
    expected = build_graph(**make_inputs())
    context = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    chance = random.Random(0)
    for kill in range(20):
        there = context.Event()
        order = tmp_path / "search", chance.randrange(3), MOMENTS[kill % 4], there
        process = context.Process(target=run_until, args=order)
        process.start()
        assert there.wait(120)
        process.kill()
        process.join()
        assert process.exitcode != 0
    assert (tmp_path / "search" / "manifest.json").exists()
    assert 0 < len(list((tmp_path / "search" / "blocks").glob("*.npy"))) < 3 * 4000 // BLOCK
    graph = build_graph(**make_inputs(), resume_dir=tmp_path / "search")
    assert graph.indices.tobytes() == expected.indices.tobytes()
    assert graph.distances.tobytes() == expected.distances.tobytes()


def test_finished_blocks_are_not_searched_again(tmp_path, monkeypatch):
    expected = build_graph(**make_inputs(), resume_dir=tmp_path)

    def refuse(*args: object) -> None:
        raise AssertionError("a block was searched again")

    monkeypatch.setattr(search.Checkpoint, "save", refuse)
    graph = build_graph(**make_inputs(), resume_dir=tmp_path)
    np.testing.assert_array_equal(graph.indices, expected.indices)
    np.testing.assert_array_equal(graph.distances, expected.distances)


def test_damaged_block_is_searched_again(tmp_path):
    expected = build_graph(**make_inputs(), resume_dir=tmp_path)
    first, second, *_ = sorted((tmp_path / "blocks").glob("*.npy"))
    first.write_bytes(first.read_bytes()[:200])
    content = bytearray(second.read_bytes())
    content[-1] ^= 1
    second.write_bytes(content)
    graph = build_graph(**make_inputs(), resume_dir=tmp_path)
    np.testing.assert_array_equal(graph.indices, expected.indices)
    np.testing.assert_array_equal(graph.distances, expected.distances)


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["cut", "changed", "missing", "foreign", "text"])
@pytest.mark.parametrize("order_is_known", [True, False])
def test_damaged_order(tmp_path, monkeypatch, harm, order_is_known):
    expected = build_graph(**make_inputs(1000), resume_dir=tmp_path)
    file = tmp_path / "order.npy"
    content = file.read_bytes()
    if harm == "cut":
        file.write_bytes(content[:-9])
    elif harm == "changed":
        file.write_bytes(content[:-8] + b"\0" * 8)
    elif harm == "missing":
        file.unlink()
    elif harm == "foreign":
        np.save(file, np.zeros(3))
    else:
        file.write_text("precious")
    if not order_is_known:
        leaf_order = search.TreeIndex.leaf_order
        monkeypatch.setattr(
            search.TreeIndex, "leaf_order", lambda *a, **b: leaf_order(*a, **b)[::-1].copy()
        )
    for _ in range(2):
        graph = build_graph(**make_inputs(1000), resume_dir=tmp_path)
        np.testing.assert_array_equal(graph.indices, expected.indices)
        np.testing.assert_array_equal(graph.distances, expected.distances)


def test_foreign_files_among_the_blocks_are_left_alone(tmp_path):
    expected = build_graph(**make_inputs(1000), resume_dir=tmp_path)
    names = ("mine.npy", "a-b-c.npy", "0000-x-12345678.npy")
    for name in names:
        np.save(tmp_path / "blocks" / name, np.zeros(3))
    graph = build_graph(**make_inputs(1000), resume_dir=tmp_path)
    np.testing.assert_array_equal(graph.indices, expected.indices)
    assert all((tmp_path / "blocks" / name).exists() for name in names)


@pytest.mark.parametrize(
    "harm",
    [
        lambda text: text.replace('"tree"', '"oak"'),
        lambda text: text.replace('"order": "', '"order": "0'),
        lambda text: text[:-20],
        lambda text: "[" * 10_000,
        lambda text: "[]",
    ],
)
def test_a_damaged_manifest_is_refused(tmp_path, harm):
    build_graph(**make_inputs(300), resume_dir=tmp_path)
    file = tmp_path / "manifest.json"
    file.write_text(harm(file.read_text()))
    with pytest.raises(InputError, match="resume_dir"):
        build_graph(**make_inputs(300), resume_dir=tmp_path)


def test_directory_of_another_search_is_refused(tmp_path):
    build_graph(**make_inputs(300), resume_dir=tmp_path)
    for other in ({**make_inputs(300), "k": 6}, make_inputs(301)):
        with pytest.raises(InputError, match="same data and parameters"):
            build_graph(**other, resume_dir=tmp_path)


def test_directory_with_other_files_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        build_graph(**make_inputs(300), resume_dir=tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "precious"


@pytest.mark.slow
def test_interrupt_leaves_whole_blocks(tmp_path, monkeypatch):
    save = search.Checkpoint.save
    calls = []

    def interrupt(*args: object) -> None:
        save(*args)
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(search.Checkpoint, "save", interrupt)
        with pytest.raises(KeyboardInterrupt):
            build_graph(**make_inputs(), resume_dir=tmp_path)
    assert len(list((tmp_path / "blocks").glob("*.npy"))) == 4
    graph = build_graph(**make_inputs(), resume_dir=tmp_path)
    np.testing.assert_array_equal(graph.indices, build_graph(**make_inputs()).indices)
