"""The page of formats names what is written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import deepaveragers as da
from deepaveragers.data.readers.flat import NAMES
from deepaveragers.data.tables.sources import ENDINGS
from deepaveragers.storage.manifest import DTYPES, VERSION

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "formats.md").read_text()
WORDS = set(re.findall(r"[\w.|<-]+", PAGE))


@pytest.fixture(scope="module", params=["CartPole-v1", "Pendulum-v1"])
def bundles(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")
    plan = da.compile(da.collect(request.param, steps=300, seed=0), k=3).solve()
    things = {"data": plan.mdp.transitions, "model": plan.mdp, "plan": plan}
    paths = [da.save(thing, folder / name) for name, thing in things.items()]
    return [json.loads((path / "manifest.json").read_text()) for path in paths]


def test_every_array_and_key_is_named(bundles):
    for manifest in bundles:
        assert manifest.keys() <= WORDS
        assert manifest["kind"] in WORDS
        for name, entry in manifest["arrays"].items():
            own = re.sub(r"^(model\.)?(transitions\.)?(?=\w)", "", name)
            assert own in WORDS or own.startswith("encoder."), name
            assert entry.keys() <= WORDS


def test_types_and_versions_are_named():
    assert DTYPES <= WORDS
    assert VERSION == 2
    assert "2 where arrays are in parts" in PAGE


def test_every_ending_and_name_is_there():
    endings = {end for group in ENDINGS for end in group}
    assert {end for end in endings if not end.endswith(".gz")} <= WORDS
    assert {name for names in NAMES.values() for name in names} <= WORDS


def test_every_key_of_an_audit_line_is_there():
    lines = pytest.importorskip("deepaveragers.service.audit_lines")
    for line in (lines.AuditLine, lines.RowAuditLine):
        assert set(line.__struct_fields__) <= WORDS
