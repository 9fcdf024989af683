"""The proofs of serving in short: seconds instead of minutes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from benchmarks.serving import hostile, kills, load, soak
from benchmarks.serving.page import page
from benchmarks.serving.servers import dac_serve
from benchmarks.serving.worlds import policy_at


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    return policy_at(tmp_path_factory.mktemp("serving") / "policy", 2_000)


def test_no_request_fails_and_none_is_mixed_over_swaps(tmp_path):
    found = soak.run(tmp_path, states=2_000, seconds=9.0, rate=60.0, swaps=3, bad=1)
    assert found["answer"]["statuses"] == {"200": 540}
    assert found["answer"]["mixed"] == 0
    assert len(found["answer"]["plans"]) == 2
    assert found["differing_bodies"] > 0
    assert found["refused"] >= 1
    assert found["audit_lines"] == 540


def test_hostile_requests_get_words_and_nothing_else(policy, tmp_path, monkeypatch):
    monkeypatch.setattr(hostile, "SLOW_CLIENTS", 4)
    found = hostile.run(policy, 300, folder=tmp_path)
    assert found["sound answered"] == found["sound"] == 6
    assert found["slow clients cut off"] == 4
    assert found["alive"]
    for never in ("hangs", "leaks", "answered without token"):
        assert found[never] == 0, never
    assert "status 500" not in found


def test_killed_servers_lose_the_last_batch_at_most(policy, tmp_path):
    found = kills.run(tmp_path, policy, 2)
    assert found["kills"] == found["clean_starts"] == 2
    assert found["answered"] > 0
    assert found["late"] == found["broken"] == 0


def test_load_is_answered(policy):
    found = load.run(policy, 0.3, None)
    for one in found["singles"].values():
        assert set(one["saturated"]["statuses"]) == set(one["half"]["statuses"]) == {"200"}
    assert all(set(one["statuses"]) == {"200"} for one in found["batches"].values())
    about = {"command": "c", "commit": "d", "processor": "p", "cores": 2, "load": 1, "python": "3"}
    text = page({"load": {"figures": found, "about": about}})
    assert "| dac serve |" in text


def test_the_description_is_kept(policy):
    pytest.importorskip("schemathesis")
    with dac_serve(policy) as server:
        words = ["-m", "schemathesis.cli", "run", f"{server.url}/openapi.json", "-n", "5"]
        done = subprocess.run(
            [sys.executable, *words, "--seed", "1", "--request-timeout", "60"],
            capture_output=True,
            text=True,
            env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": os.devnull},
        )
    assert done.returncode == 0, done.stdout[-3000:]
