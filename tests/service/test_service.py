"""The server gives Python's decisions, bit for bit, by every protocol."""

from __future__ import annotations

import http.client
import json

import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.client import Client, ServiceError

JSON = {"content-type": "application/json"}


def post(server, path, body, headers=JSON):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("POST", path, text, headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


def rows_of(policy, observations):
    """Return the observations as plain numbers in the order of the data."""
    return policy.compact().read(observations)


def check(answers, wanted):
    assert [one.action for one in answers] == wanted.names
    assert [one.index for one in answers] == wanted.actions.tolist()
    assert [list(one.q.values()) for one in answers] == wanted.q_values.tolist()
    assert [one.support for one in answers] == wanted.support.tolist()
    assert [one.abstained for one in answers] == wanted.abstained.tolist()
    names = wanted.action_names
    ties = [tuple(n for n, tie in zip(names, row) if tie) for row in wanted.ties.tolist()]
    assert [one.ties for one in answers] == ties


def test_single_decisions(client, ward_policy, asked):
    answers = [client.decide(one) for one in asked[:40]]
    check(answers, ward_policy.decide(asked[:40]))
    assert {one.plan for one in answers} == {ward_policy.compact().digest}


def test_batches_by_name_and_in_order(client, ward_policy, asked):
    wanted = ward_policy.decide(asked)
    check(client.decide_all(asked), wanted)
    check(client.decide_all(rows_of(ward_policy, asked)), wanted)
    check(
        [client.decide(row) for row in rows_of(ward_policy, asked)[:20]],
        ward_policy.decide(asked[:20]),
    )
    assert client.decide_all([]) == []


@pytest.mark.parametrize("more", [{"": [[], True, {}]}, {"room": [[1], 2]}, {"=": None, "[": {}}])
def test_what_the_policy_has_no_use_for_may_be_anything(more, server, ward_policy, asked):
    status, answer = post(server, "/v1/decide", {"observation": {**asked[0], **more}})
    assert status == 200
    wanted = ward_policy.decide(asked[:1]).names
    assert [one["action"] for one in json.loads(answer)["decisions"]] == wanted


def test_plain_float32_numbers(client, ward_policy, asked):
    rows = rows_of(ward_policy, asked).astype(np.float32)
    actions, plan = client.act(rows)
    assert np.array_equal(actions, ward_policy.act(rows))
    assert plan == ward_policy.compact().digest
    assert len(client.act(rows[:0])[0]) == 0


def test_the_open_inference_protocol(server, ward_policy, asked):
    rows = rows_of(ward_policy, asked[:30])
    wanted = ward_policy.decide(rows)
    tensor = {"name": "observation", "shape": list(rows.shape), "datatype": "FP64"}
    body = {"id": "7", "inputs": [{**tensor, "data": rows.reshape(-1).tolist()}]}
    status, content = post(server, "/v2/models/policy/infer", body)
    found = json.loads(content)
    assert (status, found["id"]) == (200, "7")
    outputs = {one["name"]: one for one in found["outputs"]}
    assert outputs["action"]["data"] == wanted.actions.tolist()
    assert outputs["action_name"]["data"] == wanted.names
    assert outputs["q"]["shape"] == [30, 3]
    assert outputs["q"]["data"] == wanted.q_values.reshape(-1).tolist()
    body["inputs"][0]["data"] = rows.tolist()
    body["outputs"] = [{"name": "support"}]
    (support,) = json.loads(post(server, "/v2/models/policy/infer", body)[1])["outputs"]
    assert support["data"] == wanted.support.tolist()
    assert post(server, "/v2/models/other/infer", body)[0] == 404


def test_explanations(client, ward_policy, asked):
    found = client.explain(asked[3], cases=2)
    wanted = ward_policy.explain(asked[3], 2)
    assert found["text"] == str(wanted)
    assert found["decision"] == json.loads(json.dumps(wanted.summary()))


def test_what_is_served(client, ward_policy, ward):
    found = client.policy()
    assert found["actions"] == list(ward.action_names)
    assert found["observations"] == list(ward.observation_names)
    assert found["digests"]["plan"] == ward_policy.compact().origin.plan
    assert found["fallback"] == "none"
    assert found["evidence"]
    assert client.ready()


@pytest.mark.parametrize(
    ("path", "body", "status", "sentence"),
    [
        ("/v1/decide", b"{", 400, "not JSON"),
        ("/v1/decide", b"\xff\xfe", 400, "not JSON"),
        ("/v1/decide", b'{"observation": ' + b"[" * 100_000, 400, "not JSON"),
        ("/v1/decide", b'{"observation": [NaN]}', 400, "not JSON"),
        ("/v1/decide", {}, 422, "observation or observations"),
        ("/v1/decide", [], 422, "must be like"),
        ("/v1/decide", {"age": 1}, 422, '{"observation": {...}}'),
        ("/v1/decide", {"observaton": {}}, 422, "observaton"),
        ("/v1/decide", {"observation": {}, "observations": []}, 422, "one of the two"),
        ("/v1/decide", {"observation": {"age": 1}}, 422, "lactate"),
        ("/v1/decide", {"observation": [1.0]}, 422, "shape"),
        ("/v1/decide", {"observation": [1e308] * 5}, 422, "observation"),
        ("/v1/decide", {"observation": ["a"] * 5}, 422, "numbers"),
        ("/v1/decide", {"observations": [[1.0] * 5], "ids": []}, 422, "ids"),
        ("/v1/decide", {"observations": [[0.5] * 5] * 100_001}, 422, "batch"),
        ("/v1/explain", {"observation": [0.5] * 5, "cases": 10**6}, 422, "cases"),
        ("/v2/models/policy/infer", {"inputs": []}, 422, "inputs"),
        ("/nowhere", {}, 404, "openapi"),
        ("/v1/decide/", {}, 404, "openapi"),
        ("/v1/policy", {}, 405, "Method"),
    ],
)
def test_refusals_in_one_sentence(path, body, status, sentence, server):
    found, content = post(server, path, body)
    assert found == status, content
    answer = json.loads(content)
    assert list(answer) == ["error"]
    assert sentence in answer["error"]
    assert "/" not in answer["error"].replace("/openapi.json", "")


def test_other_types_of_bodies_are_refused(server):
    assert post(server, "/v1/decide", b"a=1", {"content-type": "text/plain"})[0] == 415
    raw = {"content-type": "application/octet-stream"}
    assert post(server, "/v1/decide", b"abc", raw)[0] == 422
    nothing = np.full(5, np.nan, np.float32).tobytes()
    assert post(server, "/v1/decide", nothing, raw)[0] == 422


def test_one_bad_request_among_many_spoils_none(client, server, ward_policy, asked):
    with pytest.raises(ServiceError, match="observation") as refusal:
        client.decide([1e300] * 5)
    assert refusal.value.status == 422
    check([client.decide(asked[0])], ward_policy.decide(asked[:1]))


def test_clients_say_what_is_wrong(server):
    with pytest.raises(da.InputError, match="url"):
        Client("localhost:8080")
    with (
        pytest.raises(ServiceError, match="no answer") as refusal,
        Client("http://127.0.0.1:9") as no,
    ):
        no.policy()
    assert refusal.value.status is None
    with Client("http://127.0.0.1:9") as nobody:
        assert not nobody.ready()


def test_counts(client, server):
    before = client.policy()
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    assert 'dac_requests_total{path="/v1/decide",status="200"}' in text
    assert f'plan="{before["plan"]}"' in text
