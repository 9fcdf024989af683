"""One-step data, in which every row ends: from the log to a decision, and what it is worth."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import deepaveragers as da

ACTIONS = ("red", "green", "blue")


def chances_of(states, strength):
    scores = np.exp(strength * states)
    return scores / scores.sum(axis=1, keepdims=True)


def click_rates(states):
    """Return [N, 3], how likely each action earns 1."""
    return 1.0 / (1.0 + np.exp(1.0 - 2.0 * np.roll(states, 1, axis=1)))


def clicks(count, strength=1.0, seed=0):
    """Return a log of a policy that chooses by chance, with its propensities."""
    random = np.random.default_rng(seed)
    states = random.normal(size=(count, 3))
    chances = chances_of(states, strength)
    actions = (random.random((count, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    rows = np.arange(count)
    return da.Transitions(
        observations=states,
        actions=actions,
        rewards=random.random(count) < click_rates(states)[rows, actions],
        next_observations=states,
        terminations=np.ones(count, dtype=bool),
        episode_ids=[f"visit {row}" for row in rows],
        action_names=ACTIONS,
        observation_names=("x", "y", "z"),
        propensities=chances[rows, actions],
    )


@pytest.fixture(scope="module")
def log():
    return clicks(2_000)


@pytest.fixture(scope="module")
def one_step_plan(log):
    return da.compile(log, 15).solve(gamma=0.9, cost=0.1)


def test_the_lookup_is_chosen_and_decisions_are_better_than_the_log(log, one_step_plan):
    policy = one_step_plan.policy(k=15)
    assert policy.lookup == "lookahead"
    fresh = clicks(4_000, seed=1)
    actions = policy.act(fresh.observations)
    rates = click_rates(fresh.observations)
    assert rates[np.arange(4_000), actions].mean() > fresh.rewards.mean() + 0.1
    assert policy.support(fresh.observations).mean() > 0.3
    assert policy.support([50.0, 0.0, 0.0]) == 0.0


def test_a_decision_is_explained(log, one_step_plan):
    decision = one_step_plan.policy(k=15).explain({"z": 0.0, "y": 0.0, "x": 2.0})
    assert decision.action_name == "green"
    assert decision.future == pytest.approx(0.0, abs=1e-9)
    for case in decision.cases:
        assert (case.steps_after, case.ending, case.earned) == (0, "terminated", case.reward)
        assert case.columns[0].after is None
        assert case.episode == f"visit {case.transition}"
    assert "terminated at once" in str(decision)


@pytest.mark.slow
def test_fit_and_comparison_work(log, one_step_plan, tmp_path):
    grid = da.candidate_grid(k=(5,), cost=(0.1,), k_pi=(1, 15))
    chosen = da.fit(log, grid, gamma=0.9, time_budget=20, show_progress=False)
    assert chosen.policy.lookup == "lookahead"
    assert chosen.candidate.k_pi == 15
    careful = one_step_plan.mdp.solve(gamma=0.9, cost=50.0)
    compared = one_step_plan.compare(careful)
    assert len(compared.states) == len(log)
    assert 0.0 < compared.share < 1.0
    assert compared.first_loss.lost > 0.0
    assert set(compared.largest[0].observation) == {"x", "y", "z"}
    assert compared.picture(tmp_path / "a.svg", ("x", "z")).exists()


def test_the_guarantee_holds_where_it_can_be_checked():
    """Rewards without chance: the planned values less their optimism are really earned."""
    noisy = clicks(1_500)
    rates = click_rates(noisy.observations)
    sure = dataclasses.replace(noisy, rewards=rates[np.arange(1_500), noisy.actions])
    mdp = da.compile(sure, 1, encoder=da.Identity())
    # The logistic curve rises by at most 1/4 per unit of its argument, which is twice a state's.
    bound = da.guarantee(mdp.solve(gamma=0.9, cost=0.0), lipschitz=0.5, deterministic=True)
    assert bound.optimism == pytest.approx(0.5 * bound.distance_planned_max)
    others = np.argsort(np.linalg.norm(sure.observations[0] - sure.observations, axis=1))[1:]
    nearest = next(row for row in others if sure.actions[row] == sure.actions[0])
    assert bound.distance_max >= np.linalg.norm(
        sure.observations[0] - sure.observations[nearest]
    ) * (1 - 1e-6)
    assert bound.mean_lower_bound < rates.max(axis=1).mean()
    assert not da.guarantee(mdp.solve(cost=0.5), lipschitz=0.5, deterministic=True).vacuous
    assert set(bound.thinnest[0].observation) == {"x", "y", "z"}


def test_the_doctor_knows_one_step_data(log):
    codes = {finding.code: finding for finding in da.diagnose(log).findings}
    assert codes["one_step"].certainty == "possible"
    assert "done_everywhere" not in codes


def test_the_interval_covers_the_click_rate_of_another_policy():
    """Of logs of one policy, 95 % intervals for another one; its true rate is known."""
    random = np.random.default_rng(9)
    states = random.normal(size=(200_000, 3))
    truth = (chances_of(states, -0.5) * click_rates(states)).sum(axis=1).mean()
    covered, widths = 0, []
    for seed in range(60):
        data = clicks(800, seed=seed)
        found = da.importance_value(data, chances_of(data.observations, -0.5), gamma=1.0)
        covered += found.low <= truth <= found.high
        widths.append(found.high - found.low)
    assert covered >= 53
    assert np.mean(widths) < 0.2


def test_the_value_of_the_logging_policy_is_its_mean_reward(log):
    found = da.importance_value(log, chances_of(log.observations, 1.0))
    assert found.value == pytest.approx(log.rewards.mean())
    assert found.episodes == pytest.approx(len(log))
    by_logged = da.importance_value(log, log.propensities)
    assert by_logged == found


def test_a_policy_made_of_other_data_is_valued(log, one_step_plan):
    fresh = clicks(3_000, seed=5)
    policy = one_step_plan.policy(k=15)
    found = da.importance_value(fresh, policy)
    rates = click_rates(fresh.observations)[np.arange(3_000), policy.act(fresh.observations)]
    assert found.low <= rates.mean() <= found.high


def test_propensities_are_needed(log):
    with pytest.raises(da.InputError, match="propensities of all logged actions; received none"):
        da.importance_value(dataclasses.replace(log, propensities=None), log.propensities)
    partly = np.where(np.arange(len(log)) == 3, np.nan, log.propensities)
    with pytest.raises(da.InputError, match="received 1 unknown ones"):
        da.importance_value(dataclasses.replace(log, propensities=partly), log.propensities)
