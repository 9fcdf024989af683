from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.neighbors.brute_force import BruteForceIndex


def weights_of(distances):
    weights = 1.0 / (distances + 1e-5)
    return weights / weights.sum(axis=1, keepdims=True)


def test_nearest_averages_the_living_core_states(plan, cartpole):
    queries = cartpole.observations[:50] + np.float32(0.01)
    living = np.flatnonzero(~cartpole.terminations)
    features = plan.mdp.encoder.encode(queries)
    rows, distances = BruteForceIndex(plan.mdp.core_features[living]).query(features, 7)
    expected = np.einsum("bk,bka->ba", weights_of(distances), plan.q_values[living[rows]])
    assert np.allclose(plan.policy(k=7).q_values(queries), expected, rtol=1e-12)


def test_lookahead_is_equation_three(plan, cartpole):
    queries = cartpole.observations[:50] + np.float32(0.01)
    features = plan.mdp.encoder.encode(queries)
    expected = np.empty((50, 2))
    for action in range(2):
        members = np.flatnonzero(cartpole.actions == action)
        rows, distances = BruteForceIndex(plan.mdp.source_features[members]).query(features, 3)
        rows = members[rows]
        outcome = cartpole.rewards[rows] - 1.0 * distances + 0.99 * plan.values[rows]
        expected[:, action] = (weights_of(distances) * outcome).sum(axis=1)
    actual = plan.policy(k=3, lookup="lookahead").q_values(queries)
    assert np.allclose(actual, expected, rtol=1e-6)


def test_lookahead_at_a_core_state_is_its_own_q_value(plan):
    core = np.flatnonzero(~plan.mdp.transitions.terminations)[:40]
    queries = plan.mdp.transitions.next_observations[core]
    policy = plan.policy(k=5, lookup="lookahead")
    assert np.allclose(policy.q_values(queries), plan.q_values[core], atol=2 * plan.error)


def test_one_or_many(plan, cartpole):
    policy = plan.policy()
    batch = policy.act(cartpole.observations[:9])
    assert batch.shape == (9,)
    one = policy.act(cartpole.observations[0])
    assert type(one) is int
    assert one == batch[0]
    assert [policy.act(row) for row in cartpole.observations[:9]] == batch.tolist()


def test_greedy_takes_the_largest_q(plan, cartpole):
    policy = plan.policy(lookup="lookahead")
    q_values = policy.q_values(cartpole.observations[:200])
    assert np.array_equal(policy.act(cartpole.observations[:200]), q_values.argmax(axis=1))


def test_epsilon_is_the_share_of_random_actions(plan, cartpole):
    greedy = plan.policy().act(cartpole.observations)
    half = plan.policy(epsilon=0.5).act(cartpole.observations)
    assert 0.2 < (greedy != half).mean() < 0.3


def test_an_action_without_data_is_never_taken(cartpole):
    named = da.Transitions(
        **{name: getattr(cartpole, name) for name in ("observations", "rewards")},
        actions=cartpole.actions,
        next_observations=cartpole.next_observations,
        terminations=cartpole.terminations,
        action_names=("left", "right", "jump"),
    )
    plan = da.compile(named).solve()
    for lookup in ("nearest", "lookahead"):
        policy = plan.policy(lookup=lookup, epsilon=1.0)
        assert set(policy.act(cartpole.observations).tolist()) == {0, 1}
        assert np.isneginf(policy.q_values(cartpole.observations[:3])[:, 2]).all()


def test_where_all_others_are_forbidden_one_action_is_always_taken(model, cartpole):
    policy = model.solve(forbidden_actions=[0]).policy()
    queries = cartpole.observations[:30] + np.float32(0.5)
    assert np.array_equal(policy.act(queries), np.argmax(policy.q_values(queries), axis=1))
    assert (policy.act(queries) == 1).all()
    assert policy.act(queries[0]) == policy.explain(queries[0]).action == 1


def test_stable_baselines_signature(plan, cartpole):
    actions, state = plan.policy(epsilon=0.9).predict(
        cartpole.observations[:30], state=None, episode_start=np.ones(30), deterministic=True
    )
    assert state is None
    assert np.array_equal(actions, plan.policy().act(cartpole.observations[:30]))


def test_uniform_weighting_reaches_the_policy(model, cartpole):
    plan = model.solve(weighting="uniform")
    living = np.flatnonzero(~cartpole.terminations)
    features = model.encoder.encode(cartpole.observations[:20])
    rows, _ = BruteForceIndex(model.core_features[living]).query(features, 4)
    expected = plan.q_values[living[rows]].mean(axis=1)
    assert np.allclose(plan.policy(k=4).q_values(cartpole.observations[:20]), expected)


def test_wrong_shape_is_refused(plan):
    with pytest.raises(da.InputError, match=r"observation must be of shape \(4,\)"):
        plan.policy().act(np.zeros(3))


@pytest.mark.parametrize("lookup", ["nearest", "lookahead"])
def test_far_from_the_data_answers_are_finite_or_refused(plan, lookup):
    policy = plan.policy(lookup=lookup)
    for size in (1e10, 1e20, 1e35):
        observation = np.array([0.0, 0.0, 0.0, size])
        assert np.isfinite(policy.q_values(observation)).all()
        assert policy.support(observation) == 0.0
        assert policy.explain(observation).support == 0.0
    for size in (1e37, 3e38, -1e100, 1e300):
        observation = np.array([0.0, 0.0, 0.0, size])
        for ask in (policy.act, policy.q_values, policy.explain, policy.support, policy.imagine):
            with pytest.raises(da.InputError, match=r"observation must be within \+-1e\+36"):
                ask(observation)


def test_a_policy_by_another_plan(cartpole):
    mdp = da.compile(cartpole, k=3)
    first, second = mdp.solve(gamma=0.9), mdp.solve(gamma=0.99, forbidden_actions=[0])
    seen = cartpole.observations[:50]
    for lookup in ("nearest", "lookahead"):
        policy = first.policy(k=7, lookup=lookup)
        before = policy.q_values(seen)
        policy.explain(seen[0])
        other, fresh = policy.by(second), second.policy(k=7, lookup=lookup)
        assert np.array_equal(other.q_values(seen), fresh.q_values(seen))
        assert str(other.explain(seen[0])) == str(fresh.explain(seen[0]))
        assert np.array_equal(policy.q_values(seen), before)
        assert other.typical_distance == fresh.typical_distance > 0
    with pytest.raises(da.InputError, match="same compiled MDP"):
        policy.by(da.compile(cartpole, k=2).solve())
