"""Continuous actions on the command line: three commands from a Minari dataset to a return."""

from __future__ import annotations

import json
import re
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from typer.testing import CliRunner

import deepaveragers as da
from deepaveragers.cli import main
from deepaveragers.cli.app import application

minari = pytest.importorskip("minari")


def dac(*words: object) -> dict:
    result = CliRunner().invoke(application(), [*map(str, words), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the id of a dataset with Box actions that the library itself wrote."""
    from minari.data_collector import EpisodeBuffer

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    env = gym.make("Pendulum-v1")
    env.action_space.seed(0)
    episodes = []
    for number in range(4):
        seen, taken, rewards = [env.reset(seed=number)[0]], [], []
        for _ in range(200):
            taken.append(env.action_space.sample())
            observation, reward, _, _, _ = env.step(taken[-1])
            seen.append(observation)
            rewards.append(float(reward))
        ends = [False] * 199
        episodes.append(
            EpisodeBuffer(
                observations=np.stack(seen),
                actions=np.stack(taken),
                rewards=rewards,
                terminations=[*ends, False],
                truncations=[*ends, True],
            )
        )
    with pytest.warns(UserWarning, match="is set to None"):
        minari.create_dataset_from_buffers(
            "pendulum/random-v0",
            episodes,
            observation_space=env.observation_space,
            action_space=env.action_space,
        )
    return "pendulum/random-v0"


def test_three_commands_from_minari_to_an_evaluated_policy(
    dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Path(__file__).parents[2] / "docs" / "continuous.md"
    (block,) = re.findall(r"^```console\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    commands = [line.split()[1:] for line in block.splitlines()]
    assert [command[0] for command in commands] == ["import", "solve", "evaluate"]
    assert dataset in commands[0]
    read, solved, report = (dac(*command) for command in commands)
    assert read["transitions"] == 800
    assert solved["status"] == "optimal"
    assert -2000.0 < report["mean_return"] < 0.0
    np.testing.assert_array_equal(da.load("data").action_bounds, [[-2.0], [2.0]])  # type: ignore


def test_every_other_command_knows_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.csv"
    random = np.random.default_rng(0)
    lines = ["run,x,throttle,steering,r,end"]
    for step in range(60):
        numbers = random.normal(size=4).round(3)
        lines.append(",".join(map(str, [step // 6, *numbers, int(step % 6 == 5)])))
    log.write_text("\n".join(lines))
    data, model, plan = (tmp_path / name for name in ("data", "model", "plan"))
    dac(
        "import", log, "--episode", "run", "--action", "throttle,steering", "--reward", "r",
        "--terminated", "end", "--observations", "x", "-o", data,
    )  # fmt: skip
    assert dac("doctor", data)["action_range"].keys() == {"throttle", "steering"}
    assert dac("compile", data, "-o", model, "--candidates", 4, "--landing", "own")["k"] == 1
    asked = ("--forbid", "throttle=0.5:", "--action-penalty", "steering=0.1")
    dac("solve", model, "-o", plan, *asked)
    decision = dac("explain", plan, "--observation", "0.3", "--steps", 2)
    assert len(decision["action"]) == 2
    assert decision["action"][0] < 0.5
    assert dac("info", plan)["core_states"] == 60
    policy, decisions = tmp_path / "policy", tmp_path / "decisions.csv"
    dac("policy", plan, "-o", policy)
    assert dac("info", policy)["action_kind"] == "continuous"
    assert dac("act", policy, log, "-o", decisions)["rows"] == 60
    fitted = dac("fit", data, "-o", tmp_path / "fitted", "--time-budget", 20)
    assert "rows of numbers" in fitted["judges"]["importance"]["reason"]
    assert dac("info", tmp_path / "fitted")["kind"] == "plan"
    dac("report", plan, "-o", tmp_path / "report.html")
    assert "throttle" in (tmp_path / "report.html").read_text()
    assert dac("compare", plan, plan)
    for words in (
        ("solve", model, "-o", plan, "--forbid", "throttle"),
        ("compile", data, "-o", tmp_path / "other", "--landing", "moon"),
        ("explain", plan, "--observation", "0.3", "--lookup", "nearest"),
        ("guarantee", plan),
        ("policy", plan, "-o", tmp_path / "policy", "--states", 5),
    ):
        with pytest.raises(SystemExit) as leaving:
            main(list(map(str, words)))
        assert leaving.value.code == 2
        assert "must be" in capsys.readouterr().err
