"""The doctor tells codes for 'missing' and faults from ordinary columns."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da

ROWS = 4_000
KINDS = ("missing_value_code", "outlier")


def logged(column, **changes):
    """Return one long episode with that column beside an ordinary one."""
    random = np.random.default_rng(0)
    states = np.column_stack([random.normal(size=len(column)), column])
    fields = {
        "observations": states[:-1],
        "next_observations": states[1:].copy(),
        "actions": random.integers(2, size=len(states) - 1),
        "rewards": random.normal(size=len(states) - 1),
        "terminations": np.zeros(len(states) - 1, bool),
        "episode_ids": np.zeros(len(states) - 1, int),
    }
    return da.Transitions(**fields | changes)


def found(data):
    return [finding for finding in da.diagnose(data).findings if finding.code in KINDS]


def humidity(size=ROWS):
    return np.round(np.random.default_rng(1).uniform(16.0, 98.0, size), 1)


@pytest.mark.slow
@pytest.mark.parametrize("code", [-1, -9, -99, -999, -9999, -99999, 999, 9999, 1e9])
@pytest.mark.parametrize("share", [0.002, 0.01, 0.05, 0.2, 0.6])
def test_codes_are_found_however_often_they_are_there(code, share):
    column = humidity()
    coded = np.random.default_rng(2).random(ROWS) < share
    column[coded] = code
    (finding,) = found(logged(column))
    assert finding.code == "missing_value_code"
    assert f"exactly {code:g}, apart" in finding.what
    assert finding.where.startswith("column 1, the others in 16 .. 98")
    assert finding.where.endswith(f"row {np.flatnonzero(coded)[0]}")


def test_one_code_is_enough_if_it_is_a_usual_one():
    column = humidity()
    column[40] = -999.0
    (finding,) = found(logged(column))
    assert (finding.code, finding.certainty) == ("missing_value_code", "possible")


def test_several_codes_in_one_column_are_all_found():
    column = humidity()
    column[::50], column[1::50], column[2::50] = -9999.0, -999.0, 9999.0
    whats = [finding.what for finding in found(logged(column))]
    assert {what.split()[5] for what in whats} == {"-9999,", "-999,", "9999,"}


def test_a_code_in_the_last_state_only():
    column = humidity()
    column[-1] = -999.0
    (finding,) = found(logged(column))
    assert finding.where.endswith(f"s' of row {ROWS - 2}")


def ordinary():
    """Yield names and columns that look like codes, and are none."""
    random = np.random.default_rng(3)
    wave = random.normal(size=ROWS)
    yield "flag", (random.random(ROWS) < 0.01).astype(float)
    yield "flag of -1", np.where(random.random(ROWS) < 0.01, -1.0, 1.0)
    yield "flag of 999", np.where(random.random(ROWS) < 0.3, 999.0, 0.0)
    yield "sign", np.sign(np.round(wave))
    yield "constant", np.full(ROWS, -999.0)
    yield "saturated", np.clip(wave, -1.0, 1.0)
    yield "saturated at one end", np.maximum(wave, -1.0)
    yield "saturated at 999", np.minimum(999.0, 900.0 + 80.0 * wave)
    yield "whole numbers to 99", random.integers(0, 100, ROWS).astype(float)
    yield "whole numbers from -1", random.integers(-1, 30, ROWS).astype(float)
    yield "whole numbers from -9", random.integers(-9, 10, ROWS).astype(float)
    yield "whole numbers beyond 999", random.integers(0, 1200, ROWS).astype(float)
    yield "labels with 99", random.choice([1.0, 5.0, 20.0, 99.0], ROWS)
    yield "counts", random.geometric(0.05, ROWS).astype(float)
    yield "mostly zero", np.where(random.random(ROWS) < 0.97, 0.0, random.random(ROWS))
    yield "t3", random.standard_t(3, ROWS)
    yield "rounded t3", np.round(random.standard_t(3, ROWS))
    yield "two clouds", np.where(random.random(ROWS) < 0.5, wave, wave + 15.0)


@pytest.mark.parametrize("name", dict(ordinary()))
def test_ordinary_columns_are_no_alarm(name):
    assert found(logged(dict(ordinary())[name])) == []


def far_successor(value, row):
    """Return an episode in which that s' has one value far out, and no s has it."""
    data = logged(np.random.default_rng(4).normal(size=ROWS))
    later = np.array(data.next_observations)
    later[row, 1] = value
    return logged(np.append(data.observations[:, 1], 0.0), next_observations=later)


@pytest.mark.parametrize("value", [300.0, -1e6, 1e30])
def test_a_last_state_far_out_is_named(value):
    (finding,) = found(far_successor(value, -1))
    assert finding.code == "outlier"
    assert finding.what.endswith(f"as far as {value:g}")
    assert finding.where.startswith("column 1, ")
    assert finding.where.endswith(f"s' of row {ROWS - 2}")


@pytest.mark.parametrize("value", [-1e6, 1e30])
def test_a_successor_far_out_inside_an_episode_is_named(value):
    (finding,) = found(far_successor(value, 77))
    assert finding.what == f"s' is {value:g}, absurdly far from every s"
    assert finding.where == "row 77, column 1"


def test_terminal_states_may_lie_anywhere():
    ended = np.arange(ROWS - 1) == ROWS - 2
    data = far_successor(1e6, -1)
    assert (
        found(
            logged(
                np.append(data.observations[:, 1], 0.0),
                next_observations=data.next_observations,
                terminations=ended,
            )
        )
        == []
    )
