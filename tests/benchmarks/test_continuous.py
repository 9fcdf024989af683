"""The benchmark of continuous actions, small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.continuous.__main__ import main
from benchmarks.continuous.agents import Agent
from benchmarks.continuous.quality import whole_mean
from benchmarks.continuous.tasks import log_of

import deepaveragers as da


def test_quality_and_timing_print_their_rows(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--tasks", "pendulum", "--steps", "400", "--seeds", "0", "--episodes", "1"]
    main(["quality", *words])
    main(["timing", "--steps", "300", "--candidates", "3"])
    told = capsys.readouterr().out
    assert "pendulum 400 seed 0: logged" in told
    assert "half an actuator" in told
    with pytest.raises(SystemExit, match="needs --agents"):
        main(["quality", "--tasks", "mountaincar", "--steps", "100"])


def test_the_ledger_is_kept_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = ["--ledger", str(tmp_path / "rows.csv"), "--logs", str(tmp_path / "logs")]
    words = ["--tasks", "pendulum", "--steps", "300", "--seeds", "0", "--episodes", "1", *kept]
    main(["quality", *words])
    before = (tmp_path / "rows.csv").read_text()
    main(["quality", *words])
    assert (tmp_path / "rows.csv").read_text() == before
    main(["quality", *words, "--support", "1"])
    capsys.readouterr()
    main(["table", *kept[:2]])
    told = capsys.readouterr().out
    assert "| log | transitions | seed | logged, whole episodes | plan columns 0 | plan" in told
    assert told.count("| pendulum | 300 | 0 |") == 1


def test_logs_of_several_agents_and_of_a_controller(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    pendulum = log_of("doublependulum", 300, 0, None, None)
    assert len(pendulum) == 300
    rng = np.random.default_rng(0)
    arrays = {"w0": rng.normal(size=(17, 6)), "b0": np.zeros(6), "activation": "tanh"}
    for name in ("a2c", "trpo"):
        np.savez(tmp_path / f"walker2d-{name}.npz", **arrays)
    both = log_of("walker2d-mixed", 200, 0, tmp_path, None)
    assert len(both) == 200
    assert both.num_episodes == len(both.episode_returns())


def test_episodes_that_were_cut_do_not_count_as_whole() -> None:
    data = da.collect("Pendulum-v1", steps=500, side_by_side=2, seed=0, show_progress=False)
    lengths = np.unique(data.episode_ids, return_counts=True)[1]
    assert sorted(lengths) == [50, 50, 200, 200]
    expected = data.episode_returns()[lengths == 200].mean()
    assert whole_mean(data, "Pendulum-v1") == pytest.approx(expected)
    cut = da.collect("Pendulum-v1", steps=50, seed=0, show_progress=False)
    assert np.isnan(whole_mean(cut, "Pendulum-v1"))


def test_an_agent_is_its_network(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    arrays = {"w0": rng.normal(size=(3, 5)), "b0": rng.normal(size=5), "activation": "relu"}
    arrays |= {"w1": rng.normal(size=(5, 2)), "b1": np.zeros(2)}
    np.savez(tmp_path / "agent.npz", **arrays)
    seen = rng.normal(size=(4, 3))
    expected = np.maximum(seen @ arrays["w0"] + arrays["b0"], 0.0) @ arrays["w1"]
    np.testing.assert_allclose(Agent(tmp_path / "agent.npz").act(seen), expected)
