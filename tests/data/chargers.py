"""A made-up log of buses at chargers, as a depot keeps it: pay in the last row, and much else."""

from __future__ import annotations

from pathlib import Path

import numpy as np

LAST_SLOT = 19


def write_chargers(path: Path, nights: int = 60, *, totals: str = "Total;;;;;;{}") -> Path:
    """Write a table with semicolons, decimal commas, `n/a`, two spellings and a row of totals.

    Args:
        path: where.
        nights: episodes; all end at the same slot, unless the charger trips.
        totals: the last row, with a place for the sum.
    """
    random = np.random.default_rng(0)
    lines, total = ["Night;Slot;Charge %;Price ct;Fault;Setting;Paid EUR"], 0.0
    for night in range(nights):
        charge, price, fault = random.uniform(20, 50), random.uniform(8, 30), False
        for slot in range(int(random.integers(3)), LAST_SLOT + 1):
            setting = str(random.choice(["off", "slow", "fast"]))
            written = setting.upper() if random.random() < 0.03 else setting
            told = "n/a" if random.random() < 0.02 else _comma(price)
            trips = setting == "fast" and fault and random.random() < 0.1
            gain = {"off": 0.0, "slow": 3.2, "fast": 7.5}[setting]
            paid = -15.0 if trips else 30.0 if charge + gain >= 85 else (charge + gain) / 10
            last = trips or slot == LAST_SLOT
            total += paid if last else 0.0
            cells = [f"N-{night:03d}", str(slot), _comma(charge), told, "yes" if fault else "no"]
            lines.append(";".join([*cells, written, _comma(paid) if last else ""]))
            if last:
                break
            charge, price = min(100.0, charge + gain), price + random.normal()
            fault = bool(random.random() < 0.1)
    lines.append(totals.format(_comma(total)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _comma(number: float) -> str:
    return f"{number:.2f}".replace(".", ",")
