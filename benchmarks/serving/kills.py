"""kill -9 at random moments under load: the audit log loses the last batch at most.

Every answer that a client got names a decision. After the kill, each of those that is older than
a batch must be in the log, every line of which is whole after the next start.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.serving.servers import Running, dac_serve
from benchmarks.serving.worlds import COLUMNS, observations

CLIENTS = 4
BATCH_SECONDS = 0.05
"""The server's own; what is younger may be lost."""
SYNC_SECONDS = 1.0
"""What writing and syncing may take on a busy disk."""
FIELDS = {"time", "id", "plan", "action", "q", "support", "abstained", "input"}


@dataclass
class Outcome:
    """What kills did.

    Attributes:
        kills: of the server.
        answered: decisions that clients got.
        lost: of those, not in the log.
        oldest_lost_seconds: before the kill, of the oldest that was lost.
        late: lost ones older than a batch and its sync.
        cut: starts that found a line cut off, and removed it.
        broken: lines of the log that are not whole.
        clean_starts: starts after a kill that were ready.
    """

    kills: int = 0
    answered: int = 0
    lost: int = 0
    oldest_lost_seconds: float = 0.0
    late: int = 0
    cut: int = 0
    broken: int = 0
    clean_starts: int = 0
    lines: int = field(default=0)


def run(folder: Path, policy: Path, kills: int, seed: int = 0) -> dict[str, Any]:
    """Kill a server so many times, and return what was seen."""
    folder.mkdir(parents=True, exist_ok=True)
    audit, log = folder / "audit.jsonl", folder / "server.log"
    for old in (audit, log):
        old.unlink(missing_ok=True)
    chance, outcome = random.Random(seed), Outcome()
    for number in range(kills):
        with dac_serve(policy, "--audit", audit, log=log) as server:
            outcome.clean_starts += 1
            answered, died = _until_killed(server, 0.2 + chance.random(), number)
        _compare(outcome, answered, died, audit)
    with dac_serve(policy, "--audit", audit, log=log):
        pass
    text = audit.read_bytes()
    outcome.broken += not text.endswith(b"\n")
    for line in text.splitlines():
        outcome.lines += 1
        outcome.broken += not _is_whole(line)
    outcome.cut = log.read_text().count("audit tail cut")
    return vars(outcome)


def _until_killed(server: Running, seconds: float, number: int) -> tuple[dict[str, float], float]:
    """Ask from several threads, kill the server, and return when each decision was answered."""
    answered: dict[str, float] = {}
    workers = [
        threading.Thread(target=_ask, args=(server.port, f"{number}-{place}", answered.__setitem__))
        for place in range(CLIENTS)
    ]
    for worker in workers:
        worker.start()
    time.sleep(seconds)
    os.kill(server.process.pid, signal.SIGKILL)
    died = time.time()
    server.process.wait()
    for worker in workers:
        worker.join()
    return answered, died


def _ask(port: int, name: str, note: Callable[[str, float], None]) -> None:
    """Ask one decision after another until the server is gone."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    rows = observations(64)
    number = 0
    try:
        while True:
            asked = dict(zip(COLUMNS, rows[number % len(rows)].tolist()))
            body = json.dumps({"observation": asked, "id": f"{name}-{number}"})
            connection.request("POST", "/v1/decide", body, {"content-type": "application/json"})
            answer = json.loads(connection.getresponse().read())
            note(answer["decisions"][0]["id"], time.time())
            number += 1
    except (OSError, http.client.HTTPException, ValueError):
        return
    finally:
        connection.close()


def _compare(outcome: Outcome, answered: dict[str, float], died: float, audit: Path) -> None:
    kept = set()
    for line in audit.read_bytes().splitlines(keepends=True):
        if line.endswith(b"\n"):
            kept.add(json.loads(line)["id"])
    lost = [died - moment for name, moment in answered.items() if name not in kept]
    outcome.kills += 1
    outcome.answered += len(answered)
    outcome.lost += len(lost)
    outcome.oldest_lost_seconds = max([outcome.oldest_lost_seconds, *lost])
    outcome.late += sum(age > BATCH_SECONDS + SYNC_SECONDS for age in lost)


def _is_whole(line: bytes) -> bool:
    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and set(found) >= FIELDS
