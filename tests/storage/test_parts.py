"""Bundles in parts: one array over many files, written, verified and changed part by part."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.cli.app import run
from deepaveragers.data import scratch
from deepaveragers.storage import part_files
from deepaveragers.storage.part_files import ROWS

SIZE, LENGTH = 3 * ROWS + 100, 50


def steps(size=SIZE, seed=0):
    random = np.random.default_rng(seed)
    states = random.normal(size=(size + 1, 3)).astype(np.float32)
    return da.Transitions(
        observations=states[:-1],
        actions=random.integers(0, 2, size),
        rewards=random.normal(size=size),
        next_observations=states[1:],
        terminations=np.arange(size) % LENGTH == LENGTH - 1,
        episode_ids=np.arange(size) // LENGTH,
        times=np.arange(size),
        observation_names=("x", "y", "z"),
    )


@pytest.fixture
def parted(tmp_path):
    return da.save(steps(), tmp_path / "data", part_rows=1)


def files(path):
    return {file.name: file.stat().st_ino for file in path.glob("*.npy")}


def test_loading_gives_what_was_saved(parted, equal):
    manifest = json.loads((parted / "manifest.json").read_text())
    entry = manifest["arrays"]["observations"]
    assert manifest["version"] == 2
    assert [part["rows"] for part in entry["parts"]] == [
        [0, ROWS], [ROWS, 2 * ROWS], [2 * ROWS, 3 * ROWS], [3 * ROWS, SIZE],
    ]  # fmt: skip
    assert equal(da.load(parted), steps())
    # Each part is an array file of its own, which any tool opens.
    assert np.array_equal(
        np.load(parted / entry["parts"][1]["file"]), steps().observations[ROWS : 2 * ROWS]
    )


def test_pages_that_cannot_be_mapped_are_copied(parted, equal, monkeypatch):
    monkeypatch.setattr(part_files.mmap, "PAGESIZE", 1 << 16)
    assert equal(da.load(parted), steps())


def test_arrays_outlive_the_names_that_were_read(parted):
    observations = da.load(parted).observations
    assert not observations.flags.writeable
    assert np.array_equal(observations[-5:], steps().observations[-5:])
    assert observations.flags.c_contiguous


def test_a_harmed_part_is_named(parted):
    entry = json.loads((parted / "manifest.json").read_text())["arrays"]["observations"]
    file = parted / entry["parts"][2]["file"]
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(da.BundleError, match=file.name):
        da.load(parted)
    file.write_bytes(content[:-1])
    with pytest.raises(da.BundleError, match="another length"):
        da.load(parted, verify="quick")
    file.unlink()
    with pytest.raises(da.BundleError, match="missing"):
        da.load(parted, verify="quick")


@pytest.mark.parametrize(
    "harm",
    [
        lambda entry: entry["parts"].pop(),
        lambda entry: entry["parts"].reverse(),
        lambda entry: entry.update(part_rows=0),
        lambda entry: entry.update(part_rows=1),
        lambda entry: entry.update(parts=[None]),
        lambda entry: entry["parts"][0].update(file="../other.npy"),
        lambda entry: entry.update(shape=[]),
    ],
)
def test_wrong_ranges_are_refused(parted, harm):
    from deepaveragers.storage.manifest import checksum

    file = parted / "manifest.json"
    manifest = json.loads(file.read_text())
    harm(manifest["arrays"]["observations"])
    file.write_text(json.dumps({**manifest, "sha256": checksum(manifest)}))
    with pytest.raises(da.BundleError, match="incomplete"):
        da.load(parted)


def test_appending_leaves_full_parts_where_they_are(parted, equal):
    before = files(parted)
    da.append(parted, steps(60, seed=1))
    after = files(parted)
    kept = [name for name in before if after.get(name) == before[name]]
    # Of seven columns with four parts each, three parts are full.
    assert len(kept) >= 3 * 7 - 2  # flags of different parts may be the same file
    assert equal(da.load(parted), da.append(steps(), steps(60, seed=1)))


def test_forgetting_rewrites_what_comes_after(parted, equal):
    gone = [SIZE // LENGTH - 2]
    da.forget(parted, gone)
    assert equal(da.load(parted), da.forget(steps(), gone))
    names = json.loads((parted / "manifest.json").read_text())["arrays"]["rewards"]["parts"]
    assert set(files(parted)) >= {part["file"] for part in names}


def test_large_columns_are_joined_and_taken_on_disk(parted, equal, monkeypatch):
    expected = da.append(steps(), steps(60, seed=1)), da.forget(steps(), [0])
    monkeypatch.setattr(scratch, "IN_MEMORY", 1000)
    monkeypatch.setattr("deepaveragers.data.frame_stacks.IN_MEMORY", 1000)
    assert equal(da.append(steps(), steps(60, seed=1)), expected[0])
    assert equal(da.forget(steps(), [0]), expected[1])


@pytest.mark.skipif(os.name != "posix", reason="counts links")
def test_models_share_the_parts_of_their_data(parted, tmp_path, equal):
    data = da.load(parted)
    model = da.compile(data, k=2, neighbors="tree")
    path = da.save(model, tmp_path / "model")
    shared = set(files(parted).values()) & set(files(path).values())
    assert len(shared) >= len(files(parted)) - 2
    graph = json.loads((path / "manifest.json").read_text())["arrays"]["graph.indices"]
    assert len(graph["parts"]) == 4
    assert equal(da.load(path), model)


def test_policies_of_plans_in_parts_act_as_those_in_one_piece(parted, tmp_path):
    plan = da.compile(da.load(parted), k=2, neighbors="tree").solve(gamma=0.9)
    path = da.save(plan, tmp_path / "plan")
    assert json.loads((path / "manifest.json").read_text())["version"] == 2
    whole = da.save(da.compile(steps(), k=2, neighbors="tree").solve(gamma=0.9), tmp_path / "whole")
    assert json.loads((whole / "manifest.json").read_text())["version"] == 1
    seen = steps(50, seed=2).observations
    in_parts, in_one = (da.load(one).policy(k=3) for one in (path, whole))
    assert np.array_equal(in_parts.q_values(seen), in_one.q_values(seen))
    acting = da.load(da.save(in_parts, tmp_path / "policy"))
    assert np.array_equal(acting.act(seen), in_one.act(seen))


LOAD = """
import json, sys
import numpy as np
import deepaveragers as da

