"""The Atari protocol from the emulator to the figure, on a handful of frames."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.atari import agent, evaluation, planning
from experiments.atari.__main__ import main
from experiments.atari.dataset import make_data
from experiments.atari.frames import FrameData
from experiments.atari.protocol import PROTOCOLS, data_dir

for extra in ("torch", "safetensors", "ale_py", "cv2"):
    pytest.importorskip(extra)

pytestmark = pytest.mark.slow


def test_every_step_and_a_restart(tmp_path, monkeypatch):
    arguments = ["--config", "smoke", "--runs", str(tmp_path)]
    with pytest.raises(SystemExit, match="make-data"):
        main(["train", *arguments])
    main(["make-data", *arguments])
    main(["train", *arguments])
    played = {"count": 0}
    play = evaluation.da.evaluate

    def stopped(*given, **options):
        played["count"] += 1
        if played["count"] == 4:
            raise KeyboardInterrupt
        return play(*given, **options)

    monkeypatch.setattr(evaluation.da, "evaluate", stopped)
    with pytest.raises(SystemExit, match="run `plan` first"):
        main(["evaluate", *arguments])
    main(["plan", *arguments])
    with pytest.raises(KeyboardInterrupt):
        main(["evaluate", *arguments])
    main(["evaluate", *arguments])
    main(["plot", *arguments])
    rows = evaluation.open_ledger(tmp_path, "Pong").rows
    assert played["count"] == len(rows) + 1, "only the interrupted policy is played again"
    longest = PROTOCOLS["smoke"].max_frames / 4
    assert all(float(row["mean_length"]) <= longest for row in rows), "episodes are cut"
    assert (tmp_path / "scores.png").stat().st_size > 10_000
    assert "| Pong |" in (tmp_path / "table.md").read_text()

    data = FrameData.open(data_dir(tmp_path, "Pong"))
    stacks, now, later = data.distinct()
    assert len(stacks) < 2 * len(data)
    for rows_of, column in ((now, data.observations), (later, data.next_observations)):
        assert np.array_equal(stacks[rows_of[:9]], column[:9])
    monkeypatch.setattr(planning.FrameData, "open", None)
    main(["plan", *arguments])


def test_an_agent_is_trained_online_and_makes_data(tmp_path, monkeypatch):
    pytest.importorskip("stable_baselines3")
    monkeypatch.setitem(agent.TABLE_5, "learning_starts", 20)
    agent.train_agent("Breakout", 40, tmp_path / "Breakout.zip", buffer=100, device="cpu")
    data = make_data("Breakout", str(tmp_path / "Breakout.zip"), 30, 0, tmp_path / "data")
    assert len(data) == 30
    assert data.num_actions == 4
    with pytest.raises(SystemExit, match="another dataset"):
        make_data("Breakout", "scripted", 30, 0, tmp_path / "data")
