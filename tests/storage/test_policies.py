"""Policy files: the same decisions bit for bit, without the log, and nothing impossible."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.policy.compact import CompactPolicy
from deepaveragers.policy.policy import Policy
from deepaveragers.storage.manifest import checksum

ASKED = [
    ({}, {}),
    ({}, {"k": 3, "lookup": "lookahead"}),
    ({"support": 0.3}, {}),
    ({"support": 0.3, "weighting": "uniform"}, {"lookup": "lookahead"}),
    ({"forbidden_actions": [0]}, {"lookup": "lookahead"}),
    ({"slip": 0.1, "worst_case": 0.2, "penalty": "adaptive"}, {"lookup": "lookahead"}),
    ({"action_penalties": {0: 0.5}}, {"support_threshold": 0.3, "fallback": 1}),
    ({"horizon": 7}, {"k": 1}),
]


def same(one: da.Decisions, other: da.Decisions) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(da.Decisions)
    )


@pytest.fixture(scope="module")
def probes(cartpole):
    scale = cartpole.observations.std(axis=0)
    noise = np.random.default_rng(1).normal(size=(400, 4)) * scale
    return (cartpole.observations[:400] + 0.3 * noise).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize(("objective", "manner"), ASKED)
@pytest.mark.parametrize("evidence", [False, True])
def test_the_same_decisions_bit_for_bit(objective, manner, evidence, model, probes, tmp_path):
    policy = model.solve(gamma=0.9, cost=0.5, **objective).policy(**manner)
    expected = policy.decide(probes)
    da.save(policy, tmp_path / "policy", evidence=evidence)
    loaded = da.load(tmp_path / "policy")
    assert isinstance(loaded, Policy if evidence else CompactPolicy)
    assert same(loaded.decide(probes), expected)
    one_by_one = [loaded.decide(probe[None]) for probe in probes[:40]]
    assert np.array_equal(
        np.concatenate([one.q_values for one in one_by_one]), expected.q_values[:40]
    )
    assert np.array_equal(loaded.act(probes), policy.act(probes))
    assert np.array_equal(loaded.q_values(probes), policy.q_values(probes))
    assert np.array_equal(loaded.support(probes), policy.support(probes))
    assert loaded.act(probes[0]) == policy.act(probes[0]) == loaded.predict(probes[0])[0]
    acting = loaded.compact() if evidence else loaded
    assert acting.origin == policy.compact().origin
    if evidence:
        assert loaded.explain(probes[0]) == policy.explain(probes[0])


def test_decisions_are_those_of_act_and_explain(plan, probes):
    policy = plan.policy(support_threshold=0.3, fallback=1)
    found = policy.decide(probes)
    assert np.array_equal(found.actions, policy.act(probes))
    for row in range(30):
        one = policy.explain(probes[row])
        assert found.names[row] == one.action_name
        assert dict(zip(found.action_names, found.q_values[row])) == one.q_values
        assert (found.support[row], found.abstained[row]) == (one.support, one.abstained)
        tied = [name for name, tie in zip(found.action_names, found.ties[row]) if tie]
        assert tuple(tied) == one.ties
    assert len(policy.decide([])) == len(policy.compact().decide([])) == 0


def test_names_and_missing_columns_are_kept(tmp_path):
    random = np.random.default_rng(0)
    lactate = random.normal(size=300)
    gone = random.random(300) < 0.2
    lactate[gone] = lactate[~gone].mean()
    data = da.Transitions(
        observations=np.column_stack([random.normal(size=300), lactate, gone]),
        actions=random.integers(0, 2, 300),
        rewards=random.normal(size=300),
        next_observations=np.column_stack([random.normal(size=300), lactate, gone]),
        terminations=np.arange(300) % 10 == 9,
        action_names=("wait", "treat"),
        observation_names=("age", "lactate", "lactate=missing"),
    )
    policy = da.compile(data, 3).solve(gamma=0.9).policy()
    da.save(policy, tmp_path / "policy")
    loaded = da.load(tmp_path / "policy")
    rows = [{"lactate": None, "age": 0.5}, {"age": -1.0, "lactate": 2.0}]
    assert same(loaded.decide(rows), policy.decide(rows))
    assert loaded.observation_names == data.observation_names
    assert loaded.action_names == ("wait", "treat")
    with pytest.raises(da.InputError, match="lactate"):
        loaded.act({"age": 1.0})


def test_no_raw_log_without_evidence(model, tmp_path):
    policy = model.solve(gamma=0.9).policy()
    da.save(policy, tmp_path / "policy")
    names = {file.name for file in (tmp_path / "policy").iterdir()}
    assert not [name for name in names if "transition" in name or "observation" in name]
    sizes = [sum(f.stat().st_size for f in (tmp_path / kind).iterdir()) for kind in ("policy",)]
    da.save(policy, tmp_path / "whole", evidence=True)
    assert sizes[0] < 0.7 * sum(f.stat().st_size for f in (tmp_path / "whole").iterdir())
    assert not hasattr(da.load(tmp_path / "policy"), "explain")


def test_digests_tell_what_decides(model, cartpole):
    base = model.solve(gamma=0.9).policy().compact().origin
    assert base == model.solve(gamma=0.9).policy().compact().origin
    others = [
        model.solve(gamma=0.8).policy(),
        model.solve(gamma=0.9).policy(k=5),
        model.solve(gamma=0.9).policy(lookup="lookahead"),
        model.solve(gamma=0.9).policy(support_threshold=0.1, fallback=0),
    ]
    digests = {policy.compact().origin.plan for policy in others}
    assert len(digests | {base.plan}) == 5
    assert {policy.compact().origin.model for policy in others} == {base.model}
    renamed = replace(cartpole, rewards=cartpole.rewards + 1.0)
    assert da.compile(renamed, 5).solve(gamma=0.9).policy().compact().origin.data != base.data


def test_thin_policies_say_how_well_they_agree(plan, cartpole, tmp_path):
    policy = plan.policy()
    thin = policy.thinned(500, seed=1)
    da.save(thin, tmp_path / "thin")
    loaded = da.load(tmp_path / "thin")
    assert loaded.agreement == thin.agreement
    assert same(loaded.decide(cartpole.observations), thin.decide(cartpole.observations))
    whole, small = policy.act(cartpole.observations), thin.act(cartpole.observations)
    assert (whole == small).mean() == pytest.approx(thin.agreement.same, abs=0.06)
    assert thin.agreement.states == thin.rule.index.size == 500
    assert thin.digest != policy.compact().digest
    assert thin.agreement.loss >= 0.0


@pytest.mark.parametrize(
    ("objective", "manner", "sentence"),
    [
        ({}, {"epsilon": 0.1}, "epsilon must be 0 in a policy that is saved"),
        ({}, {"support_threshold": 0.1, "fallback": lambda rows: rows[:, 0] > 0}, "fallback"),
        ({"action_mask": lambda rows: np.ones((len(rows), 2))}, {"lookup": "lookahead"}, "mask"),
    ],
)
def test_what_cannot_be_saved_is_refused(objective, manner, sentence, model, tmp_path):
    policy = model.solve(gamma=0.9, **objective).policy(**manner)
    for evidence in (False, True):
        with pytest.raises(da.InputError, match=sentence):
            da.save(policy, tmp_path / "policy", evidence=evidence)
    assert not (tmp_path / "policy").exists()


def test_functions_of_the_callers_are_given_again(cartpole, tmp_path):
    def halved(observations):
        return observations / 2.0

    policy = da.compile(cartpole, 3, halved).solve(gamma=0.9).policy()
    da.save(policy, tmp_path / "policy")
    with pytest.raises(da.InputError, match="encoder"):
        da.load(tmp_path / "policy")
    loaded = da.load(tmp_path / "policy", encoder=halved)
    assert same(loaded.decide(cartpole.observations), policy.decide(cartpole.observations))


def forged(path, change):
    """Change a manifest's settings, and its checksum with it."""
    file = path / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest["settings"])
    file.write_text(json.dumps({**manifest, "sha256": checksum(manifest)}))


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda s: s["rule"].update(k=0),
        lambda s: s["rule"].update(k=10**6),
        lambda s: s["rule"].update(weighting="other"),
        lambda s: s["rule"]["index"].update(engine="other"),
        lambda s: s["rule"]["index"].update(scale=-1.0),
        lambda s: s["manner"].update(fallback=7, support_threshold=0.5),
        lambda s: s["manner"].update(support_threshold=0.5),
        lambda s: s["manner"].update(action_names=["a"]),
        lambda s: s["form"].update(shape=[3]),
        lambda s: s["form"].update(dtype="|O"),
        lambda s: s["support"].update(k=2),
        lambda s: s.pop("origin"),
    ],
)
def test_impossible_policies_are_refused(change, plan, tmp_path):
    da.save(plan.policy(), tmp_path / "policy")
    forged(tmp_path / "policy", change)
    with pytest.raises(da.BundleError, match="damaged"):
        da.load(tmp_path / "policy")


def test_trees_of_another_layout_are_built_again(plan, probes, tmp_path):
    da.save(plan.policy(), tmp_path / "policy")
    forged(tmp_path / "policy", lambda s: s["rule"]["index"].update(layout="other"))
    assert same(da.load(tmp_path / "policy").decide(probes), plan.policy().decide(probes))


def test_wide_data(tmp_path):
    random = np.random.default_rng(0)
    rows = random.normal(size=(3_001, 40))
    data = da.Transitions(
        observations=rows[:-1],
        actions=random.integers(0, 3, 3_000),
        rewards=random.normal(size=3_000),
        next_observations=rows[1:],
        terminations=np.zeros(3_000, bool),
    )
    policy = da.compile(data, 3).solve(gamma=0.5).policy()
    da.save(policy, tmp_path / "policy")
    assert same(da.load(tmp_path / "policy").decide(rows[:50]), policy.decide(rows[:50]))
