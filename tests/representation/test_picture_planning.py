"""Planning on a learnt representation of pictures is at least as good as its own baseline."""

from __future__ import annotations

import pytest
from experiments.pictures.cartpole import PicturePole

import deepaveragers as da


@pytest.fixture(scope="module")
def data() -> da.Transitions:
    return da.collect(PicturePole, 2_000, seed=0)


@pytest.mark.parametrize("train", [da.train_dqn, da.train_bcq])
def test_dac_beats_or_equals_its_baseline(data, train, record_property):
    encoder = train(data, 150, preset="navigation", hidden=(64, 16))
    policies = {
        "baseline": encoder.policy(),
        "dac": da.compile(data, 5, encoder, threads=1).solve(gamma=0.99, cost=1.0).policy(k=11),
    }
    reports = {}
    for name, policy in policies.items():
        reports[name] = da.evaluate(policy, PicturePole, 20, seed=1, epsilon=0.001)
        record_property(name, str(reports[name].summary()))
        print(name, reports[name].mean, reports[name].interval)  # noqa: T201
    assert reports["dac"].mean >= reports["baseline"].mean
    assert reports["dac"].mean > data.episode_returns().mean()
