"""One server for all tests that leave it as it is."""

from __future__ import annotations

import pytest
from tests.service.running import serving

import deepaveragers as da
from deepaveragers.client import Client


@pytest.fixture(scope="session")
def evidence_file(ward_policy, tmp_path_factory):
    path = tmp_path_factory.mktemp("evidence") / "policy"
    da.save(ward_policy, path, evidence=True)
    return path


@pytest.fixture(scope="session")
def server(evidence_file):
    with serving(evidence_file) as running:
        yield running


@pytest.fixture
def client(server):
    with Client(server.url) as asking:
        yield asking


@pytest.fixture(scope="session")
def asked(patients):
    """Observations by name, without what the policy does not know."""
    return [{name: row[name] for name in ("age", "sex", "lactate")} for row in patients]
