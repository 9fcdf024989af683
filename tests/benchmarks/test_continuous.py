"""The benchmark of continuous actions, small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.continuous.__main__ import main
from benchmarks.continuous.agents import Agent
from benchmarks.continuous.quality import whole_mean

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
