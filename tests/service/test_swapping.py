"""Another policy at the same path decides from the next request on; a bad one never does."""

from __future__ import annotations

import shutil
import signal
import time

import pytest
from tests.service.running import serving

import deepaveragers as da
from deepaveragers.client import Client

PATIENCE_SECONDS = 30.0


def until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def policies(model):
    return [model.solve(gamma=gamma, cost=1.0).policy() for gamma in (0.5, 0.99)]


def test_swaps_and_refusals(policies, cartpole, tmp_path):
    one, other = policies
    path = tmp_path / "policy"
    da.save(one, path)
    row = cartpole.observations[7]
    with serving(path) as server, Client(server.url) as client:
        assert client.decide(row).plan == one.compact().digest
        da.save(other, path)
        until(lambda: client.decide(row).plan == other.compact().digest)
        answer = client.decide(row)
        assert list(answer.q.values()) == other.q_values(row)[0].tolist()

        array = next(path.glob("rule.q_values*"))
        content = array.read_bytes()
        array.unlink()
        array.write_bytes(content[:-8] + b"\xff" * 8)
        server.process.send_signal(signal.SIGHUP)
        time.sleep(1.0)
        assert client.decide(row).plan == other.compact().digest

        shutil.rmtree(path)
        named = da.Transitions(
            **{field: getattr(cartpole, field) for field in (
                "observations", "actions", "rewards", "next_observations", "terminations",
                "truncations", "episode_ids",
            )},
            observation_names=("a", "b", "c", "d"),
        )  # fmt: skip
        da.save(da.compile(named, 3).solve(gamma=0.9).policy(), path)
        time.sleep(1.5)
        assert client.decide(row).plan == other.compact().digest

        shutil.rmtree(path)
        da.save(one, path)
        server.process.send_signal(signal.SIGHUP)
        until(lambda: client.decide(row).plan == one.compact().digest)
        log = server.stop()
    events = [(line["event"], line["level"]) for line in log]
    assert events.count(("policy refused", "error")) >= 2
    assert events.count(("policy swapped", "info")) >= 2
    assert events[-1] == ("stopped", "info")
    swapped = [line for line in log if line["event"] == "policy swapped"]
    assert all((one["support_threshold"], one["fallback"]) == (None, None) for one in swapped)