small, large = sys.argv[1:]
seen = np.random.default_rng(3).normal(size=(200, 3)).astype(np.float32)

def own_memory():
    status = open("/proc/self/status").read()
    return int(status.split("RssAnon:")[1].split()[0]) * 1024

da.load(small).act(seen)  # what kernels and libraries take is no matter
before = own_memory()
policy = da.load(large)
actions = policy.act(seen)
print(json.dumps([own_memory() - before, actions.tolist()]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads Linux's figures")
def test_a_policy_in_parts_acts_from_its_files(tmp_path):
    data = steps(250_000)
    policy = da.compile(data, k=1, neighbors="tree").solve(gamma=0.5).policy(k=3)
    large = da.save(policy, tmp_path / "large", part_rows=ROWS)
    few = da.compile(data.subset(slice(0, 500)), k=1).solve(gamma=0.5).policy(k=3)
    small = da.save(few, tmp_path / "small")
    index = json.loads((large / "manifest.json").read_text())["arrays"]["rule.index.groups.rows"]
    assert len(index["parts"]) > 20
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LOAD, str(small), str(large)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    taken, actions = json.loads(done.stdout)
    size = sum(file.stat().st_size for file in large.glob("*.npy"))
    assert taken < 0.2 * size, (taken, size)
    seen = np.random.default_rng(3).normal(size=(200, 3)).astype(np.float32)
    assert actions == policy.act(seen).tolist()


def test_a_policy_of_parts_is_thinned_with_a_measured_agreement(parted, tmp_path):
    plan = da.compile(da.load(parted), k=2, neighbors="tree").solve(gamma=0.9)
    loaded = da.load(da.save(plan, tmp_path / "plan"))
    thin = loaded.policy(k=3).thinned(2_000)
    assert thin.agreement.states == 2_000
    assert thin.agreement.tested >= 1_000
    whole = plan.policy(k=3).thinned(2_000)
    assert thin.agreement == whole.agreement
    seen = steps(50, seed=2).observations
    assert np.array_equal(thin.q_values(seen), whole.q_values(seen))


def test_import_in_parts(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    da.write(steps(), tmp_path / "log.parquet")
    target = tmp_path / "data"
    run(["import", str(tmp_path / "log.parquet"), "-o", str(target), "--parts", "4096", "--json"])
    assert json.loads(capsys.readouterr().out)["transitions"] == SIZE
    assert json.loads((target / "manifest.json").read_text())["version"] == 2
    run(["info", str(target), "--json"])
    assert json.loads(capsys.readouterr().out)["transitions"] == SIZE
