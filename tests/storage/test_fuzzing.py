"""Harmed bundles give the right data or a clear error: never a crash or wrong numbers."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.errors import DeepAveragersError, StorageError
from deepaveragers.storage.manifest import checksum

ROUNDS = int(os.environ.get("FUZZ_ROUNDS", "500"))
CORPUS = Path(__file__).parents[1] / "corpus" / "bundles"
KINDS = sorted(path.name for path in CORPUS.iterdir())
ODD_VALUES = [
    None, True, False, 0, -1, 2**31, 10**30, 1e308, -0.5, "", "x", "../../etc/passwd", "\0",
    [], {}, [[]], [None], {"kind": "identity"}, [10**15], [0], [-1], "a" * 10_000,
]  # fmt: skip


def harmed(content, random):
    """Return the bytes with one random harm."""
    content = bytearray(content)
    place = int(random.integers(len(content)))
    kind = int(random.integers(6))
    if kind == 0:
        content[place] ^= 1 << int(random.integers(8))
    elif kind == 1:
        del content[place:]
    elif kind == 2:
        content[place:place] = random.bytes(int(random.integers(1, 20)))
    elif kind == 3:
        del content[place : place + int(random.integers(1, 20))]
    elif kind == 4:
        content[place : place + 8] = random.bytes(8)
    else:
        other = int(random.integers(len(content)))
        content[place : place + 4], content[other : other + 4] = (
            content[other : other + 4],
            content[place : place + 4],
        )
    return bytes(content)


@pytest.fixture
def seed(tmp_path, kind):
    """A copy of a bundle of the corpus."""
    return Path(shutil.copytree(CORPUS / kind, tmp_path / "bundle"))


@pytest.mark.parametrize("kind", KINDS)
def test_bundles_of_the_first_version_are_read(kind, seed, equal, tmp_path):
    loaded = da.load(seed)
    assert equal(da.load(da.save(loaded, tmp_path / "again")), loaded)
    data = {"model": lambda: loaded.transitions, "plan": lambda: loaded.mdp.transitions}
    data = data.get(kind, lambda: loaded)()
    if kind == "frames":
        assert data.observations.shape == (12, 3, 6, 5)
        assert data.rewards.tolist() == list(range(12))
    else:
        assert equal(data, da.read(CORPUS.parent / "archives" / "own.npz"))


@pytest.mark.parametrize("kind", KINDS)
def test_harmed_files(kind, seed, equal):
    path, whole_record = seed, da.load(CORPUS / kind)
    random = np.random.default_rng(1)
    files = sorted(path.iterdir())
    refused = 0
    for _ in range(ROUNDS):
        # Every second time the manifest: it is one file among many.
        file = path / "manifest.json" if random.random() < 0.5 else random.choice(files)
        whole = file.read_bytes()
        file.write_bytes(harmed(whole, random))
        try:
            assert equal(da.load(path), whole_record)
        except StorageError:
            refused += 1
        file.write_bytes(whole)
    assert refused > ROUNDS / 2
    assert equal(da.load(path), whole_record)
    print(f"{ROUNDS} harmed {kind}: {ROUNDS - refused} loaded the same, {refused} refused")  # noqa: T201


def places(value, at=()):
    """Yield the place of every value inside JSON."""
    yield at
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, entry in items:
            yield from places(entry, (*at, key))


def replaced(value, at, new):
    if not at:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = replaced(copy[at[0]], at[1:], new)
    return copy


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_manifests_with_right_checksums(kind, seed):
    """A manifest that somebody wrote on purpose is refused or gives a checked record."""
    path, refused = seed, 0
    file = path / "manifest.json"
    manifest = json.loads(file.read_text())
    random = np.random.default_rng(2)
    everywhere = list(places(manifest))
    for _ in range(ROUNDS):
        at = everywhere[int(random.integers(len(everywhere)))]
        changed = replaced(manifest, at, ODD_VALUES[int(random.integers(len(ODD_VALUES)))])
        if isinstance(changed, dict):
            changed = {**changed, "sha256": checksum(changed)}
        file.write_text(json.dumps(changed))
        try:
            da.load(path)
        except DeepAveragersError:
            refused += 1
    print(f"{ROUNDS} wrong manifests of {kind}: {refused} refused")  # noqa: T201


@pytest.mark.parametrize("header_shape", [(10**12,), (2**62, 4), (0,), (3,), ()])
def test_a_lying_header_allocates_nothing(records, tmp_path, header_shape):
    path = da.save(records["transitions"], tmp_path / "bundle")
    entry = json.loads((path / "manifest.json").read_text())["arrays"]["rewards"]
    with open(path / entry["file"], "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": header_shape}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(b"\0" * 64)
    for verify in ("full", "quick"):
        with pytest.raises(da.BundleError, match="is damaged"):
            da.load(path, verify=verify)


def test_a_manifest_and_header_that_lie_together(records, tmp_path):
    path = da.save(records["transitions"], tmp_path / "bundle")
    file = path / "manifest.json"
    manifest = json.loads(file.read_text())
    entry = manifest["arrays"]["rewards"]
    entry["shape"] = [10**12]
    manifest["sha256"] = checksum(manifest)
    file.write_text(json.dumps(manifest))
    with open(path / entry["file"], "wb") as array:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
        np.lib.format.write_array_header_1_0(array, header)
    with pytest.raises(da.BundleError, match="another length"):
        da.load(path, verify="quick")


def test_manifest_link_out(records, tmp_path):
    path = da.save(records["transitions"], tmp_path / "bundle")
    shutil.move(path / "manifest.json", tmp_path / "outside.json")
    (path / "manifest.json").symlink_to(tmp_path / "outside.json")
    with pytest.raises(da.BundleError, match="not a deepaveragers bundle"):
        da.load(path)


def test_deep_and_huge_manifests(records, tmp_path):
    path = da.save(records["transitions"], tmp_path / "bundle")
    for text in ("[" * 100_000, " " * (5 << 20), "9" * 100_000, '{"a": NaN}', "null"):
        (path / "manifest.json").write_text(text)
        with pytest.raises(da.BundleError):
            da.load(path)
