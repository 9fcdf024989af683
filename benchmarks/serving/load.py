"""Rates and latencies, with peers in the same run.

A second process sends single requests over `CONNECTIONS` connections: first as fast as answers
come (the saturated rate), then at half of that rate (latency). Then batches of plain float32
numbers and of JSON. The same is asked of a bare Starlette endpoint that returns a constant, and of
BentoML around the same `policy.act`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.serving.generator import Answer, Question
from benchmarks.serving.peers.environment import program
from benchmarks.serving.servers import Running, dac_serve, free_port, generate, started, wait_for
from benchmarks.serving.worlds import JSON, RAW, encoded, observations, single_bodies

CONNECTIONS = 16
SINGLE_BODIES = 512
BATCH_CONNECTIONS = 2
RAW_ROWS, JSON_ROWS = 20_000, 2_000
"""Observations of one request."""
HERE = Path(__file__).parent


def run(policy: Path, seconds: float, bento: Path | None) -> dict[str, Any]:
    """Return the figures of all servers.

    Args:
        policy: to serve.
        seconds: of every measurement.
        bento: environment of the peer; None leaves it out.
    """
    singles: dict[str, Any] = {}
    with _bare() as server:
        singles["bare Starlette, a constant"] = _singles(server.port, "/v1/decide", seconds)
    with dac_serve(policy) as server:
        singles["dac serve"] = _singles(server.port, "/v1/decide", seconds)
        batches = {
            "dac serve, float32": _batches(server.port, "/v1/decide", RAW_ROWS, seconds),
            "dac serve, JSON": _json_batches(server.port, "observations", seconds),
        }
    with dac_serve(policy, "--max-together", 1) as server:
        singles["dac serve, each alone"] = _singles(server.port, "/v1/decide", seconds)
    if bento is not None:
        with _bentoml(policy, bento) as server:
            singles["BentoML, policy.act"] = _singles(server.port, "/decide", seconds)
            batches["BentoML, policy.act, JSON"] = _json_batches(server.port, "", seconds)
    return {"singles": singles, "batches": batches}


def _singles(port: int, path: str, seconds: float) -> dict[str, Any]:
    """Return the saturated rate, and latencies at half of it."""
    bodies = single_bodies(observations(SINGLE_BODIES))
    question = Question(port, path, bodies, JSON, seconds, CONNECTIONS)
    generate(replace(question, seconds=min(1.0, seconds)))  # the first requests warm up
    full = generate(question)
    rate = full.requests / full.seconds
    half = generate(replace(question, rate=rate / 2))
    found = {"saturated": _figures(full), "half": _figures(half)}
    print(path, json.dumps(found), file=sys.stderr, flush=True)
    return found


def _batches(port: int, path: str, rows: int, seconds: float) -> dict[str, Any]:
    bodies = [encoded(observations(rows, seed).tobytes()) for seed in range(4)]
    question = Question(port, path, bodies, RAW, seconds, BATCH_CONNECTIONS)
    return _figures(generate(question), rows)


def _json_batches(port: int, name: str, seconds: float) -> dict[str, Any]:
    """Return the figures of batches in JSON: of ours by rows, of BentoML as an array."""
    path = "/v1/decide" if name else "/decide_all"
    bodies = [
        encoded(json.dumps({"observations": observations(JSON_ROWS, seed).tolist()}).encode())
        for seed in range(4)
    ]
    question = Question(port, path, bodies, JSON, seconds, BATCH_CONNECTIONS)
    return _figures(generate(question), JSON_ROWS)


def _figures(found: Answer, rows: int = 1) -> dict[str, Any]:
    rate = found.requests / found.seconds
    return {**asdict(found), "per_second": rate, "decisions_per_second": rate * rows}


@contextmanager
def _bare() -> Iterator[Running]:
    port = free_port()
    with started([sys.executable, str(HERE / "peers" / "bare.py"), str(port)]) as process:
        wait_for(port)
        yield Running(process, port)


@contextmanager
def _bentoml(policy: Path, environment: Path) -> Iterator[Running]:
    port = free_port()
    command = [str(program(environment)), "serve", "bento_service:PolicyService"]
    command += ["--working-dir", str(HERE / "peers"), "--port", str(port), "--host", "127.0.0.1"]
    settings = {"POLICY": str(policy.absolute()), "BENTOML_DO_NOT_TRACK": "true"}
    settings["PYTHONPATH"] = ""  # its own modules, not ours
    with started(command, more=settings) as process:
        wait_for(port)
        yield Running(process, port)
