"""A fit whose candidates are judged by nodes has the answer of one machine, whatever is killed."""

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
from tests.evaluation.fitting.worlds import GAMMA, corridor

import deepaveragers as da
from deepaveragers.cli.app import run
from deepaveragers.data.packing import pack_transitions
from deepaveragers.evaluation.candidates import by_encoder
from deepaveragers.evaluation.fitting import fit as fitting
from deepaveragers.evaluation.fitting import on_cluster

FOLDS = 2
STATES = np.linspace(0.0, 12.0, 50)[:, None]


@pytest.fixture(scope="module")
def log():
    return corridor(60, right=0.5)


@pytest.fixture
def quick(monkeypatch):
    """Nothing is learnt, so that a fit takes seconds."""
    monkeypatch.setattr(fitting, "can_learn", lambda: False)


def candidates():
    """Return two groups of candidates, by their representation."""
    plain = da.candidate_grid(k=(1, 3), cost=(0.1,), k_pi=(1, 5))
    return [*plain, da.Candidate(encoder="identity", name="raw")]


def doubled(observations):
    return 2.0 * observations


def fitted(log, work_dir=None, *more):
    place = {} if work_dir is None else {"cluster": "auto", "work_dir": work_dir}
    return da.fit(log, [*candidates(), *more], gamma=GAMMA, folds=FOLDS, **place)


def check_same(found, expected):
    one, other = ({**fit.summary(), "seconds": 0} for fit in (found, expected))
    assert one == other
    assert np.array_equal(found.policy.q_values(STATES), expected.policy.q_values(STATES))


def test_the_answer_is_that_of_one_machine(log, quick, cluster, tmp_path, monkeypatch):
    own = da.Candidate(encoder=doubled, name="own")
    rewarded = da.Candidate(da.Objective(rewards=-log.rewards), name="other rewards")
    expected = fitted(log, None, own, rewarded)
    check_same(fitted(log, tmp_path, own, rewarded), expected)
    assert len(list(tmp_path.glob("fit-*-group*.json"))) == (FOLDS + 1) * 3
    # All is there: no cluster is asked again.
    monkeypatch.setattr(on_cluster, "workers", None)
    check_same(fitted(log, tmp_path, own, rewarded), expected)
    with pytest.raises(TypeError):
        fitted(log, tmp_path, own, da.Candidate(da.Objective(rewards=log.rewards)))


@pytest.mark.parametrize("phase", ["learn_judges", "judge_group"])
def test_a_node_killed_while_it_judges(phase, log, quick, cluster, tmp_path, monkeypatch, caplog):
    mark = tmp_path / "harmed"
    monkeypatch.setattr(on_cluster, phase, partial(harm.kill_fitting, phase, str(mark)))
    with caplog.at_level(logging.WARNING, "deepaveragers.cluster"):
        found = fitted(log, tmp_path / "work")
    assert mark.exists()
    assert "tried again, 1 of 3" in caplog.text
    check_same(found, fitted(log))
    written = mark.with_name("journal").read_text().split()
    assert len(written) == len(set(written)), "what was finished is not done again"


DRIVER = """
import sys
from tests.cluster.test_fitting_on_cluster import GAMMA, FOLDS, candidates, corridor
import deepaveragers as da
from deepaveragers.evaluation.fitting import fit
fit.can_learn = lambda: False
da.fit(corridor(60, right=0.5), candidates(), gamma=GAMMA, folds=FOLDS, cluster=sys.argv[1],
       work_dir=sys.argv[2])
"""


def test_a_killed_driver_goes_on(log, quick, cluster, tmp_path):
    place = {"cwd": Path(__file__).parents[2], "env": dict(os.environ)}
    place["env"]["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, cluster.address, str(tmp_path)], **place
    )
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("fit-*-judges.npz")) and time.monotonic() < deadline:
        time.sleep(0.005)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    time.sleep(1.0)  # what its tasks had begun may still be written
    done = {file: file.stat().st_ino for file in tmp_path.glob("fit-*.*")}
    assert done
    found = fitted(log, tmp_path)
    assert {file: file.stat().st_ino for file in done} == done
    files = FOLDS + (FOLDS + 1) * len(by_encoder(candidates()))
    assert len(list(tmp_path.glob("fit-*.*"))) == files, "of one fit: nothing was redone"
    check_same(found, fitted(log))


@pytest.mark.slow
def test_networks_learnt_by_nodes_are_those_learnt_here(log, cluster, tmp_path):
    pytest.importorskip("torch")
    asked = {"gamma": GAMMA, "folds": FOLDS, "show_progress": False}
    learnt = [da.Candidate(encoder="dynamics", k_pi=5), da.Candidate(k_pi=5)]
    expected = da.fit(log, learnt, **asked)
    found = da.fit(log, learnt, **asked, cluster="auto", work_dir=tmp_path)
    # Nodes have one thread each; with more, products of matrices are rounded otherwise.
    assert [one.score for one in found.judged] == [one.score for one in expected.judged]
    assert found.candidate == expected.candidate
    assert found.better == pytest.approx(expected.better, rel=1e-6)
    assert found.interval == pytest.approx(expected.interval, rel=1e-6)
    assert np.array_equal(found.policy.q_values(STATES), expected.policy.q_values(STATES))


def test_the_command(log, quick, cluster, tmp_path, capsys):
    data = str(da.save(log, tmp_path / "data"))
    where = ["--cluster", "auto", "--work-dir", str(tmp_path / "work")]
    assert run(["fit", data, "-o", str(tmp_path / "plan"), *where, "--json"]) == 0
    assert '"answer"' in capsys.readouterr().out
    assert list((tmp_path / "work").glob("fit-*-group0.json"))


@pytest.mark.parametrize("asked", [{"time_budget": 9.0}, {"watch": print}, {"resume_dir": "x"}])
def test_options_of_one_machine_are_refused(asked, log, tmp_path):
    with pytest.raises(da.InputError, match=f"{next(iter(asked))} must be left alone"):
        da.fit(log, cluster="auto", work_dir=tmp_path, **asked)
    with pytest.raises(da.InputError, match="work_dir must be None unless a cluster is given"):
        da.fit(log, work_dir=tmp_path)


def test_a_log_written_for_nodes_is_the_log(tmp_path):
    frames = np.random.default_rng(0).integers(0, 255, (12, 8, 8), dtype=np.uint8)
    here, later = da.FrameStacks.of_episodes(frames, [4, 6], size=2)
    data = da.Transitions(
        observations=here, actions=list("ababababab"), rewards=np.arange(10.0),
        next_observations=later, terminations=np.arange(10) == 9,
        times=np.arange(10).astype("datetime64[s]"), propensities=np.full(10, 0.5),
    )  # fmt: skip
    on_cluster.write_log(tmp_path / "log", data)
    one, other = (pack_transitions(each) for each in (on_cluster.read_log(tmp_path / "log"), data))
    assert one[0] == other[0]
    assert one[1].keys() == other[1].keys()
    assert all(np.array_equal(one[1][name], other[1][name]) for name in one[1])
