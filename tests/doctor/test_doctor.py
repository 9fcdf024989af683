"""The doctor finds planted defects and is silent on sound data."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.doctor.diagnosing import diagnose, write_report

SOUND = ["CartPole-v1", "Acrobot-v1", "MountainCar-v0", "FrozenLake-v1", "Taxi-v4", "Blackjack-v1"]
NAMES = ("observations", "actions", "rewards", "next_observations", "terminations", "truncations")


@pytest.fixture(scope="module")
def sound():
    return da.collect("CartPole-v1", steps=4000, seed=5)


def changed(data, **columns):
    """Return the data with some columns replaced."""
    fields = {name: np.array(getattr(data, name)) for name in (*NAMES, "episode_ids")}
    if "extra" in columns:
        first, second = columns.pop("extra")
        fields["observations"] = np.column_stack([data.observations, first])
        fields["next_observations"] = np.column_stack([data.next_observations, second])
    fields.update(columns)
    return da.Transitions(**fields, action_names=data.action_names)


def rolled(values, ids, by):
    """Shift values by rows within episodes; the ends repeat."""
    shifted = np.array(values)
    for number in np.unique(ids):
        rows = np.flatnonzero(ids == number)
        shifted[rows] = np.array(values)[np.clip(rows - by, rows[0], rows[-1])]
    return shifted


def last_rows(data):
    return np.array([rows.stop - 1 for rows in data.episodes()])


def fixed_length(data):
    rows = np.concatenate([np.arange(r.start, r.start + 12) for r in data.episodes()
                           if r.stop - r.start >= 12])  # fmt: skip
    cut = data.subset(rows)
    ends = np.arange(len(rows)) % 12 == 11
    return changed(cut, terminations=ends, truncations=~ends & False)


def defects(data):
    """Yield (code of the finding, data with that one defect)."""
    random = np.random.default_rng(0)
    n, last = len(data), last_rows(data)
    obs, following = data.observations, data.next_observations
    yield "done_everywhere", changed(data, terminations=np.ones(n, bool), truncations=np.zeros(n))
    yield "done_everywhere", changed(data, terminations=~data.terminations)
    yield "no_ends", changed(data, terminations=np.zeros(n), truncations=np.zeros(n))
    yield "time_limit_as_end", fixed_length(data)
    inside = data.terminations.copy()
    inside[[5, 300, 700]] = True
    yield "end_inside_episode", changed(data, terminations=inside)
    yield "both_flags", changed(data, truncations=data.terminations | data.truncations)
    yield "broken_chain", data.subset(random.permutation(n))
    yield "no_motion", changed(data, next_observations=obs)
    reset = following.copy()
    reset[last[:-1]] = obs[last[:-1] + 1]
    yield "reset_as_successor", changed(data, next_observations=reset)
    first = np.arange(0, last[30] + 1)
    ids = np.concatenate([data.episode_ids, data.episode_ids[first] + 10**6])
    both = np.concatenate([np.arange(n), first])
    copied = data.subset(both)
    yield "repeated_episodes", changed(copied, episode_ids=ids)
    yield "no_rewards", changed(data, rewards=np.zeros(n))
    spike = data.rewards.copy()
    spike[77] = 1e6
    yield "reward_spike", changed(data, rewards=spike)
    yield "constant_column", changed(data, extra=(np.full(n, 3.5), np.full(n, 3.5)))
    noise = random.normal(size=n + 1) * 1e6
    yield "unscaled_columns", changed(data, extra=(noise[:-1], noise[1:]))
    coded = obs.copy()
    coded[random.choice(n, 40, replace=False), 1] = -999.0
    yield "missing_value_code", changed(data, observations=coded)
    wild = obs.copy()
    wild[123, 2] = 1e5
    yield "outlier", changed(data, observations=wild)
    yield "equal_columns", changed(data, extra=(obs[:, 0], following[:, 0]))
    acted = data.actions.astype(float)
    yield "leaks_action", changed(data, extra=(acted, np.roll(acted, -1)))
    gains = random.normal(size=n)
    leak = changed(data, extra=(2 * gains + 1, np.roll(2 * gains + 1, -1)), rewards=gains)
    yield "leaks_reward", leak
    clock = np.concatenate([np.arange(r.stop - r.start) for r in data.episodes()]).astype(float)
    yield "clock_column", changed(data, extra=(clock, clock + 1))
    label = data.episode_ids * 0.37
    yield "episode_column", changed(data, extra=(label, label))
    for by in (1, -1):
        yield "shifted_actions", changed(data, actions=rolled(data.actions, data.episode_ids, by))
    gains = np.where(data.actions == 1, 1.0, -1.0)
    late = rolled(gains, data.episode_ids, 1)
    yield "shifted_rewards", changed(data, rewards=late)
    names = ("0", "1", "never")
    yield "rare_action", dataclasses.replace(data, action_names=names)
    kept = (data.actions == 0) | (obs[:, 0] > np.quantile(obs[:, 0], 0.8))
    yield "unsupported_states", data.subset(kept)


def test_planted_defects_are_found(sound):
    assert diagnose(sound).healthy
    found = set()
    for code, data in defects(sound):
        codes = {finding.code for finding in diagnose(data).findings}
        assert code in codes, (code, codes)
        found.add(code)
    assert len(found) >= 15


@pytest.mark.parametrize("environment", SOUND)
@pytest.mark.parametrize(("steps", "seed"), [(6000, 0), (2000, 3)])
def test_silent_on_sound_data(environment, steps, seed):
    data = da.collect(environment, steps=steps, seed=seed)
    assert [finding.code for finding in diagnose(data).findings] == []


def test_pictures_and_tiny_data():
    random = np.random.default_rng(0)
    pictures = random.integers(0, 256, size=(31, 8, 8, 1), dtype=np.uint8)
    data = da.Transitions(
        observations=pictures[:-1],
        actions=random.integers(2, size=30),
        rewards=random.normal(size=30),
        next_observations=pictures[1:],
        terminations=np.arange(30) % 10 == 9,
        truncations=np.zeros(30),
        action_names=["a", "b"],
    )
    assert {f.code for f in diagnose(data).findings} <= {"reset_as_successor"}
    diagnose(data.subset(slice(0, 1)))


def test_reports(sound, tmp_path):
    sick = changed(sound, rewards=np.zeros(len(sound)))
    diagnosis = diagnose(sick)
    text = diagnosis.text()
    assert "[certain] every reward is 0 (rewards)" in text
    assert "action 1" in text
    assert "Fix:" in text
    assert "Nothing suspicious" in diagnose(sound).text()
    assert diagnosis.summary()["findings"][0]["code"] == "no_rewards"
    page = write_report(diagnosis, tmp_path / "report.html").read_text()
    assert "every reward is 0" in page
    assert write_report(diagnosis, tmp_path / "report.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(da.InputError, match=r"ends in \.html or \.png"):
        write_report(diagnosis, tmp_path / "report.txt")
    with pytest.raises(da.InputError, match="data must be Transitions"):
        diagnose(3)


def test_returns_that_differ_by_rounding_only():
    rewards = np.where(
        np.arange(120) % 6 < 3, np.tile([0.1, 0.2, 0.3], 40), np.tile([0.3, 0.2, 0.1], 40)
    )
    states = np.random.default_rng(0).normal(size=(121, 2))
    data = da.Transitions(
        observations=states[:-1],
        actions=np.arange(120) % 2,
        rewards=rewards,
        next_observations=states[1:],
        terminations=np.arange(120) % 3 == 2,
    )
    assert len(set(data.episode_returns())) == 2
    assert "returns" in diagnose(data).text()


def test_findings_call_columns_and_episodes_by_their_names():
    random = np.random.default_rng(0)
    states = random.normal(size=(61, 3))
    states[:, 2] = 7.0
    data = da.Transitions(
        observations=states[:-1],
        actions=random.integers(0, 2, 60),
        rewards=np.where(np.arange(60) == 30, 1e6, random.normal(size=60)),
        next_observations=states[1:],
        terminations=np.arange(60) % 10 == 9,
        episode_ids=np.repeat([f"p{number}" for number in range(6)], 10),
        observation_names=("age", "lactate", "ward"),
    )
    found = {finding.code: finding.where for finding in da.diagnose(data).findings}
    assert found["constant_column"] == "column(s) 'ward'"
    assert found["reward_spike"] == "row 30 (episode 'p3')"
    repaired = da.repair(data)
    assert repaired.transitions.observation_names == ("age", "lactate")
    assert any("column(s) 'ward' left out" in change for change in repaired.changes)


def test_large_data_are_sampled_by_episodes_and_that_is_said(cartpole):
    whole, some = da.diagnose(cartpole), da.diagnose(cartpole, most_rows=500)
    assert whole.looked_at == len(cartpole)
    assert 500 <= some.looked_at < 500 + max(whole.lengths)
    assert some.facts["transitions"] == len(cartpole)
    assert some.summary()["looked_at"] == some.looked_at
    assert f"{some.looked_at:,} transitions, taken at random" in some.text()
    assert "at random" not in whole.text()
