"""Policy files of actions that are rows: the same decisions bit for bit, without the log."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.mdp.explicit_candidates import random_rows
from tests.storage.test_fuzzing import ODD_VALUES
from tests.storage.test_policies import same

import deepaveragers as da
from deepaveragers.policy.compact_rows import CompactVectorPolicy
from deepaveragers.policy.vector_policy import VectorPolicy
from deepaveragers.storage.bundle import Contents, write_bundle
from deepaveragers.storage.policies import pack_policy, unpack_policy

ASKED: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({}, {}, {}),
    ({"landing": "own"}, {"weighting": "uniform"}, {"k": 3}),
    ({"candidates": 7}, {"support": 0.5}, {}),
    ({}, {"forbidden_actions": {"a0": (None, 0.9)}, "k": 1}, {}),
    ({"landing": "own"}, {"forbidden_actions": lambda actions: actions[:, 1] > 0.2}, {}),
    ({}, {"slip": 0.1, "worst_case": 0.2, "action_penalties": {"a1": 0.5}}, {}),
    ({}, {"action_noise": 0.1, "forbidden_actions": {"a0": (0.9, None)}}, {}),
    ({}, {"rewards": lambda seen, actions, later: actions[:, 0]}, {}),
    ({}, {"horizon": 4}, {"support_threshold": 0.4, "fallback": [0.25, 0.75]}),
]

ODD_ERRORS = (da.InputError, da.BundleError, LookupError, TypeError, AttributeError, ValueError)
"""What `da.load` says as one sentence: the bundle is damaged."""


@pytest.fixture(scope="module")
def data() -> da.Transitions:
    return random_rows(3, 300)


@pytest.fixture(scope="module")
def probes(data: da.Transitions) -> Any:
    noise = np.random.default_rng(1).normal(size=data.observations.shape)
    return (data.observations + 0.3 * noise).astype(data.observations.dtype)


def policy_for(data: da.Transitions, asked: Any) -> VectorPolicy:
    compiled, objective, manner = asked
    policy = da.compile(data, 3, **compiled).solve(gamma=0.9, **objective).policy(**manner)
    assert isinstance(policy, VectorPolicy)
    return policy


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("evidence", [False, True])
def test_the_same_decisions_bit_for_bit(asked, evidence, data, probes, tmp_path):
    policy = policy_for(data, asked)
    expected = policy.decide(probes)
    if evidence and any(map(callable, asked[1].values())):
        with pytest.raises(da.InputError, match="Solve with the array"):
            da.save(policy, tmp_path / "policy", evidence=True)
        return
    da.save(policy, tmp_path / "policy", evidence=evidence)
    loaded = da.load(tmp_path / "policy")
    assert isinstance(loaded, VectorPolicy if evidence else CompactVectorPolicy)
    assert same(loaded.decide(probes), expected)
    assert expected.actions.dtype == data.actions.dtype
    np.testing.assert_array_equal(loaded.act(probes), policy.act(probes))
    np.testing.assert_array_equal(expected.actions, policy.act(probes))
    np.testing.assert_array_equal(loaded.q_values(probes), policy.q_values(probes))
    np.testing.assert_array_equal(loaded.support(probes), policy.support(probes))
    one_by_one = np.concatenate([loaded.decide(probe[None]).q_values for probe in probes[:30]])
    np.testing.assert_array_equal(one_by_one, expected.q_values[:30])
    np.testing.assert_array_equal(loaded.predict(probes[0])[0], policy.act(probes[0]))
    acting = loaded.compact() if evidence else loaded
    assert acting.origin == policy.compact().origin
    if evidence:
        assert loaded.explain(probes[0]) == policy.explain(probes[0])
    for found in (policy, loaded):
        nothing = found.decide([])
        assert nothing.actions.shape == (0, 2)
        assert nothing.q_values.shape == (0, expected.q_values.shape[1])
    again = tmp_path / "again"
    da.save(acting, again)
    assert same(da.load(again).decide(probes), expected)


def test_decisions_are_those_of_explain(data, probes):
    policy = policy_for(data, ASKED[-1])
    found = policy.decide(probes[:40])
    assert found.abstained.any()
    assert not found.abstained.all()
    for row in range(40):
        one = policy.explain(probes[row])
        assert tuple(found.actions[row].tolist()) == one.action
        assert (found.support[row], found.abstained[row]) == (one.support, one.abstained)
        assert found.values[row] == max(one.q_values.values())
    assert found.names[0] == "a0={:.4g}, a1={:.4g}".format(*found.actions[0])


def test_no_raw_log_without_evidence(data, tmp_path):
    policy = policy_for(data, ASKED[0])
    da.save(policy, tmp_path / "policy")
    names = {file.name for file in (tmp_path / "policy").iterdir()}
    assert not [name for name in names if "transition" in name or "observation" in name]
    loaded = da.load(tmp_path / "policy")
    assert not hasattr(loaded, "explain")
    assert loaded.summary()["action_kind"] == "continuous"
    assert repr(loaded).startswith("CompactVectorPolicy(continuous actions of 2 numbers")


def test_rows_of_whole_numbers(data, probes, tmp_path):
    combined = replace(data, actions=(data.actions * 3).astype(np.int32), action_bounds=None)
    plan = da.compile(combined, 3).solve(gamma=0.9)
    policy = plan.policy(support_threshold=0.5, fallback=[1, 2])
    da.save(policy, tmp_path / "policy")
    loaded = da.load(tmp_path / "policy")
    assert same(loaded.decide(probes), policy.decide(probes))
    assert loaded.act(probes).dtype == np.int32
    assert loaded.summary()["fallback"] == {"a0": 1.0, "a1": 2.0}
    with pytest.raises(da.InputError, match="actions of 2 whole numbers"):
        plan.policy(support_threshold=0.5, fallback=[0.5, 1])


def test_digests_tell_what_decides(data):
    digests = {policy_for(data, asked).compact().origin.plan for asked in ASKED}
    paid = [policy_for(data, ({}, {"action_penalties": fee}, {})) for fee in ({"a1": 1.0}, None)]
    digests |= {policy.compact().origin.plan for policy in paid}
    assert len(digests) == len(ASKED) + 1
    fees = policy_for(data, ({}, {"action_penalties": np.ones(len(data))}, {})).compact()
    assert fees.origin.objective["action_penalties"] == "an array"


@pytest.mark.parametrize(
    ("objective", "manner", "sentence"),
    [
        ({}, {"epsilon": 0.1}, "epsilon must be 0"),
        ({}, {"support_threshold": 0.1, "fallback": lambda seen: seen}, "fallback must be an act"),
        ({"action_mask": lambda seen, actions: actions[:, 0] < 9.0}, {}, "action_mask must be No"),
    ],
)
def test_what_only_python_knows_is_refused(objective, manner, sentence, data, tmp_path):
    policy = policy_for(data, ({}, objective, manner))
    with pytest.raises(da.InputError, match=sentence):
        da.save(policy, tmp_path / "policy")
    assert not (tmp_path / "policy").exists()


def test_another_plan_of_the_same_model(data, probes):
    mdp = da.compile(data, 3)
    first, second = mdp.solve(gamma=0.9), mdp.solve(gamma=0.5, support=0.5)
    turned = first.policy().by(second)
    assert same(turned.decide(probes), second.policy().decide(probes))
    with pytest.raises(da.InputError, match="same compiled MDP"):
        first.policy().by(da.compile(data, 2).solve(gamma=0.9))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda rule, arrays: arrays.pop("rule.dues"), "missing or wrong"),
        (lambda rule, arrays: arrays.update({"rule.values": np.zeros(3)}), "one finite number"),
        (lambda rule, arrays: arrays.update({"rule.actions": np.zeros((3, 2))}), "as many numbers"),
        (lambda rule, arrays: arrays["rule.actions"].__setitem__(0, np.nan), "finite"),
        (lambda rule, arrays: rule.update(m=10**9), "more candidates"),
        (lambda rule, arrays: rule.update(k=10), "more states"),
        (lambda rule, arrays: rule.update(gamma=2.0), "objective"),
        (lambda rule, arrays: rule.update(landing="elsewhere"), "landing"),
        (lambda rule, arrays: rule.update(living={}), "go on"),
        (lambda rule, arrays: rule.update(deviations=[1.0]), "units"),
        (lambda rule, arrays: rule.update(permitted=rule["sources"]), "damaged"),
        (lambda rule, arrays: arrays["rule.terminal"].__setitem__(slice(None), False), "go on"),
    ],
)
def test_what_no_policy_could_be_is_refused(change, sentence, data, tmp_path):
    settings, packed = pack_policy(policy_for(data, ASKED[0]).compact())
    arrays = {name: np.array(array) for name, array in packed.items()}
    change(settings["rule"], arrays)
    write_bundle(Contents("policy", settings, arrays, None), tmp_path / "policy")
    with pytest.raises(da.BundleError, match=sentence):
        da.load(tmp_path / "policy")


def test_the_command_line(data, probes, tmp_path, capsys):
    from deepaveragers.cli import main

    da.save(da.compile(data, 3).solve(gamma=0.9), tmp_path / "plan")
    words = ["policy", str(tmp_path / "plan"), "-o", str(tmp_path / "policy"), "--json"]
    with pytest.raises(SystemExit) as left:
        main([*words, "--support-threshold", "0.4", "--fallback", "0.25,0.75"])
    assert left.value.code == 0
    told = json.loads(capsys.readouterr().out)
    assert told["actions"] == ["a0", "a1"]
    assert told["fallback"] == {"a0": 0.25, "a1": 0.75}
    found = da.load(tmp_path / "policy").decide(probes)
    wanted = da.load(tmp_path / "plan").policy(support_threshold=0.4, fallback=[0.25, 0.75])
    assert same(found, wanted.decide(probes))
    for extra, sentence in (
        (["--states", "5"], "thinned"),
        (["--support-threshold", "0.4", "--fallback", "left"], "2 finite numbers"),
    ):
        with pytest.raises(SystemExit) as left:
            main([*words[:4], *extra])
        assert left.value.code == 2
        assert sentence in capsys.readouterr().err


def places_of(settings, path=()):
    """Yield the paths of all settings."""
    for name, value in settings.items():
        yield (*path, name)
        if isinstance(value, dict):
            yield from places_of(value, (*path, name))


def test_odd_settings_are_refused_or_decide(data, probes, tmp_path):
    policy = policy_for(data.subset(np.arange(40)), ASKED[-1])
    settings, arrays = pack_policy(policy.compact())
    random = np.random.default_rng(0)
    refused = 0
    for place in [*places_of({"rule": settings["rule"], "manner": settings["manner"]})]:
        for value in random.choice(np.array(ODD_VALUES, dtype=object), 6, replace=False):
            changed = json.loads(json.dumps(settings))
            within = changed
            for name in place[:-1]:
                within = within[name]
            within[place[-1]] = value
            try:
                found = unpack_policy(changed, arrays, None)
                assert len(found.decide(probes[:3])) == 3
            except ODD_ERRORS:
                refused += 1
    assert refused > 50
