"""Actions that are probably one with another name: the doctor and append say which."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da

ROWS = 1_000


def named(actions):
    random = np.random.default_rng(0)
    states = random.normal(size=(len(actions) + 1, 2))
    return da.Transitions(
        observations=states[:-1],
        actions=actions,
        rewards=random.normal(size=len(actions)),
        next_observations=states[1:],
        terminations=np.zeros(len(actions), bool),
        episode_ids=np.zeros(len(actions), int),
    )


def with_some(common, other, share):
    """Return steps of two ordinary actions, some of the first under another name."""
    actions = np.where(np.arange(ROWS) % 2, common, "vent all").astype("U20")
    actions[1 : int(share * ROWS) : 2] = other
    return named(actions)


def slips(data):
    return [f for f in da.diagnose(data).findings if f.code == "similar_actions"]


@pytest.mark.parametrize(
    ("common", "slip", "certainty"),
    [
        ("heat", "Heat", "likely"),
        ("heat", " heat", "likely"),
        ("do nothing", "do_nothing", "likely"),
        ("do nothing", "Donothing", "likely"),
        ("heat", "heaf", "possible"),
        ("heat", "haet", "possible"),
        ("heat", "heeat", "possible"),
        ("heat", "heatt", "possible"),
        ("water plants", "Water plans", "possible"),
    ],
)
def test_a_slip_is_said_with_what_it_looks_like(common, slip, certainty):
    (found,) = slips(with_some(common, slip, 0.02))
    assert found.what == f"the action looks like {common!r}; steps that have it: 10"
    assert (found.where, found.certainty) == (f"action {slip!r}", certainty)
    with pytest.raises(da.InputError, match=f"{slip!r} looks like {common!r}. Rename those"):
        da.append(with_some(common, common, 0.1), with_some(common, slip, 0.1))


@pytest.mark.parametrize(
    ("common", "other"),
    [
        ("R", "r"),
        ("up", "us"),
        ("move n", "move s"),
        ("speed+", "speed-"),
        ("level1", "level2"),
        ("10", "11"),
        ("north", "south"),
        ("vent", "vent all"),
    ],
)
def test_names_that_are_meant_to_differ(common, other):
    assert slips(with_some(common, other, 0.02)) == []
    if other != "vent all":
        with pytest.raises(da.InputError) as refused:
            da.append(with_some(common, common, 0.1), with_some(common, other, 0.1))
        assert "looks like" not in str(refused.value)


def test_a_slip_is_not_also_a_rare_action():
    data = with_some("heat", "Heat", 0.002)
    assert [f.code for f in da.diagnose(data).findings if "action" in f.code] == ["similar_actions"]


def test_as_common_as_the_other_only_case_is_a_slip():
    assert [f.certainty for f in slips(with_some("left", "Left", 0.5))] == ["likely"]
    assert slips(with_some("left", "lift", 0.5)) == []
