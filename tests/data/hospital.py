"""A table as a hospital might hand it over: 300 patients, made up."""

from __future__ import annotations

import csv
from datetime import datetime, timedelta

import numpy as np

IMPORT = {
    "episode": "patient",
    "time": "charttime",
    "action": "drug",
    "reward": "reward",
    "terminated": "outcome",
    "reward_fill": 0,
    "fill": "forward",
}
"""What the columns mean."""


def patients(count=300, seed=0):
    """Return the columns: text ids, timestamps, missing labs, none/low/high, text outcomes."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        severity, age, sex = random.normal(1.5, 1.0), int(random.integers(30, 90)), "FM"[number % 2]
        moment = datetime(2024, 8, 14, 13, 12) + timedelta(hours=int(random.integers(5000)))
        for _ in range(24):
            drug = ("none", "low", "high")[int(random.integers(3))]
            seen = severity  # measured first, then treated
            severity += 0.25 - {"none": 0.0, "low": 0.3, "high": 0.5}[drug] + random.normal(0, 0.3)
            ended = "died" if severity > 3.5 else "discharged" if severity < -0.5 else ""
            lactate = round(1.0 + max(seen, 0.0), 2)
            rows.append(
                {
                    "patient": f"P{number:04d}",
                    "charttime": moment,
                    "age": age,
                    "sex": sex,
                    "lactate": None if random.random() < 0.3 else lactate,
                    "pressure": round(95 - 9 * seen + random.normal(0, 2), 1),
                    "drug": drug,
                    "outcome": ended or None,
                    "reward": {"died": -1.0, "discharged": 1.0}.get(ended),
                }
            )
            moment += timedelta(hours=4)
            if ended:
                break
    order = random.permutation(len(rows))
    return {name: [rows[place][name] for place in order] for name in rows[0]}


def write_csv(path, columns, *, delimiter=",", decimal=".", dates=str):
    """Write the columns as text with an index column."""

    def text(value):
        if value is None:
            return ""
        if isinstance(value, float):
            return str(value).replace(".", decimal)
        return dates(value) if isinstance(value, datetime) else str(value)

    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["", *columns])
        for number, row in enumerate(zip(*columns.values(), strict=True)):
            writer.writerow([number, *map(text, row)])
    return path
