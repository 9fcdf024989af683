"""Random requests for a while: `python -m benchmarks.studio.random_requests MODEL --minutes 20`.

Prints the server's memory every so often, and ends at the first answer that is the server's own
mistake.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any

from .server import Client, head, serving

COLOURINGS = ("value", "action", "logged", "support", "reward", "gap")
LINES = 10
"""Of the table."""


class RandomClient:
    """Asks a studio at random, as a page does."""

    def __init__(self, address: str, seed: int) -> None:
        self._client, self._random, self._sequence = Client(address), random.Random(seed), 0
        self._model = json.loads(self._client.get("/api/model"))
        self._plans = [json.loads(self._client.get("/api/opening"))["plan"]["id"]]
        self._axes = [axis["id"] for axis in json.loads(self._client.get("/api/axes"))]

    def act(self) -> None:
        """Do one thing."""
        chance = self._random
        plan, state = chance.choice(self._plans), chance.randrange(self._model["states"])
        deed = chance.randrange(10)
        if deed < 4:
            self._replan(plan)
        elif deed == 4:
            by = chance.choice(COLOURINGS)
            self._client.get(f"/api/plans/{plan}/colouring?by={by}")
        elif deed in (5, 6):
            self._client.post("/api/inspect", {"plan": plan, "state": state})
            self._client.post("/api/imagine", {"plan": plan, "state": state})
        elif deed == 7:
            x, y = chance.sample(self._axes, 2)
            self._client.get(f"/api/map.png?x={x}&y={y}&plan={plan}")
            self._client.get(f"/api/axes/{x}")
        elif deed == 8:
            states = chance.sample(range(self._model["states"]), 200)
            self._client.post("/api/inspect/group", {"plan": plan, "states": states})
        else:
            self._client.get(f"/api/{chance.choice(('data', 'trust'))}?plan={plan}")
            self._client.get(f"/api/compare?left={plan}&right={chance.choice(self._plans)}")

    def _replan(self, against: str) -> None:
        chance = self._random
        question: dict[str, Any] = {"gamma": round(chance.uniform(0.8, 0.995), 4)}
        if chance.random() < 0.3:
            question["forbidden"] = [chance.randrange(len(self._model["actions"]))]
        if chance.random() < 0.3:
            question["cost"] = round(chance.uniform(0.0, 10.0), 3)
        self._sequence += 1
        body = {"question": question, "tab": "random", "sequence": self._sequence,
                "against": against}  # fmt: skip
        told = head(self._client.post("/api/plans", body))["plan"]["id"]
        self._plans = [*self._plans, told][-50:]


def main() -> None:
    """Ask for so many minutes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with serving(asked.model) as server:
        client = RandomClient(server.address, asked.seed)
        print(f"{'minutes':>8}{'deeds':>8}{'megabytes':>11}")
        began, deeds = time.monotonic(), 0
        for line in range(1, LINES + 1):
            while time.monotonic() - began < 60 * asked.minutes * line / LINES:
                client.act()
                deeds += 1
            minutes = (time.monotonic() - began) / 60
            print(f"{minutes:>8.1f}{deeds:>8}{server.resident_megabytes:>11.0f}", flush=True)


if __name__ == "__main__":
    main()
