"""A small client of `dac serve`, with the standard library alone.

from deepaveragers.client import Client

with Client("http://127.0.0.1:8080", token) as client:
    answer = client.decide({"age": 60, "lactate": 6.5})
    answer.action, answer.q, answer.support, answer.plan
"""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from .arguments import number, optional, shown
from .arrays import Array
from .errors import DeepAveragersError, InputError

JSON, RAW = "application/json", "application/octet-stream"


class ServiceError(DeepAveragersError):
    """The server refused a request, or there is none.

    Attributes:
        status: the HTTP status; None where there was no answer.
    """

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class Answer:
    """One decision.

    Attributes:
        action: its name; its numbers by name, where actions are rows.
        support: in [0, 1], how well the data support the observation.
        abstained: whether the fallback acted because of thin support.
        plan: digest of the policy that decided.
        index: its number; None where actions are rows.
        q: planned value of every action by name; None for one that is not available.
        ties: actions that the certificate does not tell apart from the best one.
        vector: its numbers in the order of the data, where actions are rows; None for others.
        value: planned value of the best action that was weighed, where actions are rows.
        id: name of the decision in the audit log; None where there is no log.
    """

    action: str | Mapping[str, float]
    support: float
    abstained: bool
    plan: str
    index: int | None = None
    q: Mapping[str, float | None] = field(default_factory=dict)
    ties: tuple[str, ...] = ()
    vector: tuple[float, ...] | None = None
    value: float | None = None
    id: str | None = None


class Client:
    """Asks one server, over one connection: a client for each thread.

    Args:
        url: of the server, such as "http://127.0.0.1:8080".
        token: of the server, where it needs one.
        timeout: seconds to wait for an answer.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0) -> None:
        parts = urlsplit(url if isinstance(url, str) else "")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("url", "an address such as http://127.0.0.1:8080", shown(url))
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        seconds = optional(number, "timeout", timeout, above=0.0)
        self._connection = kind(parts.hostname, parts.port, timeout=seconds)
        self._path = parts.path.rstrip("/")
        self._headers = {} if token is None else {"authorization": f"Bearer {token}"}

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; another request would open it again."""
        self._connection.close()

    def decide(self, observation: Any, *, id: str | None = None) -> Answer:
        """Return the decision on one observation: a mapping by name, or numbers in order."""
        asked = {"observation": _plain(observation)} | ({} if id is None else {"id": id})
        return _answers(self._json("POST", "/v1/decide", asked))[0]

    def decide_all(
        self, observations: Sequence[Any], *, ids: Sequence[str] | None = None
    ) -> list[Answer]:
        """Return the decisions on several observations, made by one policy."""
        asked: dict[str, Any] = {"observations": [_plain(one) for one in observations]}
        if ids is not None:
            asked["ids"] = list(ids)
        return _answers(self._json("POST", "/v1/decide", asked))

    def act(self, observations: Array) -> tuple[Array, str]:
        """Return the numbers of the actions [B] for many observations [B, ...], and the plan.

        Where actions are rows, they are [B, Da]. All travel as plain numbers, observations in
        float32, which is the fastest way.
        """
        rows = np.ascontiguousarray(observations, dtype="<f4")
        headers = {"content-type": RAW, "accept": RAW}
        body, found = self._ask("POST", "/v1/decide", rows.tobytes(), headers)
        kind = np.dtype(found["x-dtype"])
        actions = np.frombuffer(body, kind).astype(kind.newbyteorder("="))
        return actions.reshape([int(part) for part in found["x-shape"].split(",")]), found["x-plan"]

    def explain(self, observation: Any, cases: int = 4) -> dict[str, Any]:
        """Return a decision with its evidence, and the same as text; see `Policy.explain`."""
        asked = {"observation": _plain(observation), "cases": cases}
        found: dict[str, Any] = self._json("POST", "/v1/explain", asked)
        return found

    def policy(self) -> dict[str, Any]:
        """Return what is to be known of the policy that decides."""
        found: dict[str, Any] = self._json("GET", "/v1/policy")
        return found

    def ready(self) -> bool:
        """Whether decisions are made."""
        try:
            self._json("GET", "/health/ready")
        except ServiceError:
            return False
        return True

    def _json(self, method: str, path: str, asked: Any = None) -> Any:
        body = None if asked is None else json.dumps(asked, allow_nan=False).encode()
        return json.loads(self._ask(method, path, body, {"content-type": JSON})[0])

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[bytes, Mapping[str, str]]:
        """Return the body and headers of an answer.

        A connection that the server closed while it was idle is opened again, once.
        """
        reused = self._connection.sock is not None
        try:
            self._connection.request(method, self._path + path, body, {**self._headers, **headers})
            answer = self._connection.getresponse()
            content = answer.read()
        except (http.client.HTTPException, OSError) as error:
            self._connection.close()
            idle = isinstance(error, http.client.RemoteDisconnected | BrokenPipeError)
            if reused and idle:
                return self._ask(method, path, body, headers)
            host, port = self._connection.host, self._connection.port
            late = isinstance(error, socket.timeout)
            reason = "it did not answer in time" if late else str(error) or type(error).__name__
            raise ServiceError(f"{host}:{port} gave no answer: {reason}.") from error
        if answer.status != 200:
            raise ServiceError(_sentence(content, answer.status), answer.status)
        return content, {name.lower(): value for name, value in answer.getheaders()}


def _answers(found: Mapping[str, Any]) -> list[Answer]:
    plan = found["plan"]
    return [_answer_of(one, plan) for one in found["decisions"]]


def _answer_of(one: Mapping[str, Any], plan: str) -> Answer:
    parts: dict[str, Any] = dict(one)
    for name in ("ties", "vector"):
        if name in parts:
            parts[name] = tuple(parts[name])
    return Answer(plan=plan, **parts)


def _plain(observation: Any) -> Any:
    """Return an observation as JSON holds it: NumPy's numbers as Python's."""
    if isinstance(observation, Mapping):
        return {str(name): _plain(value) for name, value in observation.items()}
    if isinstance(observation, np.ndarray | np.generic):
        return observation.tolist()
    if isinstance(observation, list | tuple):
        return [_plain(value) for value in observation]
    return observation


def _sentence(content: bytes, status: int) -> str:
    try:
        return str(json.loads(content)["error"])
    except (ValueError, KeyError, TypeError):
        return f"The server answered with status {status}."
