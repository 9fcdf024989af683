"""How quickly a studio answers: `python -m benchmarks.studio MODEL`.

Opening: from the start of the process until the page has all that it shows first. Re-plans: from
the question of a slider to the last byte of the recoloured map, each question new. Meanwhile:
what another request waits for while a plan is made. Overtaken: from a newer question to its
answer, while an older one of the same tab is being planned.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from .server import Client, Server, head, serving

SLIDERS: dict[str, list[dict[str, Any]]] = {
    "gamma": [{"gamma": gamma} for gamma in np.linspace(0.9, 0.995, 40).round(5).tolist()],
    "cost": [{"cost": cost} for cost in np.geomspace(0.1, 20.0, 20).round(5).tolist()],
    "slip": [{"slip": slip} for slip in np.linspace(0.01, 0.3, 15).round(4).tolist()],
    "penalty": [{"penalties": {"0": p}} for p in np.linspace(0.01, 0.5, 15).round(4).tolist()],
    "support": [{"support": share} for share in np.linspace(0.05, 0.5, 10).round(4).tolist()],
    "forbidden": [{"forbidden": [0]}, {"forbidden": [1]}],
    "worst case": [{"worst_case": w} for w in np.linspace(0.05, 0.5, 10).round(4).tolist()],
    "horizon": [{"horizon": steps} for steps in range(5, 55, 5)],
    "neighbours": [{"k": k} for k in range(1, 5)],
}
LIMITS = [
    {"ranges": [{"column": 0, "low": end}]} for end in np.linspace(0.2, 1.8, 15).round(3).tolist()
]
"""Of the first column of an action that is a row, between 0 and 2."""


NUMBERED = ("slip", "forbidden")
"""Sliders that the page has for discrete actions only."""


def opened(server: Server) -> tuple[float, dict[str, Any], str]:
    """Return the seconds until the page has what it shows first, the model, and the first plan."""
    client = Client(server.address)
    client.get("/")
    model = json.loads(client.get("/api/model"))
    client.get("/api/axes")
    opening = json.loads(client.get("/api/opening"))
    for axis in opening["axes"]:
        client.get(f"/api/axes/{axis}")
    plan = opening["plan"]["id"]
    client.get(f"/api/plans/{plan}/colouring?by=value")
    return time.perf_counter() - server.began, model, plan


def replanned(
    server: Server, against: str, sliders: list[str], most: int
) -> dict[str, list[float]]:
    """Return, by slider, the milliseconds of every round trip."""
    client, sequence = Client(server.address), 0
    found: dict[str, list[float]] = {}
    for name in sliders:
        for question in ({**SLIDERS, "limits": LIMITS})[name][:most]:
            sequence += 1
            body = {"question": question, "tab": "bench", "sequence": sequence, "against": against,
                    "colouring": "value"}  # fmt: skip
            began = time.perf_counter()
            told = head(client.post("/api/plans", body))["plan"]
            found.setdefault(name, []).append(1000 * (time.perf_counter() - began))
            assert told["status"] == "optimal", told
    return found


def meanwhile(server: Server) -> tuple[float, float]:
    """Return the longest wait of another request while one plans, and of an overtaking one."""
    waits: list[float] = []
    done = threading.Event()

    def look() -> None:
        client = Client(server.address)
        while not done.is_set():
            began = time.perf_counter()
            client.get("/api/pins")
            waits.append(1000 * (time.perf_counter() - began))
            time.sleep(0.01)

    looking = threading.Thread(target=look)
    looking.start()
    overtaken = _overtaken(server)
    done.set()
    looking.join()
    return max(waits), overtaken


def _overtaken(server: Server) -> float:
    def ask(sequence: int, gamma: float) -> None:
        body = {"question": {"gamma": gamma}, "tab": "hasty", "sequence": sequence}
        Client(server.address).post("/api/plans", body)

    older = [threading.Thread(target=ask, args=(n, 0.97 + n / 1e4)) for n in range(5)]
    for thread in older:
        thread.start()
        time.sleep(0.05)
    began = time.perf_counter()
    ask(9, 0.9771)
    taken = 1000 * (time.perf_counter() - began)
    for thread in older:
        thread.join()
    return taken


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--sliders", default=",".join(SLIDERS))
    parser.add_argument("--most", type=int, default=100, help="questions of a slider")
    asked = parser.parse_args()
    with serving(asked.model) as server:
        seconds, model, first = opened(server)
        print(f"{model['states']:,} states; usable {seconds:.2f} s after the start, "
              f"{server.resident_megabytes:.0f} MB")  # fmt: skip
        sliders = asked.sliders.split(",")
        if model["candidates"]:
            sliders = [*(name for name in sliders if name not in NUMBERED), "limits"]
        found = replanned(server, first, sliders, asked.most)
        print(f"{'re-plan by':<12}{'questions':>10}{'median ms':>11}{'95 % ms':>9}{'longest':>9}")
        everything = [one for times in found.values() for one in times]
        for name, times in {**found, "all": everything}.items():
            middle, high = np.quantile(times, (0.5, 0.95))
            print(f"{name:<12}{len(times):>10}{middle:>11.0f}{high:>9.0f}{max(times):>9.0f}")
        wait, overtaking = meanwhile(server)
        print(f"another request meanwhile waits {wait:.0f} ms at most; a question that overtakes "
              f"others has its answer after {overtaking:.0f} ms")  # fmt: skip
        print(f"memory {server.resident_megabytes:.0f} MB now, {server.peak_megabytes:.0f} at most")


if __name__ == "__main__":
    main()
