"""Finite worlds: their exact values are what playing in them earns."""

import json

import numpy as np
import pytest
from benchmarks.policies import __main__ as command
from benchmarks.policies.cells import CELLS, FiniteTask, Task, gym_maker
from benchmarks.policies.finite import FiniteEnv
from benchmarks.policies.hospital import ACTIONS, ward
from benchmarks.policies.measuring import logged_range
from benchmarks.policies.peers.learning import write_log
from benchmarks.policies.playing import GAMMA, played

import deepaveragers as da


@pytest.fixture(scope="module")
def world():
    return ward()


def test_chances_are_chances(world):
    assert world.chances.min() >= 0.0
    np.testing.assert_allclose(world.chances.sum(axis=2), 1.0)
    np.testing.assert_allclose(world.behaviour.sum(axis=1), 1.0)
    assert world.starts.sum() == pytest.approx(1.0)
    assert world.starts[world.ends].sum() == 0.0


def test_every_state_is_known_by_what_is_seen(world):
    on = np.flatnonzero(~world.ends)
    np.testing.assert_array_equal(world.states(world.observations[on]), on)


def test_playing_earns_the_exact_value(world):
    fluids = lambda observations: np.full(len(observations), ACTIONS.index("fluids"))  # noqa: E731
    found = played(lambda steps: FiniteEnv(world, steps), 200, fluids, 1_500)
    shares = world.shares(fluids)
    for earned, gamma in ((found.returns, 1.0), (found.values, GAMMA)):
        error = np.std(earned) / np.sqrt(len(earned))
        assert np.mean(earned) == pytest.approx(world.value(shares, gamma), abs=4.0 * error)


def test_the_best_policy_is_better_than_each_change_of_it(world):
    best = world.best(GAMMA)
    value = world.value(best, GAMMA)
    assert value > world.value(world.behaviour, GAMMA)
    generator = np.random.default_rng(0)
    for state in generator.choice(np.flatnonzero(~world.ends), 20):
        changed = best.copy()
        changed[state] = np.roll(best[state], 1)
        assert world.value(changed, GAMMA) <= value + 1e-9


def test_a_log_is_of_logged_behaviour(world):
    data = FiniteTask(ward).log(4_000, 3)
    assert data.action_names == ACTIONS
    states = world.states(data.observations)
    expected = np.bincount(states, minlength=len(world.ends)) @ world.behaviour
    counts = np.bincount(data.actions, minlength=len(ACTIONS))
    assert np.abs(counts - expected).max() < 4.0 * np.sqrt(len(data))
    returns = data.episode_returns()
    assert returns.mean() == pytest.approx(
        world.value(world.behaviour, 1.0), abs=4.0 * returns.std() / np.sqrt(len(returns))
    )
    low, high = logged_range(data)
    assert -1.5 < low < high <= 1.0


def test_returns_stop_at_the_time_limit_and_values_go_on():
    never = lambda observations: np.ones(len(observations), int)  # noqa: E731
    found = played(gym_maker("MountainCar-v0"), 200, never, 2)
    assert found.returns == [-200.0, -200.0]
    np.testing.assert_allclose(found.values, -(1.0 - GAMMA**690) / (1.0 - GAMMA))


def test_everybody_plays_the_same_episodes():
    task = Task(gym_maker("CartPole-v1"), 500, episodes=5)
    right = lambda observations: (observations[:, 2] > 0).astype(int)  # noqa: E731
    assert task.earned(right) == task.earned(right)
    assert task.behaviour(0) == task.behaviour(0) != task.behaviour(1)


def test_peers_get_the_log_as_plain_arrays(tmp_path):
    data = da.collect("CartPole-v1", 200, seed=0)
    write_log(data, tmp_path / "log.npz")
    with np.load(tmp_path / "log.npz", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["actions"], data.actions)
        assert len(arrays["starts"]) == data.num_episodes
        assert int(arrays["num_actions"]) == 2
        assert not (arrays["terminations"] * arrays["truncations"]).any()


def test_the_command_runs_what_is_missing_and_goes_on(tmp_path, capsys):
    asked = [
        "--cells", "hospital-5k", "--methods", "behaviour,random,default",
        "--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "page"),
    ]  # fmt: skip
    command.main([*asked, "--seeds", "10", "--note", "Of two parts."])
    rows = (tmp_path / "page" / "policies.jsonl").read_text().splitlines()
    assert {json.loads(row)["method"] for row in rows} == {"behaviour", "random", "default"}
    capsys.readouterr()
    command.main([*asked, "--seeds", "10,11"])
    said = capsys.readouterr().out
    assert "hospital-5k 11 default" in said
    assert "hospital-5k 10" not in said
    text = (tmp_path / "page" / "policies.md").read_text()
    assert str(tmp_path) not in text
    assert text.count("Of two parts.") == 1  # notes of the first part stay


def test_peers_need_their_environment_first(tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main(["--methods", "cql", "--peers", str(tmp_path / "none")])
    assert "--prepare" in capsys.readouterr().err


def test_cells_are_the_planned_ones():
    assert len(CELLS) == 25
    assert CELLS["lunarlander-medium-100k"].steps == 100_000
