"""Logs shaped as the Open Bandit Dataset ships them: made up, with a known click rate."""

from __future__ import annotations

import csv
from datetime import UTC, datetime, timedelta
from hashlib import md5

import numpy as np

ITEMS, POSITIONS = 12, 3
HEADER = [
    "", "timestamp", "item_id", "position", "click", "propensity_score",
    *(f"user_feature_{place}" for place in range(4)),
    *(f"user-item_affinity_{item}" for item in range(ITEMS)),
]  # fmt: skip


def click_rates(kinds):
    """Return [n, items] chances of a click, for kinds of users."""
    items = np.arange(ITEMS)
    return 0.04 + 0.12 * (items % 4 == np.asarray(kinds)[:, None]) + 0.01 * (items % 3)


def hidden(*values):
    """Return values as the dataset hides them: a digest."""
    return md5(str(values).encode(), usedforsecurity=False).hexdigest()


def write_log(path, chances, rows=10_000, seed=0):
    """Write a log of a policy with chances [positions, items], and return its click rate."""
    random = np.random.default_rng(seed)
    kinds = random.integers(4, size=rows)
    positions = random.integers(POSITIONS, size=rows)
    items = np.array([random.choice(ITEMS, p=chances[place]) for place in positions])
    clicks = random.random(rows) < click_rates(kinds)[np.arange(rows), items]
    affinity = random.poisson(0.1, size=(rows, ITEMS)).astype(float)
    moment = datetime(2019, 11, 24, tzinfo=UTC)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for row in range(rows):
            moment += timedelta(microseconds=int(random.integers(1, 10**7)))
            told = [
                md5(f"{place}{kinds[row] % (place + 2)}".encode()).hexdigest() for place in range(4)
            ]
            chance = chances[positions[row], items[row]]
            writer.writerow(
                [row, moment, items[row], positions[row] + 1, int(clicks[row]), chance, *told,
                 *affinity[row]]
            )  # fmt: skip
    return float(clicks.mean())


def true_rate(chances):
    """Return the click rate of a policy with chances [positions, items]."""
    return float((click_rates(np.arange(4)).mean(axis=0) * chances.mean(axis=0)).sum())
