"""Without the token nothing is answered but liveness."""

from __future__ import annotations

import http.client
import json

import pytest
from tests.service.running import serving

from deepaveragers.cli import main
from deepaveragers.client import Client, ServiceError

TOKEN = "a-token-that-is-long-enough"


@pytest.fixture(scope="module")
def guarded(ward_file, tmp_path_factory):
    file = tmp_path_factory.mktemp("token") / "token"
    file.write_text(f"{TOKEN}\n")
    with serving(ward_file, "--host", "0.0.0.0", "--token-file", file) as server:
        yield server


def test_nothing_but_liveness_without_the_token(guarded):
    connection = http.client.HTTPConnection("127.0.0.1", guarded.port)
    connection.request("GET", "/openapi.json", headers={"authorization": f"Bearer {TOKEN}"})
    paths = json.loads(connection.getresponse().read())["paths"]
    for path in [*paths, "/", "/nowhere", "/docs", "//health/live", "/health/live/"]:
        for method in ("GET", "POST", "OPTIONS", "PUT"):
            connection.request(method, path, body=b"{}")
            answer = connection.getresponse()
            content = answer.read()
            if (method, path) == ("GET", "/health/live"):
                assert json.loads(content) == {"status": "live"}
            elif path != "/health/live":
                assert answer.status == 401, (method, path)
                assert list(json.loads(content)) == ["error"]
    connection.close()


def test_with_the_token(guarded, asked, ward_policy):
    with Client(f"http://127.0.0.1:{guarded.port}", TOKEN) as client:
        assert client.decide(asked[0]).index == ward_policy.act(asked[0])
        with pytest.raises(ServiceError, match="cannot explain") as refusal:
            client.explain(asked[0])
        assert refusal.value.status == 409
    with Client(f"http://127.0.0.1:{guarded.port}", "wrong") as client, pytest.raises(ServiceError):
        client.policy()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--host", "0.0.0.0"], "token"),
        (["--port", "70000"], "port"),
        (["--token-file", "nowhere"], "cannot be read"),
        (["--audit-inputs", "none"], "audit_inputs"),
        (["--max-batch", "0"], "most_rows"),
        (["--audit", "."], "cannot be written"),
    ],
)
def test_a_server_that_cannot_be_started_says_why(options, sentence, ward_file, capsys):
    with pytest.raises(SystemExit) as left:
        main(["serve", str(ward_file), "--port", "0", *options])
    assert left.value.code == 2
    assert sentence in capsys.readouterr().err
