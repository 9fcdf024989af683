from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import deepaveragers as da

OBJECTIVES = {
    "plain": {},
    "uniform": {"weighting": "uniform", "k": 3},
    "worst case": {"worst_case": 0.4},
    "slip": {"slip": 0.2},
    "penalties": {"action_penalties": [0.3, 0.0]},
    "adaptive": {"penalty": "adaptive"},
    "forbidden": {"forbidden_actions": [1]},
}


@pytest.mark.parametrize("lookup", ["nearest", "lookahead"])
@pytest.mark.parametrize("case", OBJECTIVES)
def test_shares_and_parts_add_up_to_the_q_value(case, lookup, model, cartpole):
    plan = model.solve(gamma=0.95, **OBJECTIVES[case])
    policy = plan.policy(k=7, lookup=lookup)
    for row in range(0, 300, 37):
        observation = cartpole.observations[row] + np.float32(0.01)
        decision = policy.explain(observation)
        best = max(decision.q_values.values())
        assert best == policy.q_values(observation).max()
        assert sum(e.share for e in decision.evidence) == pytest.approx(best, abs=1e-6)
        assert sum(e.weight for e in decision.evidence) == pytest.approx(1.0)
        total = decision.reward + decision.future - decision.penalty
        assert total == pytest.approx(best, abs=1e-9)
        assert decision.action == policy.act(observation)


def test_parts_mean_what_they_say(plan, cartpole):
    """CartPole pays 1 a step, so the expected reward is 1 and the rest is future and price."""
    for lookup in ("nearest", "lookahead"):
        decision = plan.policy(lookup=lookup).explain(cartpole.observations[5])
        assert decision.reward == pytest.approx(1.0)
        assert 0.0 <= decision.penalty < 1.0
        assert decision.future <= 0.99 * (plan.values.max() + 1e-9) + 2 * plan.error


def test_evidence_cites_real_transitions(plan, cartpole):
    decision = plan.policy(k=5, lookup="lookahead").explain(cartpole.observations[40])
    for evidence in decision.evidence:
        row = evidence.transition
        assert cartpole.actions[row] == decision.action
        assert cartpole.episode_ids[row] == evidence.episode
        assert cartpole.episode_ids[row - evidence.step] == evidence.episode
        start = row - evidence.step
        assert start == 0 or cartpole.episode_ids[start - 1] != evidence.episode
    assert str(decision.evidence[0].transition) in decision.decomposition()


@pytest.mark.parametrize(
    ("lookup", "words"), [("nearest", "led to states"), ("lookahead", "took the best action")]
)
def test_the_text_says_what_its_rows_are_and_shows_their_action(plan, cartpole, lookup, words):
    decision = plan.policy(k=7, lookup=lookup).explain(cartpole.observations[40])
    for evidence in decision.evidence:
        logged = cartpole.actions[evidence.transition]
        assert evidence.action == cartpole.action_names[logged]
    head, *rows = decision.decomposition().split("logged action")
    assert words in " ".join(head.split())
    shown = rows[0].splitlines()[1:]
    assert [row.split()[5] for row in shown] == [e.action for e in decision.evidence]
    assert decision.summary()["basis"] == decision.basis


def test_support_falls_with_distance(plan, cartpole):
    policy = plan.policy()
    inside = policy.support(cartpole.observations).mean()
    outside = policy.support(cartpole.observations + np.float32(50.0))
    assert inside > 0.4
    assert (outside == 0.0).all()
    assert policy.explain(np.full(4, 50.0)).unlike
    assert not policy.explain(cartpole.observations[100]).unlike


def test_thin_support_falls_back(plan, cartpole):
    policy = plan.policy(support_threshold=0.01, fallback=1)
    far = cartpole.observations[:50] + np.float32(50.0)
    assert (policy.act(far) == 1).all()
    assert policy.explain(far[0]).abstained
    by_function = plan.policy(support_threshold=0.01, fallback=lambda rows: np.zeros(len(rows)))
    assert (by_function.act(far) == 0).all()
    near = cartpole.observations[policy.support(cartpole.observations) > 0.5]
    assert np.array_equal(policy.act(near), plan.policy().act(near))
    with pytest.raises(da.InputError, match="given together"):
        plan.policy(support_threshold=0.1)


@pytest.mark.parametrize("lookup", ["nearest", "lookahead"])
def test_imagination_follows_logged_transitions(plan, cartpole, lookup):
    path = plan.policy(lookup=lookup).imagine(cartpole.observations[0], steps=12)
    assert 1 <= len(path) <= 12
    for step in path:
        assert step.action == cartpole.action_names[cartpole.actions[step.transition]]
        assert step.reward == cartpole.rewards[step.transition]
        assert step.value == plan.values[step.transition]
    for before, after in pairwise(path):
        assert not before.ends
        action = int(np.argmax(plan.q_values[before.transition]))
        assert after.transition == plan.mdp.graph.indices[before.transition, action, 0]
