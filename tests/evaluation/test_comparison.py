"""Comparing plans against exact linear solves."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mdp.explicit_candidates import random_rows

import deepaveragers as da
from deepaveragers.evaluation.comparing import compare
from deepaveragers.solvers.planned_actions import planned_actions
from deepaveragers.solvers.start_states import start_states


@pytest.fixture(scope="module")
def small(cartpole) -> da.DacMdp:
    return da.compile(cartpole.subset(slice(0, 300)), k=3)


def exact_values(mdp, actions, gamma, cost):
    """Return [N] values of acting so, by one linear solve."""
    size, ended = len(mdp), mdp.transitions.terminations
    matrix, right = np.eye(size), np.zeros(size)
    for s in np.flatnonzero(~ended):
        near, gaps = mdp.graph.indices[s, actions[s]], mdp.graph.distances[s, actions[s]]
        shares = 1.0 / (gaps.astype(float) + 1e-5)
        shares /= shares.sum()
        right[s] = shares @ (mdp.transitions.rewards[near] - cost * gaps)
        np.subtract.at(matrix[s], near, gamma * shares)
    return np.where(ended, 0.0, np.linalg.solve(matrix, right))


@pytest.mark.slow
def test_losses_are_exact(small):
    first = small.solve(gamma=0.95, cost=1.0, tolerance=1e-6)
    second = small.solve(gamma=0.8, cost=30.0, tolerance=1e-6)
    found = compare(first, second)
    starts = start_states(small)
    for plan, other, loss in (
        (first, second, found.first_loss),
        (second, first, found.second_loss),
    ):
        asked = plan.objective
        worth = []
        for guide in (plan, other):
            values = exact_values(small, guide.q_values.argmax(axis=1), asked.gamma, asked.cost)
            taken = starts.q_values(guide.objective, guide.values).argmax(axis=1)
            q_values = starts.q_values(asked, values)
            worth.append(q_values[np.arange(len(taken)), taken].mean())
        assert loss.value == pytest.approx(worth[0], abs=loss.error + 1e-9)
        assert loss.lost == pytest.approx(worth[0] - worth[1], abs=loss.error + 1e-9)
        assert loss.lost > 0.0
        assert loss.impossible == 0


def test_where_plans_differ(small):
    first, second = small.solve(gamma=0.95), small.solve(gamma=0.0, cost=30.0)
    found = compare(first, second)
    living = ~small.transitions.terminations
    differs = first.q_values.argmax(axis=1) != second.q_values.argmax(axis=1)
    assert found.differs.sum() == (differs & living).sum() == sum(found.pairs.values())
    assert (found.first_regret >= 0.0).all()
    assert (found.second_regret[~found.differs] == 0.0).all()
    total = [d.first_regret + d.second_regret for d in found.largest]
    assert total == sorted(total, reverse=True)
    assert "different actions" in str(found)
    assert found.summary()["different"] == found.differs.sum()


def test_a_plan_agrees_with_itself(small):
    plan = small.solve(gamma=0.9)
    found = compare(plan, plan)
    assert found.share == 0.0
    assert found.first_loss.lost == 0.0
    assert found.largest == ()


def test_forbidden_actions_are_counted(small):
    free, bound = small.solve(gamma=0.9), small.solve(gamma=0.9, forbidden_actions=(1,))
    found = compare(free, bound)
    assert found.first_loss.impossible == 0
    assert found.second_loss.impossible == found.differs.sum()
    assert found.second_loss.lost == pytest.approx(0.0, abs=found.second_loss.error)
    assert np.isinf(found.second_regret[found.differs]).all()


@pytest.mark.slow
def test_pictures(small, tmp_path):
    found = compare(small.solve(gamma=0.9), small.solve(gamma=0.9, forbidden_actions=(0,)))
    assert found.picture(tmp_path / "a.png").stat().st_size > 10_000
    assert found.picture(tmp_path / "b.png", columns=(2, 3)).stat().st_size > 10_000
    with pytest.raises(da.InputError, match="columns"):
        found.picture(tmp_path / "c.png", columns=(0, 4))


def test_plans_of_other_mdps_are_refused(small, plan):
    with pytest.raises(da.InputError, match="second"):
        compare(small.solve(), plan)
    with pytest.raises(da.InputError, match="first"):
        compare(small.solve(horizon=3), small.solve())


def test_a_slip_may_hit_what_only_the_other_plan_forbids():
    data = da.collect("CartPole-v1", steps=300, seed=0, show_progress=False)
    mdp = da.compile(data, k=3)
    plan, other = mdp.solve(slip=0.5), mdp.solve(slip=0.5, forbidden_actions=[1])
    loss = plan.compare(other).first_loss
    chances = np.tile([0.75, 0.25], (len(mdp), 1))
    values = da.policy_values(mdp, chances, plan.objective).values
    at_starts = start_states(mdp).q_values(plan.objective, values)
    assert loss.other == pytest.approx(float((at_starts @ [0.75, 0.25]).mean()), abs=1e-3)


def exact_worth(mdp, transitions, asked):
    """Return [N] values of following logged actions [N] in core states, by one linear solve."""
    graph, data, size = mdp.graph, mdp.transitions, len(mdp)
    matrix, right = np.eye(size), np.zeros(size)
    for s in np.flatnonzero(~data.terminations):
        place = graph.transitions[s].tolist().index(transitions[s])
        right[s] = data.rewards[transitions[s]] - asked.cost * graph.gaps[s, place]
        if data.terminations[transitions[s]]:
            continue
        shares = 1.0 / (graph.distances[s, place].astype(float) + 1e-5)
        shares /= shares.sum()
        right[s] -= asked.cost * shares @ graph.distances[s, place]
        np.subtract.at(matrix[s], graph.indices[s, place], asked.gamma * shares)
    return np.where(data.terminations, 0.0, np.linalg.solve(matrix, right))


def test_rows_are_compared_exactly():
    mdp = da.compile(random_rows(3, 60), k=3, candidates=6)
    data = mdp.transitions
    first = mdp.solve(gamma=0.9, cost=0.1, tolerance=1e-7)
    second = mdp.solve(gamma=0.5, cost=2.0, tolerance=1e-7)
    found, ended = first.compare(second), data.terminations
    planned = [planned_actions(plan) for plan in (first, second)]
    rows = [data.actions[one[~ended]].astype(float) for one in planned]
    width = data.actions.max(axis=0) - data.actions.min(axis=0)
    differs = (np.abs(rows[0] - rows[1]) > 0.05 * width).any(axis=1)
    assert np.array_equal(found.differs, differs)
    assert 0.0 < found.share < 1.0
    assert found.pairs == {}
    assert [one.column for one in found.shifts] == list(data.action_names)
    assert [one.mean for one in found.shifts] == pytest.approx((rows[1] - rows[0]).mean(axis=0))
    moved = (rows[1] - rows[0])[:, 0] > 0.05 * width[0]
    assert found.shifts[0].higher == moved.sum()
    starts, asked = start_states(mdp), first.objective
    values = [exact_worth(mdp, one, asked) for one in planned]
    options = starts.options(asked)
    at = [starts.q_values(plan.objective, plan.values).argmax(axis=1) for plan in (first, second)]
    assert (options >= 0).all()
    worth = [
        starts.q_values(asked, value)[np.arange(len(place)), place].mean()
        for value, place in zip(values, at, strict=True)
    ]
    assert found.first_loss.value == pytest.approx(worth[0], abs=1e-4)
    assert found.first_loss.lost == pytest.approx(worth[0] - worth[1], abs=1e-4)
    assert found.first_loss.lost > 0.0
    assert data.action_names[0] in str(found)
    assert found.summary()["shifts"][0]["column"] == data.action_names[0]


def test_the_starts_of_rows_are_worth_what_their_policy_says():
    mdp = da.compile(random_rows(5, 80), k=3, candidates=5)
    starts = start_states(mdp)
    limit = {mdp.transitions.action_names[0]: (None, 0.9)}
    for asked in ({}, {"forbidden_actions": limit}, {"support": 0.7, "worst_case": 0.3}):
        plan = mdp.solve(gamma=0.9, **asked)
        q_values = plan.policy().q_values(starts.observations)
        assert np.array_equal(starts.q_values(plan.objective, plan.values), q_values)


def test_rows_that_are_forbidden_are_counted():
    mdp = da.compile(random_rows(4, 60), k=3, candidates=3)
    name = mdp.transitions.action_names[0]
    free = mdp.solve(gamma=0.9)
    bound = mdp.solve(gamma=0.9, forbidden_actions={name: (-0.6, None)})
    found = free.compare(bound)
    living = ~mdp.transitions.terminations
    options = mdp.graph.transitions
    taken = planned_actions(bound)
    missing = ~(options == taken[:, None]).any(axis=1) & living
    assert missing.any()  # such states have other candidates in the bound plan
    assert found.first_loss.impossible == missing.sum()
    forbidden = mdp.transitions.actions[planned_actions(free), 0] >= -0.6
    assert found.second_loss.impossible >= (forbidden & living).sum()
    assert np.isinf(found.second_regret[forbidden[living] & found.differs]).all()
    assert found.first_loss.lost > 0.0
    with pytest.raises(da.InputError, match="second"):
        free.compare(da.compile(random_rows(9, 60), k=3, candidates=3).solve())
