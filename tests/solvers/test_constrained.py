"""Plans with a budget against the linear programme over occupancy measures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.solvers.explicit import Explicit, random_mdp

import deepaveragers as da
from deepaveragers.solvers import constrained_search
from deepaveragers.solvers.constrained import solve_constrained
from deepaveragers.solvers.start_states import start_states


def table_of(mdp, objective):
    """Return {state: {action: [(share, reward, distance, successor)]}}; starts follow the rest."""
    starts = start_states(mdp)
    indices = np.concatenate([mdp.graph.indices, starts.indices])
    distances = np.concatenate([mdp.graph.distances, starts.distances])
    ended = np.append(mdp.transitions.terminations, np.zeros(len(starts.rows), bool))
    table = {}
    for s in np.flatnonzero(~ended):
        table[s] = {}
        for a in range(indices.shape[1]):
            near = [(float(d), int(i)) for i, d in zip(indices[s, a], distances[s, a]) if i >= 0]
            if near and a not in objective.forbidden_actions:
                shares = np.array([1.0 / (d + 1e-5) for d, _ in near])
                shares /= shares.sum()
                table[s][a] = [
                    (p, mdp.transitions.rewards[i], d, i) for p, (d, i) in zip(shares, near)
                ]
    return table, len(starts.rows)


def linear_programme(mdp, signal, objective):
    """Return the optimum over occupancy measures as a function of the budget, and the least one."""
    table, count = table_of(mdp, objective)
    pairs = [(s, a) for s, row in table.items() for a in row]
    place = {s: n for n, s in enumerate(table)}
    gain, spent = np.zeros(len(pairs)), np.zeros(len(pairs))
    flow, inflow = np.zeros((len(table), len(pairs))), np.zeros(len(table))
    for s, n in place.items():
        inflow[n] = 1.0 / count if s >= len(mdp) else 0.0
    for n, (s, a) in enumerate(pairs):
        flow[place[s], n] += 1.0
        for share, reward, distance, i in table[s][a]:
            gain[n] += share * (reward - objective.cost * distance)
            spent[n] += share * (distance if isinstance(signal, str) else signal[i])
            if i in place:
                flow[place[i], n] -= objective.gamma * share
    size, bulk = np.abs(gain).max(), np.abs(spent).max()
    limits = {"A_eq": flow, "b_eq": inflow, "method": "highs-ds"}

    def optimum(budget):
        found = linprog(-gain / size, A_ub=spent[None] / bulk, b_ub=[budget / bulk], **limits)
        assert found.status == 0, found.message
        return -found.fun * size

    least = linprog(spent / bulk, **limits)
    assert least.status == 0, least.message
    return optimum, least.fun * bulk


@example(512, 0.5, 0.0, True, "missing")
@example(6144, 0.9, 0.0, False, "plain")  # small rewards, large costs
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.5, 0.9, 0.97]),
    st.floats(0.0, 1.2),
    st.booleans(),
    st.sampled_from(["plain", "missing", "terminal", "negative"]),
)
def test_the_optimum_is_that_of_the_linear_programme(seed, gamma, part, by_distance, kind):
    mdp = random_mdp(seed, 14, 3, 2, kind)
    rng = np.random.default_rng(seed)
    signal = "distance" if by_distance else rng.normal(size=14)
    objective = da.Objective(gamma=gamma, cost=0.5)
    free = solve_constrained(mdp, signal, 1e9, objective)
    optimum, least = linear_programme(mdp, signal, objective)
    budget = least + part * (free.signal - least) + 1e-4 * (1.0 + abs(least))
    best = optimum(budget)
    found = solve_constrained(mdp, signal, budget, objective, tolerance=1e-4)
    slack = 1e-6 * (1.0 + abs(best))
    assert found.status == "optimal"
    assert found.value <= best + slack
    assert best <= found.upper + slack
    assert found.signal <= budget + 1e-9 * (1.0 + abs(budget))
    assert 0.0 <= found.share <= 1.0
    assert found.safe_value <= found.value + slack


def test_a_loose_budget_changes_nothing():
    mdp = random_mdp(3, 20, 2, 3)
    plan = mdp.solve(gamma=0.9, tolerance=1e-6)
    found = solve_constrained(mdp, "distance", 1e9, da.Objective(gamma=0.9))
    assert found.bold is None
    assert found.share == found.multiplier == 0.0
    assert np.abs(found.safe.values - plan.values).max() <= found.safe.error + plan.error


def test_forbidden_actions_and_slips_are_kept():
    mdp = random_mdp(5, 20, 3, 3)
    objective = da.Objective(gamma=0.9, cost=1.0, forbidden_actions=(1,))
    signal = np.random.default_rng(0).random(20)
    optimum, least = linear_programme(mdp, signal, objective)
    best = optimum(1.1 * least)
    found = solve_constrained(mdp, signal, 1.1 * least, objective, tolerance=1e-4)
    assert found.value - 1e-6 <= best <= found.upper + 1e-6
    living = ~mdp.transitions.terminations
    assert (found.safe.q_values[living].argmax(axis=1) != 1).all()


def test_certainty_of_start_values():
    mdp = random_mdp(8, 25, 2, 3)
    objective = da.Objective(gamma=0.9, cost=1.0)
    values = Explicit(mdp, objective).optimum()
    starts = start_states(mdp)
    table, count = table_of(mdp, objective)
    exact = [
        max(
            sum(p * (r - d + 0.9 * values[i]) for p, r, d, i in row)
            for row in table[len(mdp) + s].values()
        )
        for s in range(count)
    ]
    assert np.allclose(starts.q_values(objective, values).max(axis=1), exact)


@pytest.mark.parametrize("gamma", [0.999999, 0.9999999])
def test_only_the_tolerance_that_was_given_can_be_too_small(gamma):
    mdp, signal = random_mdp(3, 20, 3, 2), np.random.default_rng(0).random(20)
    asked = (mdp, signal, 0.4 / (1.0 - gamma), da.Objective(gamma=gamma, cost=0.5))
    found = solve_constrained(*asked, tolerance=1e-5)
    assert found.status == "optimal"
    with pytest.raises(da.InputError, match="received 1e-12"):
        solve_constrained(*asked, tolerance=1e-12)


@pytest.mark.parametrize(
    ("fields", "parameter"),
    [
        ({"signal": "danger", "budget": 1.0}, "signal"),
        ({"signal": [1.0], "budget": 1.0}, "signal"),
        ({"signal": np.ones(20), "budget": 0.1}, "budget"),
        ({"signal": "distance", "budget": float("nan")}, "budget"),
        ({"signal": "distance", "budget": 1.0, "tolerance": 0.0}, "tolerance"),
        ({"signal": "distance", "budget": 1.0, "objective": da.Objective(horizon=3)}, "objective"),
    ],
)
def test_wrong_questions_are_refused(fields, parameter):
    with pytest.raises(da.InputError, match=parameter):
        solve_constrained(random_mdp(0, 20, 3, 3), **fields)


def test_an_interruption_ends_the_search(monkeypatch):
    mdp, signal = random_mdp(3, 20, 3, 2), np.random.default_rng(0).random(20)
    asked = []

    def interrupted(*given, **options):
        asked.append(options)
        return replace(mdp.solve(), status="interrupted", below=1e9)

    monkeypatch.setattr(constrained_search, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solve_constrained(mdp, signal, 1.0)
    assert len(asked) == 1
