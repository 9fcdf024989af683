"""The price of distance by default: a rule that units do not change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepaveragers as da
from deepaveragers.data.returns import returns_to_go
from deepaveragers.mdp.problem import pose


def in_units(data, rewards=1.0, columns=1.0):
    """Return the same data with rewards and columns in other units."""
    return da.Transitions(
        observations=np.asarray(data.observations, float) * columns,
        actions=data.actions,
        rewards=data.rewards * rewards,
        next_observations=np.asarray(data.next_observations, float) * columns,
        terminations=data.terminations,
        truncations=data.truncations,
        episode_ids=data.episode_ids,
    )


def walk(seed: int, size: int = 60) -> da.Transitions:
    """A short log with rewards of any sign, two columns, and episodes of ten steps."""
    rng = np.random.default_rng(seed)
    states = rng.normal(size=(size, 2))
    last = np.arange(size) % 10 == 9
    return da.Transitions(
        observations=states,
        actions=rng.integers(0, 2, size),
        rewards=rng.normal(size=size),
        next_observations=np.roll(states, -1, axis=0) + last[:, None],
        terminations=last,
    )


def test_the_rule_by_hand():
    data = walk(0)
    mdp = da.compile(data, 3)
    returns = returns_to_go(data, 0.9)
    spread = np.sqrt(np.square(mdp.source_features).sum(axis=1).mean())
    plan = mdp.solve(gamma=0.9)
    assert plan.objective.cost == pytest.approx(returns.std() / spread)
    same = mdp.solve(gamma=0.9, cost=plan.objective.cost)
    assert np.array_equal(plan.values, same.values)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1_000), st.sampled_from([1e-3, 0.01, 1000.0, 1e6]))
def test_units_of_rewards_change_the_values_only(seed, unit):
    data = walk(seed)
    plain = da.compile(data, 3).solve(tolerance=1e-9)
    scaled = da.compile(in_units(data, rewards=unit), 3).solve(tolerance=1e-9)
    assert scaled.objective.cost == pytest.approx(unit * plain.objective.cost)
    assert np.allclose(scaled.values, unit * plain.values, rtol=1e-6, atol=1e-6 * unit)
    states = np.random.default_rng(1).normal(size=(50, 2))
    clear = np.ptp(plain.policy(5).q_values(states), axis=1) > 1e-6
    same = scaled.policy(5).act(states) == plain.policy(5).act(states)
    assert same[clear].all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1_000), st.tuples(*[st.sampled_from([2.0**-20, 0.5, 1.0, 2.0**30])] * 2))
def test_units_of_columns_change_nothing(seed, units):
    data = walk(seed)
    plain = da.compile(data, 3).solve()
    scaled = da.compile(in_units(data, columns=np.array(units)), 3).solve()
    assert np.array_equal(plain.values, scaled.values)
    assert np.array_equal(plain.q_values, scaled.q_values)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1_000), st.sampled_from([2.0**-20, 2.0**10]))
def test_raw_features_may_be_in_any_common_unit(seed, unit):
    data = walk(seed)
    objective = da.Objective(weighting="uniform")
    plain = da.compile(data, 3, da.Identity()).solve(objective)
    scaled = da.compile(in_units(data, columns=unit), 3, da.Identity()).solve(objective)
    assert scaled.objective.cost == pytest.approx(plain.objective.cost / unit)
    assert np.allclose(plain.values, scaled.values, rtol=1e-5, atol=1e-6)


def test_a_number_stays_the_papers_cost(model):
    assert pose(model, da.Objective(cost=1.0)).cost == 1.0
    assert model.solve(cost=2.5).objective.cost == 2.5


def test_equal_returns_and_equal_states_have_a_cost_too():
    data = walk(0)
    ones = np.ones(len(data))
    assert da.compile(data, 3).solve(gamma=0.0, rewards=ones).objective.cost > 0.0
    assert da.compile(data, 3).solve(rewards=0.0 * ones).objective.cost == 0.0
    alike = in_units(data, columns=0.0)
    assert da.compile(alike, 3).solve().objective.cost == 0.0


def test_the_plan_keeps_its_cost_when_saved(tmp_path, model):
    plan = model.solve()
    da.save(plan, tmp_path / "plan")
    assert da.load(tmp_path / "plan").objective.cost == plan.objective.cost


def rows_of(data, rows, **changes):
    """Return some rows of the data, in the order given."""
    columns = ("observations", "actions", "rewards", "next_observations", "terminations")
    names = (*columns, "truncations", "episode_ids")
    given = {name: getattr(data, name)[rows] for name in names}
    return da.Transitions(**given, **changes)


@pytest.mark.parametrize("timed", [False, True])
def test_the_order_of_rows_does_not_matter(timed):
    data = walk(3)
    rng, rows = np.random.default_rng(0), np.arange(60)
    side_by_side = np.argsort(rows % 10, kind="stable")
    order = rng.permutation(rows) if timed else side_by_side
    moved = rows_of(data, order, **({"times": order} if timed else {}))
    expected = da.compile(data, 3).solve(gamma=0.9)
    found = da.compile(moved, 3).solve(gamma=0.9)
    assert found.objective.cost == pytest.approx(expected.objective.cost)
    assert found.best_logged_return == pytest.approx(expected.best_logged_return)
    assert np.allclose(found.values, expected.values[order], atol=1e-2)
