"""Questions at the edge: batches of nothing, masked observations, futures without end."""

from __future__ import annotations

import numpy as np
import pytest

import deepaveragers as da


@pytest.fixture(scope="module", params=["nearest", "lookahead"])
def policy(request, plan):
    return plan.policy(5, request.param)


@pytest.mark.parametrize("nothing", [np.empty((0, 4)), np.empty((0, 4), np.float32), []])
def test_an_empty_batch_has_an_empty_answer(policy, nothing):
    assert policy.act(nothing).shape == (0,)
    assert policy.act(nothing).dtype.kind == "i"
    assert policy.predict(nothing)[0].shape == (0,)
    assert policy.q_values(nothing).shape == (0, 2)
    assert policy.support(nothing).shape == (0,)


def test_an_empty_table_has_an_empty_answer(plan):
    names = plan.mdp.transitions.observation_names or ()
    if names:
        nothing = {name: np.empty(0) for name in names}
        assert plan.policy().act(nothing).shape == (0,)


def test_a_policy_that_falls_back_or_explores_has_nothing_to_do_either(plan):
    for options in ({"epsilon": 0.5}, {"support_threshold": 0.5, "fallback": 0}):
        assert plan.policy(**options).act(np.empty((0, 4))).shape == (0,)


@pytest.mark.parametrize("shape", [(0, 3), (0, 4, 1), (3, 0)])
def test_nothing_of_another_shape_is_refused(policy, shape):
    with pytest.raises(da.InputError, match="observation"):
        policy.act(np.empty(shape))


def test_one_observation_is_needed_for_an_explanation(policy):
    with pytest.raises(da.InputError, match="one observation"):
        policy.explain(np.empty((0, 4)))


def test_masked_observations_are_refused(policy, cartpole):
    row = np.ma.masked_array(cartpole.observations[0], mask=[False, True, False, False])
    for ask in (policy.act, policy.q_values, policy.support, policy.explain):
        with pytest.raises(da.InputError, match="observation must be without masked entries"):
            ask(row)
    whole = np.ma.masked_array(cartpole.observations[:3], mask=False)
    assert np.array_equal(policy.act(whole), policy.act(cartpole.observations[:3]))


def test_a_future_that_repeats_itself_ends(plan, cartpole):
    """CartPole's plan keeps the pole up: its most likely future comes back to where it was."""
    policy = plan.policy()
    for row in range(0, 3_000, 300):
        path = policy.imagine(cartpole.observations[row], 10**12)
        rows = [step.transition for step in path]
        assert len(set(rows)) == len(rows) <= len(cartpole)
        assert path[-1].ends != path[-1].repeats
        assert not any(step.ends or step.repeats for step in path[:-1])
        assert policy.imagine(cartpole.observations[row], 2) == path[:2] or len(path) <= 2


def test_candidates_of_several_lookups():
    one = da.candidate_grid(k=(1,), cost=(1.0,), k_pi=(5,), lookup="lookahead")
    assert [each.lookup for each in one] == ["lookahead"]
    both = da.candidate_grid(k=(1,), cost=(1.0,), k_pi=(5,), lookup=("nearest", "lookahead"))
    assert [each.lookup for each in both] == ["nearest", "lookahead"]
    for wrong in ("far", 3, [], ["far"]):
        with pytest.raises(da.InputError, match="lookup"):
            da.candidate_grid(lookup=wrong)
    with pytest.raises(da.InputError, match="lookup"):
        da.candidate_grid(lokup="nearest")
