"""The Atari protocol from the emulator to the figure, on a handful of frames."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.atari import agent, evaluation, planning
from experiments.atari.__main__ import main
from experiments.atari.dataset import make_data
from experiments.atari.frames import FrameData
from experiments.atari.games import GAMES
from experiments.atari.playing import Arcade, play_together
from experiments.atari.protocol import PROTOCOLS, data_dir
from experiments.atari.summary import verdict

import deepaveragers as da

for extra in ("torch", "safetensors", "ale_py", "cv2"):
    pytest.importorskip(extra)

pytestmark = pytest.mark.slow


def test_every_step_and_a_restart(tmp_path, monkeypatch):
    arguments = ["--config", "smoke", "--runs", str(tmp_path)]
    with pytest.raises(SystemExit, match="make-data"):
        main(["train", *arguments])
    main(["make-data", *arguments])
    main(["train", *arguments])
    played = []
    play = evaluation.play_together

    def stopped(arcade, encode, policies, **options):
        played.append(len(policies))
        if len(played) == 4:
            raise KeyboardInterrupt
        return play(arcade, encode, policies, **options)

    monkeypatch.setattr(evaluation, "play_together", stopped)
    with pytest.raises(SystemExit, match="run `plan` first"):
        main(["evaluate", *arguments])
    played.clear()
    main(["plan", *arguments])
    with pytest.raises(KeyboardInterrupt):
        main(["evaluate", *arguments])
    main(["evaluate", *arguments])
    main(["plot", *arguments])
    rows = evaluation.open_ledger(tmp_path, "Pong").rows
    ends = [row for row in rows if row["representation"] == "none"]
    assert len(ends) == 2, "random play and the behaviour"
    assert sum(played) == len(rows) - 2 + played[3], "only the interrupted are played again"
    longest = PROTOCOLS["smoke"].max_frames / 4
    assert all(float(row["mean_length"]) <= longest for row in rows), "episodes are cut"
    for figure in ("scores.png", "bars.png"):
        assert (tmp_path / figure).stat().st_size > 10_000
    own = [row for row in rows if row["policy"] == "baseline N_e=2"]
    assert {row["representation"] for row in own} == {"dqn", "bcq"}, "the networks' own search"
    assert "| Pong |" in (tmp_path / "table.md").read_text()

    data = FrameData.open(data_dir(tmp_path, "Pong"))
    stacks, now, later = data.distinct()
    assert len(stacks) < 2 * len(data)
    for rows_of, column in ((now, data.observations), (later, data.next_observations)):
        assert np.array_equal(stacks[rows_of[:9]], column[:9])
    monkeypatch.setattr(planning.FrameData, "open", None)
    main(["plan", *arguments])


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_player(game, tmp_path):
    data = make_data(game, "scripted", 150, 0, tmp_path)
    assert len(data) == 150
    assert len(np.unique(data.actions)) > 1


@pytest.mark.parametrize("game", GAMES)
def test_smaller_pictures_of_the_same_play(game, tmp_path):
    large, small = (
        make_data(game, "scripted", 60, 0, tmp_path / str(side), side) for side in (84, 42)
    )
    assert small.observations.shape == (60, 4, 42, 42)
    assert np.array_equal(large.actions, small.actions)
    averaged = large.observations[:].reshape(60, 4, 42, 2, 42, 2).mean(axis=(3, 5))
    assert np.abs(averaged - small.observations[:]).max() < 2.0


def test_side_by_side_as_one_by_one():
    def still(codes):
        return np.zeros(len(codes), int)

    def fire(codes):
        return np.ones(len(codes), int)

    def bright(stacks):
        assert stacks.shape[1:] == (4, 84, 84)
        return stacks.mean(axis=(1, 2, 3))

    options = {"episodes": 2, "seed": 3}
    used = Arcade("Breakout", 400)
    together = play_together(used, bright, [still, fire], **options)
    for policy, report in zip((still, fire), together, strict=True):
        for arcade in (used, Arcade("Breakout", 400)):
            alone = play_together(arcade, bright, [policy], **options)[0]
            assert np.array_equal(alone.returns, report.returns)
            assert np.array_equal(alone.lengths, report.lengths)
    assert together[0].lengths.tolist() == [100, 100], "without a serve nothing ends but by the cut"


def test_verdicts_need_intervals_apart():
    def report(*returns):
        return da.EvaluationReport(np.array(returns), np.zeros(len(returns), int), 0.0)

    low, high, wide = report(1.0, 2.0, 1.5), report(8.0, 9.0, 8.5), report(-20.0, 5.0, 30.0)
    assert verdict(high, low) == "better"
    assert verdict(low, high) == "worse"
    assert verdict(low, wide) == "level"


def test_an_agent_is_trained_online_and_makes_data(tmp_path, monkeypatch):
    pytest.importorskip("stable_baselines3")
    monkeypatch.setitem(agent.TABLE_5, "learning_starts", 20)
    agent.train_agent("Breakout", 40, tmp_path / "Breakout.zip", buffer=100, device="cpu")
    data = make_data("Breakout", str(tmp_path / "Breakout.zip"), 30, 0, tmp_path / "data")
    assert len(data) == 30
    assert data.num_actions == 4
    with pytest.raises(SystemExit, match="another dataset"):
        make_data("Breakout", "scripted", 30, 0, tmp_path / "data")
