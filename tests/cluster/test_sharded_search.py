"""Searches over shards give the bits of one machine's, whatever happens to nodes and driver."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.cluster import harm
from tests.cluster.worlds import far_out, latent, ties

import deepaveragers as da
from deepaveragers.cluster.files import read_array, whole_array, write_array
from deepaveragers.neighbors import sharded
from deepaveragers.neighbors.search import build_graph
from deepaveragers.neighbors.shard_tuning import ShardTuning
from deepaveragers.neighbors.sharded import build_graph_on_cluster

TUNING = ShardTuning(shards=8, block_states=200)
K = 5


def check_same(graph, features, actions, num_actions):
    expected = build_graph(features, actions, num_actions, K, engine="tree")
    assert np.array_equal(graph.indices, expected.indices)
    assert np.array_equal(graph.distances, expected.distances)
    assert graph.indices.dtype == np.int32
    assert graph.distances.dtype == np.float32


@pytest.mark.parametrize("shards", [1, 8])
@pytest.mark.parametrize("world", [latent, ties, far_out])
def test_the_graph_is_that_of_one_machine(world, shards, cluster, tmp_path):
    features, actions, num_actions = world()
    graph = build_graph_on_cluster(
        features, actions, num_actions, K, cluster=cluster.address, work_dir=tmp_path,
        tuning=ShardTuning(shards=shards, block_states=200),
    )  # fmt: skip
    check_same(graph, features, actions, num_actions)
    (folder,) = tmp_path.glob("neighbours-*")
    sizes = [len(read_array(file)) for file in folder.glob("shards/*/rows.npy")]
    assert len(sizes) == shards
    assert sum(sizes) == len(actions)
    assert shards == 1 or world is not ties or 0 in sizes


@pytest.mark.parametrize(
    ("counts", "cpus", "shards"),
    [
        ([10**6] * 6, 2, 1),  # three actions each
        ([10**6] * 3, 2, 2),  # three tasks would leave one of two idle for a quarter of the time
        ([10**6] * 6, 16, 8),  # 48 tasks
        ([10_000] * 3, 2, 1),  # too few rows to be shared out
        ([9_000_000, 10], 2, 2),  # too many for a worker
    ],
)
def test_shards_for_rows_actions_and_processors(counts, cpus, shards):
    assert ShardTuning().shards_for(np.array(counts), cpus) == shards


@pytest.mark.parametrize("phase", ["ask_home", "answer_others", "merge_blocks"])
def test_a_node_killed_in_any_phase(phase, cluster, tmp_path, monkeypatch, caplog):
    features, actions, num_actions = latent(2_000)
    mark = tmp_path / "harmed"
    monkeypatch.setattr(sharded, phase, partial(harm.kill_in, phase, str(mark)))
    with caplog.at_level(logging.WARNING, "deepaveragers.cluster"):
        graph = build_graph_on_cluster(
            features, actions, num_actions, K,
            cluster="auto", work_dir=tmp_path / "work", tuning=TUNING,
        )  # fmt: skip
    assert mark.exists()
    assert "tried again, 1 of 3" in caplog.text
    assert "tasks tried again" in graph.report.notes[-1]
    check_same(graph, features, actions, num_actions)
    written = mark.with_name("journal").read_text().split()
    assert len(written) == len(set(written)), "what was finished is not done again"


def test_a_hung_node_is_noticed(cluster, tmp_path, monkeypatch, caplog):
    features, actions, num_actions = latent(2_000)
    mark = tmp_path / "harmed"
    monkeypatch.setattr(sharded, "ask_home", partial(harm.hang_in, "ask_home", str(mark)))
    with caplog.at_level(logging.WARNING, "deepaveragers.cluster"):
        graph = build_graph_on_cluster(
            features, actions, num_actions, K,
            cluster="auto", work_dir=tmp_path / "work", tuning=TUNING,
        )  # fmt: skip
    check_same(graph, features, actions, num_actions)
    first = min(caplog.records, key=lambda record: record.created)
    assert "no sign of life" in first.getMessage(), "Ray itself gives it 50 s"
    assert first.created - mark.stat().st_mtime < 10.0


DRIVER = """
import sys
from tests.cluster.worlds import latent
from deepaveragers.neighbors.shard_tuning import ShardTuning
from deepaveragers.neighbors.sharded import build_graph_on_cluster
build_graph_on_cluster(
    *latent(), 5, cluster=sys.argv[1], work_dir=sys.argv[2],
    tuning=ShardTuning(shards=8, block_states=200),
)
"""


def test_a_killed_driver_goes_on(cluster, tmp_path, monkeypatch):
    place = {"cwd": Path(__file__).parents[2], "env": dict(os.environ)}
    place["env"]["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, cluster.address, str(tmp_path)], **place
    )
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("neighbours-*/home/0*.npy")) and time.monotonic() < deadline:
        time.sleep(0.005)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    time.sleep(1.0)  # what its tasks had begun may still be written
    done = {str(file) for file in tmp_path.glob("neighbours-*/*/*.npy")}
    assert done
    mark = tmp_path / "harmed"
    mark.touch()  # nothing is harmed
    for name in ("ask_home", "answer_others", "merge_blocks"):
        monkeypatch.setattr(sharded, name, partial(harm.kill_in, name, str(mark)))
    features, actions, num_actions = latent()
    graph = build_graph_on_cluster(
        features, actions, num_actions, K,
        cluster=cluster.address, work_dir=tmp_path, tuning=TUNING,
    )  # fmt: skip
    check_same(graph, features, actions, num_actions)
    written = mark.with_name("journal").read_text().split()
    assert not {path for path in written if "/home/" in path} & done


def test_compiling_by_the_public_door(cluster, tmp_path, cartpole, model):
    compiled = da.compile(cartpole, k=5, cluster="auto", work_dir=tmp_path)
    assert np.array_equal(compiled.graph.indices, model.graph.indices)
    assert np.array_equal(compiled.graph.distances, model.graph.distances)
    again = da.compile(cartpole, k=5, cluster=cluster.address, work_dir=tmp_path)
    assert np.array_equal(again.graph.indices, model.graph.indices)


def test_errors_of_tasks_reach_the_caller(cluster, tmp_path):
    from deepaveragers.cluster.work_dir import workers

    with workers("auto", tmp_path) as hired:
        write_array(tmp_path / "there.npy", np.arange(3))
        assert hired.map(len, [(b"abc",), (b"",)], "counting") == [3, 0]
        with pytest.raises(da.ClusterError, match=r"nowhere.npy is missing or not whole"):
            hired.map(whole_array, [(tmp_path / "nowhere.npy",)], "reading")
        with pytest.raises(da.ClusterError, match="dividing failed on a node: ZeroDivisionError"):
            hired.map(divmod, [(1, 0)], "dividing")


def test_tasks_that_are_given_up_leave_their_processors(cluster, tmp_path):
    from deepaveragers.cluster.work_dir import workers

    def begun():
        return len(list((tmp_path / "alive").iterdir()))

    def look():
        assert begun() < 3, "all have begun"

    with workers("auto", tmp_path) as hired:
        asleep = [(600.0,)] * 3
        with pytest.raises(AssertionError, match="all have begun"):
            hired.map(time.sleep, asleep, "sleeping", look=look)
        began = time.monotonic()
        assert hired.map(len, [(b"abc",)] * 3, "counting") == [3] * 3
        assert time.monotonic() - began < 60.0
