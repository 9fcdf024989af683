"""Minutes of load with hot swaps: no request fails, no decision is mixed, memory stays flat.

Two policies take turns at the path. Every answer names the plan that made it, and its action must
be the one that this plan has for that observation. Bad policies are put at the path in between:
arrays with a wrong byte, a manifest that is cut off, another kind of bundle.
"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

import deepaveragers as da
from benchmarks.serving.generator import Question
from benchmarks.serving.servers import Running, dac_serve, finished, generating
from benchmarks.serving.worlds import JSON, log_of, observations, policies, single_bodies

CONNECTIONS = 8
BODIES = 256
SAMPLES = 60
"""Measurements of memory."""


def run(
    folder: Path, states: int, seconds: float, rate: float, swaps: int, bad: int
) -> dict[str, Any]:
    """Return what was seen.

    Args:
        folder: to work in.
        states: core states of the policies.
        seconds: of load.
        rate: requests per second.
        swaps: to another policy.
        bad: policies that have to be refused.
    """
    folder.mkdir(parents=True, exist_ok=True)
    one, other = policies(states, (0.5, 0.99))
    rows = observations(BODIES)
    expected = {policy.compact().digest: policy.decide(rows).names for policy in (one, other)}
    path, log = folder / "policy", folder / "server.log"
    log.unlink(missing_ok=True)
    da.save(one, path)
    events = [*("swap" for _ in range(swaps)), *("bad" for _ in range(bad))]
    events = [event for _, event in sorted(zip(_spread(swaps, bad), events, strict=True))]
    audit = "--audit", folder / "audit.jsonl", "--audit-rotate", 16
    with dac_serve(path, *audit, log=log) as server:
        bodies, every = single_bodies(rows), seconds / (len(events) + 1)
        question = Question(
            server.port, "/v1/decide", bodies, JSON, seconds, CONNECTIONS, rate, expected
        )
        memory = [server.resident_bytes()]
        with generating(question) as generator:
            turn = [other, one]
            bad_ones = count()
            for event in events:
                _watch(server, every, memory, len(events))
                if event == "swap":
                    da.save(turn[0], path)
                    turn.reverse()
                else:
                    _spoil(path, turn[1], next(bad_ones))
            _watch(server, every, memory, len(events))
            found = finished(generator)
        memory.append(server.resident_bytes())
    said = [json.loads(line) for line in log.read_text().splitlines()]
    counts = [line["event"] for line in said]
    return {
        "answer": asdict(found),
        "differing_bodies": sum(a != b for a, b in zip(*expected.values(), strict=True)),
        "swapped": counts.count("policy swapped"),
        "refused": counts.count("policy refused"),
        "reasons": sorted({line["reason"][-60:] for line in said if "reason" in line}),
        "memory_megabytes": [round(size / 2**20, 1) for size in memory],
        "audit_lines": sum(
            len(file.read_bytes().splitlines()) for file in folder.glob("audit*.jsonl")
        ),
    }


def _spread(swaps: int, bad: int) -> list[float]:
    """Return when events are due, bad ones between the others."""
    every = (swaps + 1) / (bad + 1)
    return [*range(1, swaps + 1), *(every * (number + 1) + 0.5 for number in range(bad))]


def _watch(server: Running, seconds: float, memory: list[int], events: int) -> None:
    """Let load go on for a while, and measure memory meanwhile."""
    parts = max(1, SAMPLES // (events + 1))
    for _ in range(parts):
        time.sleep(seconds / parts)
        memory.append(server.resident_bytes())


def _spoil(path: Path, right: da.Policy, number: int) -> None:
    """Put something at the path that must not be served, and leave it there."""
    manifest = path / "manifest.json"
    if number % 3 == 0:
        array = next(path.glob("rule.q_values*"))
        content = array.read_bytes()
        array.unlink()  # the server maps the file: it keeps what it has
        array.write_bytes(content[:-4] + b"\x00\x00\xf8\x7f")
        text = manifest.read_bytes()
        manifest.unlink()
        manifest.write_bytes(text)
    elif number % 3 == 1:
        text = manifest.read_bytes()
        manifest.unlink()
        manifest.write_bytes(text[: len(text) // 2])
    else:
        shutil.rmtree(path)
        da.save(log_of(200), path)
    time.sleep(2.0)
    shutil.rmtree(path)
    da.save(right, path)
