"""The plan that does what the network of the representation would do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from tests.solvers.test_one_step import episodes

import deepaveragers as da
from deepaveragers.representation.own_policy import OwnPolicy

SMALL = {"hidden": (32, 8), "learning_rate": 1e-3, "target_every": 50, "show_progress": False}


@pytest.fixture(scope="module")
def network():
    return da.train_bcq(episodes(cut=True), 200, representation="both", **SMALL)


@pytest.fixture(scope="module")
def model(network):
    return da.compile(episodes(cut=True), k=4, encoder=network)


def own(network, share):
    """Return the network as it acts: its threshold is the share, unless that is 0."""
    return replace(network, threshold=share or network.threshold).policy()


def test_both_heads_are_the_representation(network):
    states = episodes().observations
    features = network.encode(states)
    assert features.shape == (320, network.dimensions) == (320, 16)
    for head, part in (("imitation", features[:, :8]), ("q", features[:, 8:])):
        assert np.array_equal(replace(network, head=head).encode(states), part)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 1.0])
def test_the_representation_tells_what_the_network_does(network, share):
    states = episodes(3).observations
    found = network.own_policy(share)
    features = network.encode(states)
    assert np.array_equal(found.actions(features), own(network, share).act(states))
    assert (found.taken(features).sum(axis=1) == 1).all()


def test_a_dqn_acts_by_its_representation_too():
    data = episodes()
    network = da.train_dqn(data, 50, **SMALL)
    found = network.own_policy().actions(network.encode(data.observations))
    assert np.array_equal(found, network.policy().act(data.observations))
    with pytest.raises(da.InputError, match="support must be 0 where the network does not imitate"):
        network.own_policy(0.3)


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_values_are_those_of_the_networks_actions(model, network, share):
    plan = da.solve_own_policy(model, gamma=0.9, support=share, tolerance=1e-9)
    taken = own(network, share).act(model.transitions.next_observations)
    asked = da.Objective(gamma=0.9)
    value = da.policy_values(model, np.eye(2)[taken], asked, tolerance=1e-9)
    assert np.allclose(plan.values, value.values, atol=1e-6)
    living = ~model.transitions.terminations
    assert np.array_equal(np.argmax(plan.q_values[living], axis=1), taken[living])


def test_the_policy_acts_as_the_network(model, network):
    plan = da.solve_own_policy(model, support=0.3)
    assert plan.lookup == "network"
    states = episodes(5).observations
    acted = plan.policy(k=31).act(states)
    assert np.array_equal(acted, own(network, 0.3).act(states))
    # With one neighbour, which may do something else, what it does is done.
    near = plan.policy(k=1).q_values(states)
    assert np.isfinite(near).sum(axis=1).tolist() == [1] * len(states)


def test_another_plan_is_followed_with_its_own_support(model):
    alike, own_plan = (da.solve_own_policy(model, support=share) for share in (1.0, 0.3))
    states = episodes(5).observations
    turned = alike.policy(k=31).by(own_plan)
    assert np.array_equal(turned.act(states), own_plan.policy(k=31).act(states))


def test_it_is_saved_and_loaded_without_the_log_and_with_it(model, tmp_path):
    plan = da.solve_own_policy(model, support=0.3)
    policy, states = plan.policy(k=31), episodes(7).observations
    da.save(policy, tmp_path / "policy")
    da.save(plan, tmp_path / "plan")
    alone, whole = da.load(tmp_path / "policy"), da.load(tmp_path / "plan").policy(k=31)
    for loaded in (alone, whole):
        assert np.array_equal(loaded.q_values(states), policy.q_values(states))
        assert np.array_equal(loaded.act(states), policy.act(states))
    assert alone.digest == whole.compact().digest
    assert alone.digest != da.solve_own_policy(model).policy(k=31).compact().digest


def test_explanations_say_that_the_network_chose_and_what_the_log_says_of_it(model):
    policy = da.solve_own_policy(model, support=0.3).policy(k=31)
    decision = policy.explain(episodes(8).observations[0])
    assert decision.network
    assert "(chosen by the network)" in str(decision)
    assert "not the network's choice" in str(decision)
    assert "chosen by the network" in decision._repr_html_()
    assert "The network of the representation chose the action" in decision.decomposition()
    shares = sum(one.share for one in decision.evidence)
    assert shares == pytest.approx(decision.q_values[decision.best])
    assert decision.alternative is None
    assert policy.thinned(100).agreement.same > 0.7


def test_what_cannot_act_is_refused(model):
    data = episodes()
    plain = da.compile(data, k=4)
    with pytest.raises(da.InputError, match="lookup must be 'network' only where the repres"):
        da.solve_own_policy(plain)
    with pytest.raises(da.InputError, match="Compile with train_bcq"):
        plain.solve().policy(lookup="network")
    narrow = da.compile(data, k=4, encoder=da.train_bcq(data, 5, **SMALL))
    with pytest.raises(da.InputError, match="representation must be 'both' to act by it"):
        da.solve_own_policy(narrow)
    with pytest.raises(da.InputError, match="left out: the network decides"):
        da.solve_own_policy(model, forbidden_actions=[0])
    with pytest.raises(da.InputError, match="one_step must be False where the network acts"):
        da.Candidate(lookup="network", one_step=True)
    for wrong in (np.zeros((2, 3), np.float32), np.full((2, 3), np.nan), np.zeros(3)):
        with pytest.raises(da.InputError, match="values must be"):
            OwnPolicy(wrong)
