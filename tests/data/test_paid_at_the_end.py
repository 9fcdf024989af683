"""A log that pays in the last row of an episode is guessed, read and repaired without losing it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.data.chargers import LAST_SLOT, write_chargers

import deepaveragers as da
from deepaveragers.data.deadlines import is_deadline
from deepaveragers.data.tables.guess import guessed
from deepaveragers.data.tables.sources import open_table
from deepaveragers.data.tables.survey import survey


@pytest.fixture(scope="module")
def chargers(tmp_path_factory):
    return write_chargers(tmp_path_factory.mktemp("chargers") / "chargers.csv")


@pytest.mark.parametrize(
    "totals", ["Total;;;;;;{}", ";;;;;;{}", ";;;;;Total;{}", ";;Sum of all;;;;{}"]
)
def test_the_guess_imports_every_step(totals, tmp_path):
    path = write_chargers(tmp_path / "chargers.csv", 90, totals=totals)
    fields = guessed(survey(open_table(path)))
    assert (fields["episode"], fields["action"]) == ("Night", "Setting")
    assert (fields["reward"], fields["terminated"]) == ("Paid EUR", "Paid EUR")
    assert (fields["reward_fill"], fields["missing"]) == (0, "drop")
    data = da.read(path, **fields)
    rows = path.read_text().splitlines()
    assert len(data) == len(rows) - 2
    assert data.num_episodes == int(data.terminations.sum()) == 90
    assert not np.any(data.rewards[~data.terminations])
    assert "Total" not in data.action_names


def test_a_last_row_without_action_is_no_row_of_totals(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y,action,reward\n" + "1,2,go,0\n" * 9 + "1,2,,\n")
    assert survey(open_table(path)).totals is None


def test_what_is_written_once_at_the_beginning_is_no_reward(tmp_path):
    rows = [
        f"P{n // 5:03d},{n},{'a' if n % 2 else 'b'},{70 if n % 5 == 0 else ''}" for n in range(400)
    ]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["patient,pulse,drug,weight", *rows]))
    fields = guessed(survey(open_table(path)))
    assert fields["episode"] == "patient"
    assert fields["reward"] == "COLUMN"


def test_blank_rewards_are_said(chargers):
    roles = {"episode": "Night", "action": "Setting", "reward": "Paid EUR", "decimal": ","}
    with pytest.raises(da.InputError, match=r"a blank in [\d,]+ of .* \(--reward-fill 0\)"):
        da.read(chargers, **roles, fill="forward", missing="drop")
    with pytest.warns(da.DataWarning, match="--terminated 'Paid EUR'"):
        da.read(chargers, **roles, fill="forward", missing="drop", reward_fill=0)
    steps = {"e": [0, 0, 0, 0, 0, 0], "x": range(6), "a": [0, 1] * 3, "r": [1, 2, *[None] * 4]}
    with pytest.warns(da.DataWarning, match=r"blank in 4 of 6 rows.*--reward-fill 0"):
        da.read(steps, episode="e", action="a", reward="r", missing="drop")


def test_numbers_of_the_reward_are_ends_where_others_are_blank():
    table = {"e": [0, 0, 1, 1], "x": range(4), "a": [0, 1, 0, 1], "won": [None, 1, None, 0]}
    data = da.read(table, episode="e", action="a", reward="won", reward_fill=0, terminated="won")
    assert data.terminations.tolist() == [False, True, False, True]
    assert data.rewards.tolist() == [0, 1, 0, 0]
    flags = {**table, "won": [0, 1, 0, 1]}
    data = da.read(flags, episode="e", action="a", reward="won", terminated="won")
    assert data.terminations.tolist() == [False, True, False, True]


def test_a_deadline_is_no_idle_clock(chargers):
    fields = guessed(survey(open_table(chargers))) | {
        "reward": "Paid EUR",
        "terminated": "Paid EUR",
    }
    data = da.read(chargers, **fields)
    assert "clock_column" not in {finding.code for finding in da.diagnose(data).findings}
    repaired = da.repair(data)
    assert "Slot" in repaired.transitions.observation_names
    assert repaired.transitions.action_names == ("fast", "off", "slow")
    assert "'FAST' is 'fast' now" in " ".join(repaired.changes)
    with pytest.warns(da.DataWarning, match=r"same 'Slot'.*--observations 'Slot,Charge %,"):
        da.read(chargers, **fields, time="Slot")


def test_ends_that_pay_are_no_time_limit():
    length, episodes = 12, 20
    random = np.random.default_rng(0)
    last = np.arange(length * episodes) % length == length - 1
    states = random.normal(size=(length * episodes, 2))
    data = da.Transitions(
        observations=states,
        actions=random.integers(0, 2, length * episodes),
        rewards=np.where(last, random.uniform(1, 3, length * episodes), 0.0),
        next_observations=np.where(last[:, None], states, np.roll(states, -1, axis=0)),
        terminations=last,
        episode_ids=np.arange(length * episodes) // length,
    )
    assert "time_limit_as_end" not in {finding.code for finding in da.diagnose(data).findings}
    assert da.repair(data).transitions.terminations.sum() == episodes


def test_what_a_deadline_is():
    times = np.tile(np.arange(20), 30)
    none, flat = np.zeros(600, bool), np.ones(600)
    assert not is_deadline(times, none, flat)
    assert is_deadline(times, times == LAST_SLOT, flat)
    assert is_deadline(times, none, np.where(times == 7, 2.0, 0.0))
    random = np.random.default_rng(0)
    assert not is_deadline(times, random.random(600) < 0.1, random.normal(size=600))
    # Ends that are as likely at any time are most often early, but not all steps there are ends.
    assert not is_deadline(np.repeat([0, 1, 2], [400, 150, 50]), random.random(600) < 0.6, flat)
