"""Networks' own policies as candidates: made, judged, chosen, saved and explained like plans."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import deepaveragers as da
from deepaveragers.evaluation.fitting.defaults import default_candidates
from deepaveragers.evaluation.fitting.making import Maker

from .worlds import GAMMA, corridor

OWN = da.Candidate(da.Objective(gamma=GAMMA, support=0.3), encoder="bcq", lookup="network", k_pi=31)
ALIKE = replace(OWN, objective=da.Objective(gamma=GAMMA, support=1.0))


@pytest.fixture(scope="module", autouse=True)
def quick():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("deepaveragers.evaluation.fitting.making.BCQ_UPDATES", (600, 600))
        yield


@pytest.fixture(scope="module")
def log():
    return corridor(120, right=0.8, cut=10_000)


@pytest.fixture(scope="module")
def found(log):
    return da.fit(log, [OWN, ALIKE], gamma=GAMMA, time_budget=30.0, show_progress=False)


def test_a_network_is_judged_and_chosen_like_a_plan(found):
    assert found.policy.lookup == found.plan.lookup == "network"
    assert all(np.isfinite(one.score) for one in found.judged)
    assert (found.policy.act(np.arange(1.0, 12.0)[:, None]) == 1).mean() > 0.8
    assert found.cases(np.array([3.0]))[0].cases > 0
    assert "chosen by the network" in str(found.policy.explain(np.array([3.0])))


def test_what_was_chosen_acts_the_same_when_it_is_loaded(found, log, tmp_path):
    da.save(found.policy, tmp_path / "policy")
    da.save(found.plan, tmp_path / "plan")
    wanted = found.policy.act(log.observations)
    assert np.array_equal(da.load(tmp_path / "policy").act(log.observations), wanted)
    assert np.array_equal(da.load(tmp_path / "plan").policy().act(log.observations), wanted)


def test_what_a_network_does_is_the_same_in_any_units_of_reward(log):
    def acts(unit):
        data = replace(log, rewards=unit * log.rewards)
        ((_, policy),) = Maker(data, slice(None), 0, {"bcq"}).policies([OWN])
        return policy.act(log.observations)

    assert np.array_equal(acts(1.0), acts(1024.0))
    assert (acts(1.0) == acts(1e-3)).mean() > 0.95


def test_they_are_tried_for_vectors_of_several_steps_where_networks_can_be_learnt(log):
    def names(data, networks):
        return {str(one) for one in default_candidates(data, GAMMA, networks=networks) if one.own}

    assert names(log, True) == {"own policy bcq", "imitation bcq"}
    single = replace(log, terminations=np.ones(len(log), bool))
    assert not names(log, False) | names(single, True)
