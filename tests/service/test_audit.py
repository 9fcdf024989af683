"""The audit log: whole lines, rotated, repaired, and read back with what came of decisions."""

from __future__ import annotations

import hashlib
import io
import json
import logging
import os
import signal

import numpy as np
import pytest
from tests.service.running import serving

import deepaveragers as da
from deepaveragers.client import Client
from deepaveragers.server.logs import server_log
from deepaveragers.server.problems import Problem
from deepaveragers.service.audit import AuditLog
from deepaveragers.service.audit_lines import Entry
from deepaveragers.service.metrics import Metrics


def entry(policy, rows, ids):
    acting = policy.compact()
    decisions = acting.decide(rows)
    return Entry(1.5, ids, acting.digest, acting.observation_names, rows, decisions, slice(None))


def opened(path, inputs="full", rotate_bytes=2**20, log=None):
    return AuditLog(path, inputs, rotate_bytes, log or logging.Logger("test"), Metrics())


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_decision_of_a_server_is_there_and_comes_back(
    ward_file, ward_policy, asked, tmp_path
):
    audit = tmp_path / "audit.jsonl"
    with serving(ward_file, "--audit", audit) as server:
        with Client(server.url) as client:
            answers = [client.decide(one, id=f"p{row}") for row, one in enumerate(asked[:20])]
            answers += client.decide_all(asked[20:60], ids=[f"p{row}" for row in range(20, 60)])
            unnamed = client.decide(asked[60])
        server.stop()
    lines = lines_of(audit)
    assert [line["id"] for line in lines] == [f"p{row}" for row in range(60)] + [unnamed.id]
    assert [line["action"] for line in lines] == [one.action for one in answers] + [unnamed.action]
    assert lines[3]["plan"] == answers[3].plan
    outcomes = [f"p{row},{row // 5},{row % 5},{row * 0.5},{int(row % 5 == 4)}" for row in range(60)]
    (tmp_path / "outcomes.csv").write_text("\n".join(["id,stay,day,reward,died", *outcomes]))
    data = da.read(
        audit,
        join=str(tmp_path / "outcomes.csv"),
        observations=list(ward_policy.plan.mdp.transitions.observation_names),
        action="action",
        reward="reward",
        episode="stay",
        time="day",
        terminated="died",
    )
    assert len(data) == 60
    rows = ward_policy.compact().read(asked[:60])
    assert np.array_equal(data.observations, rows.astype(data.observations.dtype))


def test_rotation_keeps_every_line(plan, cartpole, tmp_path):
    audit = opened(tmp_path / "audit.jsonl", rotate_bytes=4_000)
    policy = plan.policy()
    for part in range(20):
        rows = cartpole.observations[part * 10 : part * 10 + 10]
        audit.add(entry(policy, rows, [f"{part}-{row}" for row in range(10)]))
        audit._queue.empty()
    audit.close()
    files = sorted(tmp_path.iterdir(), key=lambda file: (file.stem == "audit", file.name))
    found = [line["id"] for file in files for line in lines_of(file)]
    assert found == [f"{part}-{row}" for part in range(20) for row in range(10)]
    assert files[-1].name == "audit.jsonl"


def test_a_line_that_was_cut_off_is_removed_at_the_start(plan, cartpole, tmp_path):
    path = tmp_path / "audit.jsonl"
    policy, rows = plan.policy(), cartpole.observations[:3]
    audit = opened(path)
    audit.add(entry(policy, rows, ["a", "b", "c"]))
    audit.close()
    whole = path.read_bytes()
    for cut in (whole[:-1], whole[:-40], whole + b"{", whole + b"x" * 200_000):
        path.write_bytes(cut)
        stream = io.StringIO()
        audit = opened(path, log=server_log(stream))
        audit.add(entry(policy, rows, ["d", "e", "f"]))
        audit.close()
        ids = [line["id"] for line in lines_of(path)]
        assert ids[-3:] == ["d", "e", "f"]
        assert ids[:-3] == ["a", "b", "c"][: len(ids) - 3]
        assert "audit tail cut" in stream.getvalue()


def test_digests_in_place_of_inputs(plan, cartpole, tmp_path):
    audit = opened(tmp_path / "audit.jsonl", "digest")
    rows = cartpole.observations[:4]
    audit.add(entry(plan.policy(), rows, list("abcd")))
    audit.close()
    for line, row in zip(lines_of(tmp_path / "audit.jsonl"), rows, strict=True):
        assert "input" not in line
        assert line["input_sha256"] == hashlib.sha256(row.tobytes()).hexdigest()


def test_one_writer(tmp_path):
    audit = opened(tmp_path / "audit.jsonl")
    with pytest.raises(da.StorageError, match="another server"):
        opened(tmp_path / "audit.jsonl")
    audit.close()


def test_no_decisions_while_they_cannot_be_kept(plan, cartpole, tmp_path, monkeypatch):
    audit = opened(tmp_path / "audit.jsonl")
    real, broken = os.fsync, [True]

    def full(file):
        if broken[0]:
            raise OSError(28, "No space left on device")
        real(file)

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr("deepaveragers.service.audit.RETRY_SECONDS", 0.01)
    audit.add(entry(plan.policy(), cartpole.observations[:2], ["a", "b"]))
    while audit.failure is None:
        pass
    with pytest.raises(Problem) as refusal:
        audit.check()
    assert refusal.value.status == 503
    broken[0] = False
    while audit.failure is not None:
        pass
    audit.check()
    audit.close()
    assert [line["id"] for line in lines_of(tmp_path / "audit.jsonl")] == ["a", "b"]


def test_killed_servers_leave_whole_lines(ward_file, asked, tmp_path):
    audit = tmp_path / "audit.jsonl"
    for _ in range(2):
        with serving(ward_file, "--audit", audit) as server, Client(server.url) as client:
            for one in asked[:30]:
                client.decide(one)
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
    with serving(ward_file, "--audit", audit) as server:
        assert Client(server.url).ready()
        server.stop()
    for line in lines_of(audit):
        assert {"time", "id", "plan", "action", "q", "support", "abstained", "input"} <= set(line)
