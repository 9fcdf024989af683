"""A server of actions that are rows gives Python's decisions, bit for bit, by every protocol."""

from __future__ import annotations

import http.client
import json

import numpy as np
import pytest
from tests.driving import driving
from tests.service.running import serving
from tests.service.test_service import post

import deepaveragers as da
from deepaveragers.client import Client
from deepaveragers.service.current import Current, load_served

NAMES = ("throttle", "steering")


@pytest.fixture(scope="module")
def policy():
    plan = da.compile(driving(), 3).solve(gamma=0.9, forbidden_actions={"throttle": (0.8, None)})
    return plan.policy(support_threshold=0.05, fallback=[-0.5, 0.0])


@pytest.fixture(scope="module")
def file(policy, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "policy"
    da.save(policy, path, evidence=True)
    return path


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    return tmp_path_factory.mktemp("audit") / "audit.jsonl"


@pytest.fixture(scope="module")
def server(file, audit):
    with serving(file, "--audit", audit) as running:
        yield running


@pytest.fixture(scope="module")
def asked():
    random = np.random.default_rng(5)
    rows = random.uniform(0, 1, (60, 2)) * [35, 70]
    return [{"gap": gap, "speed": speed} for speed, gap in rows.tolist()]


def check(answers, wanted):
    assert [one.vector for one in answers] == [tuple(row) for row in wanted.actions.tolist()]
    assert [one.action for one in answers] == [
        dict(zip(NAMES, row)) for row in wanted.actions.tolist()
    ]
    assert [one.value for one in answers] == wanted.values.tolist()
    assert [one.support for one in answers] == wanted.support.tolist()
    assert [one.abstained for one in answers] == wanted.abstained.tolist()


def test_decisions_one_by_one_and_together(server, policy, asked):
    wanted = policy.decide(asked)
    assert wanted.abstained.any()
    assert not wanted.abstained.all()
    with Client(server.url) as client:
        check([client.decide(one) for one in asked[:20]], policy.decide(asked[:20]))
        check(client.decide_all(asked), wanted)
        rows = policy.compact().read(asked)
        check(client.decide_all(rows), wanted)
        assert client.decide_all([]) == []
        actions, plan = client.act(rows)
        np.testing.assert_array_equal(actions, policy.act(rows.astype(np.float32)))
        assert actions.dtype == np.float32
        assert plan == policy.compact().digest
        assert client.act(rows[:0])[0].shape == (0, 2)


def test_the_open_inference_protocol(server, policy, asked):
    rows = policy.compact().read(asked[:30])
    wanted = policy.decide(rows)
    tensor = {"name": "observation", "shape": list(rows.shape), "datatype": "FP64"}
    body = {"inputs": [{**tensor, "data": rows.reshape(-1).tolist()}]}
    status, content = post(server, "/v2/models/policy/infer", body)
    assert status == 200
    outputs = {one["name"]: one for one in json.loads(content)["outputs"]}
    assert list(outputs) == ["action", "value", "support", "abstained"]
    assert outputs["action"]["data"] == wanted.actions.reshape(-1).tolist()
    assert (outputs["action"]["shape"], outputs["action"]["datatype"]) == ([30, 2], "FP32")
    assert outputs["value"]["data"] == wanted.values.tolist()
    told = get(server, "/v2/models/policy")["outputs"]
    assert told[0] == {"name": "action", "datatype": "FP32", "shape": [-1, 2]}


def get(server, path):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", path)
    found = json.loads(connection.getresponse().read())
    connection.close()
    return found


def test_what_is_served_and_explained(server, policy, asked):
    with Client(server.url) as client:
        known = client.policy()
        found = client.explain(asked[3], cases=2)
    assert (known["actions"], known["action_kind"]) == (list(NAMES), "continuous")
    assert known["fallback"] == {"throttle": -0.5, "steering": 0.0}
    wanted = policy.explain(asked[3], 2)
    assert found["text"] == str(wanted)
    told = {**wanted.summary()}
    told["q_values"] = {n: q if np.isfinite(q) else None for n, q in told["q_values"].items()}
    assert found["decision"] == json.loads(json.dumps(told))
    described = get(server, "/openapi.json")
    body = described["components"]["schemas"]["RowDecisionBody"]["properties"]
    assert body["action"]["required"] == list(NAMES)
    reference = described["paths"]["/v1/decide"]["post"]["responses"]["200"]["content"]
    assert reference["application/json"]["schema"]["$ref"].endswith("/RowDecideAnswer")


def test_decisions_come_back_as_data(server, policy, asked, audit, tmp_path):
    with Client(server.url) as client:
        answers = client.decide_all(asked, ids=[f"d{row}" for row in range(len(asked))])
        server.stop()
    outcomes = [f"d{row},{row // 5},{row % 5},{row * 0.5}" for row in range(len(asked))]
    (tmp_path / "outcomes.csv").write_text("\n".join(["id,trip,step,reward", *outcomes]))
    data = da.read(
        audit,
        join=str(tmp_path / "outcomes.csv"),
        observations=["speed", "gap"],
        action=list(NAMES),
        reward="reward",
        episode="trip",
        time="step",
    )
    assert data.action_names == NAMES
    logged = {tuple(row) for row in data.actions.astype(np.float32).tolist()}
    assert logged <= {one.vector for one in answers}
    assert len(data) >= 48  # all but the ends of trips, which lead nowhere


def test_another_kind_of_actions_is_not_swapped_in(file, policy, tmp_path):
    served = load_served(file)
    current = Current(tmp_path / "next", served)
    turned = policy.plan.mdp.solve(gamma=0.5).policy()
    da.save(turned, tmp_path / "next")
    assert current.reload().plan == turned.compact().digest
    data = driving()
    numbered = da.Transitions(
        observations=data.observations,
        actions=(data.actions[:, 0] > 0).astype(int),
        rewards=data.rewards,
        next_observations=data.next_observations,
        terminations=data.terminations,
        observation_names=data.observation_names,
    )
    da.save(da.compile(numbered, 3).solve(gamma=0.9).policy(), tmp_path / "other")
    with pytest.raises(da.InputError, match="form of those that are served; received one of 2 ac"):
        Current(tmp_path / "other", served).reload()
