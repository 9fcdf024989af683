"""The house behind heating.csv: 40 days of a thermostat that somebody kept fiddling with.

Run it to write the log again. The examples only read the log: there is no simulator to ask.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import deepaveragers as da

LOG = Path(__file__).with_name("heating.csv")
POWERS = {"off": 0.0, "low": 0.6, "high": 1.5}
PRICES = {"off": 0.0, "low": 0.2, "high": 0.6}
WANTED = 21.0


def read_log() -> da.Transitions:
    """Return the log's transitions; `from_csv_to_policy.py` tells how."""
    return da.read(
        LOG,
        episode="day",
        time="half_hour",
        observations=["inside", "outside"],
        action="burner",
        reward="comfort",
    )


def write_log(path: Path = LOG, days: int = 40, steps: int = 48, seed: int = 0) -> Path:
    """Write a row per half hour: what was measured, what was done, and what it was worth."""
    rng = np.random.default_rng(seed)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["day", "half_hour", "inside", "outside", "burner", "comfort"])
        for day in range(days):
            inside, weather = rng.uniform(15.0, 25.0), rng.uniform(-5.0, 12.0)
            for step in range(steps):
                outside = weather - 4.0 * np.cos(2.0 * np.pi * step / steps)
                burner = _habit(inside, rng)
                comfort = -abs(inside - WANTED) - PRICES[burner]
                readings = (f"{inside:.2f}", f"{outside:.2f}", burner, f"{comfort:.3f}")
                writer.writerow([day, step, *readings])
                inside += 0.03 * (outside - inside) + POWERS[burner] + rng.normal(0.0, 0.05)
    return path


def _habit(inside: float, rng: np.random.Generator) -> str:
    """A crude thermostat, overruled by hand every third time."""
    if rng.random() < 1 / 3:
        return str(rng.choice(list(POWERS)))
    return "high" if inside < WANTED - 1.0 else "off"


if __name__ == "__main__":
    print(f"wrote {write_log()}")
