"""Without Ray, or with nonsense for a cluster: one sentence that says what to do."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest

import deepaveragers as da
from deepaveragers.cli.app import run
from deepaveragers.cluster import heartbeat
from deepaveragers.cluster.heartbeat import LOOK_SECONDS, SILENCE_SECONDS, Pulse


def test_the_install_line(cartpole, model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    line = r"Ray, .* is not installed. Install it with: pip install 'deepaveragers\[cluster\]'"
    with pytest.raises(da.MissingExtraError, match=line):
        da.compile(cartpole, cluster="auto", work_dir=tmp_path)
    with pytest.raises(da.MissingExtraError, match=line):
        model.solve(cluster="auto", work_dir=tmp_path)
    with pytest.raises(da.MissingExtraError, match=line):
        da.fit(cartpole, cluster="auto", work_dir=tmp_path)


def test_the_command_says_it_too(cartpole, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    data = str(da.save(cartpole, tmp_path / "data"))
    where = ["--cluster", "auto", "--work-dir", str(tmp_path / "work")]
    assert run(["compile", data, "-o", str(tmp_path / "model"), *where, "--json"]) == 2
    assert "pip install 'deepaveragers[cluster]'" in json.dumps(capsys.readouterr())


def test_local_work_imports_no_ray():
    code = (
        "import sys, deepaveragers as da, numpy as np; x = np.zeros((9, 2)); "
        "data = da.Transitions(observations=x, actions=[0] * 9, rewards=x[:, 0], "
        "next_observations=x, terminations=[True] * 9); "
        "da.compile(data, k=1).solve(); da.fit, da.Candidate; assert 'ray' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_address_where_nobody_answers(cartpole, tmp_path):
    pytest.importorskip("ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(da.InputError, match="cluster must be the address of a Ray cluster"):
        da.compile(cartpole, cluster=address, work_dir=tmp_path)


@pytest.mark.parametrize(
    "asked",
    [
        {"neighbors": "dense"},
        {"time_budget": 1.0},
        {"allow_approximate": True},
        {"threads": 1},
        {"resume_dir": "there"},
    ],
)
def test_options_of_one_machine_are_refused(asked, cartpole, tmp_path):
    pytest.importorskip("ray")
    with pytest.raises(da.InputError, match=f"{next(iter(asked))} must be left alone"):
        da.compile(cartpole, cluster="auto", work_dir=tmp_path, **asked)


@pytest.fixture
def clock(monkeypatch):
    """A clock that each look advances by half a second, unless it is told otherwise."""

    class Clock:
        now, step = 0.0, LOOK_SECONDS

        def __call__(self):
            self.now += self.step
            return self.now

    clock = Clock()
    monkeypatch.setattr(heartbeat, "time", SimpleNamespace(monotonic=clock))
    return clock


def test_silence_is_noticed_and_pauses_of_the_driver_are_not_silence(tmp_path, clock):
    file, alive = tmp_path / "beat", {"node"}
    pulse, looks = Pulse(file), int(SILENCE_SECONDS / LOOK_SECONDS)
    assert not any(pulse.hangs(alive) for _ in range(3 * looks)), "it has not begun"
    file.write_text("node 1")
    assert [pulse.hangs(alive) for _ in range(looks)] == [False] * looks
    file.write_text("node 2")
    assert not pulse.hangs(alive)
    clock.step = 3600.0
    assert not pulse.hangs(alive), "the driver was stopped for an hour"
    clock.step = LOOK_SECONDS
    assert [pulse.hangs(alive) for _ in range(looks)][-1]
    assert pulse.complaint == f"no sign of life for {SILENCE_SECONDS + 1:.1f} s"
    assert pulse.hangs(alive=set()), "its node is gone"
    assert SILENCE_SECONDS + 2 * LOOK_SECONDS < 10.0


def test_nodes_that_hung_are_avoided_for_a_while(tmp_path, monkeypatch):
    from deepaveragers.cluster import tasks

    now = 0.0
    monkeypatch.setattr(tasks, "time", SimpleNamespace(monotonic=lambda: now))
    workers = tasks.Workers(None, tmp_path)
    workers.avoid("a")
    assert workers.trusted(["a", "b"]) == ["b"]
    assert workers.trusted(["a"]) == ["a"], "there is no other"
    now = tasks.AVOIDED_SECONDS
    assert workers.trusted(["a", "b"]) == ["a", "b"]
