"""Repairs put right what they say, and leave the rest to people."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import deepaveragers as da
from deepaveragers.cli import data_commands
from deepaveragers.cli.import_command import import_data

app = typer.Typer()
app.command("import")(import_data)
app.command("doctor")(data_commands.doctor)


@pytest.fixture(scope="module")
def sound():
    return da.collect("CartPole-v1", steps=3000, seed=5)


def changed(data, **columns):
    names = ("observations", "actions", "rewards", "next_observations", "terminations")
    fields = {name: np.array(getattr(data, name)) for name in (*names, "truncations")}
    fields["episode_ids"] = data.episode_ids
    return da.Transitions(**{**fields, **columns}, action_names=data.action_names)


def with_columns(data, *pairs):
    here, later = zip(*pairs, strict=True)
    return changed(
        data,
        observations=np.column_stack([data.observations, *here]),
        next_observations=np.column_stack([data.next_observations, *later]),
    )


def same(left, right):
    names = ("observations", "actions", "rewards", "next_observations", "terminations")
    return all(
        np.array_equal(getattr(left, name), getattr(right, name))
        for name in (*names, "truncations", "episode_ids")
    )


def test_sound_data_stay_as_they_are(sound):
    result = da.repair(sound)
    assert result.changes == ()
    assert result.transitions is sound
    assert result.diagnosis.healthy


def test_columns_that_say_nothing_are_left_out(sound):
    size = len(sound)
    clock = np.concatenate([np.arange(r.stop - r.start) for r in sound.episodes()]).astype(float)
    sick = with_columns(
        sound,
        (np.full(size, 3.5), np.full(size, 3.5)),
        (sound.observations[:, 0], sound.next_observations[:, 0]),
        (clock, clock + 1),
        (sound.episode_ids * 0.37, sound.episode_ids * 0.37),
    )
    result = da.repair(sick)
    assert same(result.transitions, sound)
    text = " ".join(result.changes)
    assert all(f"column(s) {place} left out" in text for place in (4, 5, 6, 7))
    assert result.diagnosis.healthy


def test_flags(sound):
    both = changed(sound, truncations=sound.terminations | sound.truncations)
    undecided = da.repair(both)
    assert same(undecided.transitions, both)
    assert "both_flags" in {finding.code for finding in undecided.diagnosis.findings}
    ends = np.flatnonzero(sound.terminations)
    truncations = both.truncations.copy()
    truncations[ends[: len(ends) // 4]] = False
    repaired = da.repair(changed(sound, truncations=truncations)).transitions
    assert not (repaired.terminations & repaired.truncations).any()
    assert np.array_equal(np.flatnonzero(repaired.terminations), ends[: len(ends) // 4])
    rows = np.concatenate([np.arange(r.start, r.start + 12) for r in sound.episodes()
                           if r.stop - r.start >= 12])  # fmt: skip
    ends = np.arange(len(rows)) % 12 == 11
    cut = changed(sound.subset(rows), terminations=ends, truncations=np.zeros(len(rows)))
    result = da.repair(cut)
    assert not result.transitions.terminations.any()
    assert np.array_equal(result.transitions.truncations, ends)
    assert "truncated instead of terminated" in result.changes[0]
    one = changed(sound, episode_ids=np.zeros(len(sound)))
    starts = np.flatnonzero(np.diff(da.repair(one).transitions.episode_ids)) + 1
    assert np.array_equal(starts, np.flatnonzero(np.diff(sound.episode_ids)) + 1)


def test_copies_and_false_successors(sound):
    last = np.array([rows.stop - 1 for rows in sound.episodes()])
    first = np.arange(last[30] + 1)
    ids = np.concatenate([sound.episode_ids, sound.episode_ids[first] + 10**6])
    copied = sound.subset(np.concatenate([np.arange(len(sound)), first]))
    repaired = da.repair(changed(copied, episode_ids=ids)).transitions
    long = np.isin(sound.episode_ids, [n for n in range(31) if (sound.episode_ids == n).sum() < 20])
    assert len(repaired) == len(sound) + int(long.sum())

    following = sound.next_observations.copy()
    following[last[:-1]] = sound.observations[last[:-1] + 1]
    flags = np.zeros(len(sound), dtype=bool)
    flags[last] = True
    reset = changed(
        sound, next_observations=following, terminations=np.zeros(len(sound)), truncations=flags
    )
    result = da.repair(reset)
    assert len(result.transitions) == len(sound) - len(last) + 1
    assert result.transitions.num_episodes == len(last)
    ends = np.append(np.diff(result.transitions.episode_ids) != 0, True)
    assert np.array_equal(result.transitions.truncations, ends)


def test_what_may_be_right_is_only_reported(sound):
    gains = np.random.default_rng(0).normal(size=len(sound))
    leaking = changed(with_columns(sound, (2 * gains, np.roll(2 * gains, -1))), rewards=gains)
    result = da.repair(leaking)
    assert "leaks_reward" in {finding.code for finding in result.diagnosis.findings}
    assert result.transitions.observation_shape == (5,)


def table(path, data):
    """Write a log with a constant column, a hole, and time limits marked as ends."""
    rows = ["run,t,x,v,flat,act,rew,end"]
    for number, start in enumerate(range(0, 400, 20)):
        for time in range(20):
            x, v = data.observations[start + time, :2]
            hole = "" if (number, time) == (3, 7) else f"{x:.6f}"
            rows.append(f"{number},{time},{hole},{v:.6f},7,{time % 2},{v:.3f},{int(time == 19)}")
    path.write_text("\n".join(rows) + "\n")


OPTIONS = (
    "--episode run --time t --observations x,v,flat --action act --reward rew --terminated end"
)


def run(command):
    result = CliRunner().invoke(app, command.split())
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_import_with_fix(sound, tmp_path):
    table(tmp_path / "log.csv", sound)
    command = f"import {tmp_path / 'log.csv'} {OPTIONS} -o {tmp_path / 'data'}"
    with pytest.raises(da.InputError, match="line"):
        run(command)
    assert not (tmp_path / "data").exists()
    text = run(f"{command} --fix")
    assert re.search(
        r"Fixed: 1 observation column\(s\) never change: column\(s\) '\w+' left out\.", text
    )
    data = da.load(tmp_path / "data")
    assert data.observation_shape == (2,)
    assert len(data) == 400 - 2
    out = json.loads(run(f"{command} --fix --json"))
    assert out["fixed"]
    assert out["transitions"] == 398
    assert all("places" not in finding for finding in out["findings"])
    with pytest.raises(da.InputError, match="line"):
        run(f"{command} --fix --missing error")
