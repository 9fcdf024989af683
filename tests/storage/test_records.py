from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import deepaveragers as da


def arrays_of(thing):
    if isinstance(thing, da.Plan):
        return {**arrays_of(thing.mdp), "values": thing.values, "q_values": thing.q_values}
    if isinstance(thing, da.DacMdp):
        return {
            **arrays_of(thing.transitions),
            "indices": thing.graph.indices,
            "distances": thing.graph.distances,
            "source": thing.source_features,
            "core": thing.core_features,
        }
    names = ("observations", "actions", "rewards", "next_observations", "terminations")
    return {name: getattr(thing, name) for name in (*names, "truncations", "episode_ids")}


@pytest.mark.parametrize("kind", ["cartpole", "model", "plan"])
def test_round_trip_is_exact(kind, request, tmp_path):
    thing = request.getfixturevalue(kind)
    da.save(thing, tmp_path / "bundle")
    again = da.load(tmp_path / "bundle")
    assert type(again) is type(thing)
    for name, array in arrays_of(thing).items():
        other = arrays_of(again)[name]
        assert other.dtype == array.dtype, name
        assert np.array_equal(other, array), name
    if kind == "plan":
        assert again.objective == thing.objective
        assert (again.below, again.above, again.status) == (thing.below, thing.above, thing.status)
        assert again.greedy_loss == thing.greedy_loss < np.inf
        assert (again.k_pi, again.lookup) == (thing.k_pi, thing.lookup) == (11, "auto")
        queries = thing.mdp.transitions.observations[:20]
        assert np.array_equal(again.policy().q_values(queries), thing.policy().q_values(queries))


OBJECTIVES = {
    "mapping": {"action_penalties": {0: 0.5, "1": 0.25}},
    "names": {"forbidden_actions": ("1",)},
    "rewards": {"rewards": np.linspace(0, 1, 3_000)},
    "mask": {"action_mask": np.arange(6_000).reshape(3_000, 2) % 3 != 1},
    "numbers": {"slip": 0.1, "worst_case": 0.2, "penalty": "adaptive", "horizon": 7},
}


@pytest.mark.parametrize("case", OBJECTIVES)
def test_objectives_survive(case, model, tmp_path):
    plan = model.solve(gamma=0.9, **OBJECTIVES[case])
    da.save(plan, tmp_path / "plan")
    again = da.load(tmp_path / "plan")
    assert np.array_equal(again.mdp.solve(again.objective).values, plan.values)


def test_an_objective_with_a_function_is_not_saved(model, tmp_path):
    plan = model.solve(gamma=0.5, rewards=lambda s, a, t: t[:, 0])
    with pytest.raises(da.InputError, match="Solve with the array"):
        da.save(plan, tmp_path / "plan")
    assert not (tmp_path / "plan").exists()


def test_saving_again_replaces_and_leaves_nothing_behind(cartpole, tmp_path):
    path = tmp_path / "bundle"
    da.save(cartpole, path)
    first = sorted(file.name for file in path.iterdir())
    da.save(cartpole.subset(slice(0, 100)), path)
    second = sorted(file.name for file in path.iterdir())
    assert len(da.load(path)) == 100
    assert len(second) == len(first)
    da.save(cartpole, path)
    assert sorted(file.name for file in path.iterdir()) == first


def test_same_record_same_bytes(model, tmp_path):
    for name in ("one", "two"):
        da.save(model, tmp_path / name)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_a_failed_save_keeps_the_old_bundle(cartpole, tmp_path, monkeypatch):
    path = tmp_path / "bundle"
    da.save(cartpole, path)
    real = np.lib.format.write_array_header_1_0
    calls = []

    def full_disk(stream, header):
        calls.append(header)
        if len(calls) == 4:
            raise OSError(28, "No space left on device")
        real(stream, header)

    monkeypatch.setattr(np.lib.format, "write_array_header_1_0", full_disk)
    with pytest.raises(da.StorageError, match="No space left"):
        da.save(cartpole.subset(slice(0, 10)), path)
    assert len(da.load(path)) == len(cartpole)


def test_foreign_directories_are_not_touched(cartpole, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(da.StorageError, match="not a bundle"):
        da.save(cartpole, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_functions_must_be_given_again(cartpole, tmp_path):
    mdp = da.compile(cartpole, k=2, encoder=np.negative)
    da.save(mdp, tmp_path / "m")
    with pytest.raises(da.InputError, match="Pass the same function"):
        da.load(tmp_path / "m")
    again = da.load(tmp_path / "m", encoder=np.negative)
    query = cartpole.observations[:5]
    assert np.array_equal(
        again.solve().policy().q_values(query), mdp.solve().policy().q_values(query)
    )


def damage(path, kind):
    """Harm a bundle in one way."""
    manifest_file = path / "manifest.json"
    manifest = json.loads(manifest_file.read_text())
    array_file = path / manifest["arrays"]["rewards"]["file"]
    if kind == "missing manifest":
        manifest_file.unlink()
    elif kind == "cut manifest":
        manifest_file.write_text(manifest_file.read_text()[:100])
    elif kind == "missing array":
        array_file.unlink()
    elif kind == "cut array":
        array_file.write_bytes(array_file.read_bytes()[:-100])
    elif kind == "flipped byte":
        content = bytearray(array_file.read_bytes())
        content[-5] ^= 0xFF
        array_file.write_bytes(content)
    elif kind == "pickle":
        array_file.write_bytes(b"\x80\x04N.")
    elif kind == "link out":
        outside = path.parent / "outside.npy"
        shutil.move(array_file, outside)
        array_file.symlink_to(outside)
    else:
        if kind == "newer":
            manifest["version"] = 99
        elif kind == "foreign":
            manifest["format"] = "something"
        elif kind == "traversal":
            manifest["arrays"]["rewards"]["file"] = "../outside.npy"
        elif kind == "huge":
            manifest["arrays"]["rewards"]["shape"] = [10**15]
        elif kind == "unknown kind":
            manifest["kind"] = "sculpture"
        elif kind == "missing column":
            del manifest["arrays"]["rewards"]
        manifest_file.write_text(json.dumps(manifest))


DAMAGES = [
    "missing manifest",
    "cut manifest",
    "missing array",
    "cut array",
    "flipped byte",
    "pickle",
    "link out",
    "newer",
    "foreign",
    "traversal",
    "huge",
    "unknown kind",
    "missing column",
]


@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_is_found(kind, cartpole, tmp_path):
    path = tmp_path / "bundle"
    da.save(cartpole, path)
    damage(path, kind)
    with pytest.raises(da.BundleError):
        da.load(path)


def test_a_bundle_with_right_checksums_and_wrong_contents(model, tmp_path):
    from deepaveragers.storage.bundle import Contents, read_bundle, write_bundle

    da.save(model, tmp_path / "m")
    contents = read_bundle(tmp_path / "m")
    indices = np.array(contents.arrays["graph.indices"])
    indices[0, 0, 0] = 10**6
    arrays = {**contents.arrays, "graph.indices": indices}
    write_bundle(Contents("model", contents.settings, arrays), tmp_path / "bad")
    with pytest.raises(da.BundleError, match="outside of the data"):
        da.load(tmp_path / "bad")
