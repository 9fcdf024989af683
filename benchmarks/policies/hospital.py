"""A ward with a known truth: patients with high lactate and low pressure, and four treatments.

The vitals take finitely many values, so the value of every policy is exact. Who is old bears
vasopressors badly; the logged clinicians do not look at age, and give too many.
"""

from __future__ import annotations

import itertools

import numpy as np

from .finite import FiniteWorld

LACTATE = np.array([1.0, 1.8, 2.6, 3.5, 4.5, 6.0, 8.0, 11.0])
"""mmol/L; up to 2 is normal."""
PRESSURE = np.array([45.0, 53.0, 60.0, 67.0, 75.0, 85.0])
"""Mean arterial pressure, mmHg; 65 is aimed at."""
AGE = np.array([42.0, 63.0, 84.0])
"""Years; it does not change."""
ACTIONS = ("watch", "fluids", "vasopressor", "both")
PRICES = np.array([0.0, 0.002, 0.005, 0.007])
"""Of a treatment for four hours; a life is worth 2."""
ASTRAY = 0.35
"""Share of the clinicians' actions that are drawn at random."""


def ward() -> FiniteWorld:
    """Return the world: a state per combination of vitals, then discharge and death."""
    vitals = list(itertools.product(range(len(LACTATE)), range(len(PRESSURE)), range(len(AGE))))
    discharge, death = len(vitals), len(vitals) + 1
    chances = np.zeros((len(vitals) + 2, len(ACTIONS), len(vitals) + 2))
    for state, (lactate, pressure, age) in enumerate(vitals):
        for action in range(len(ACTIONS)):
            fluids, vasopressor = action % 2, action // 2
            dies = _chance(-6.5 + 0.5 * lactate - 0.9 * (pressure - 2) + 0.9 * age * vasopressor)
            well = 0.6 * (lactate <= 1 and pressure >= 3) * (1.0 - dies)
            chances[state, action, [death, discharge]] = dies, well
            falls = 0.15 + 0.3 * fluids - 0.05 * age + 0.1 * (pressure >= 3)
            rises = 0.2 - 0.08 * fluids + 0.15 * (pressure < 2)
            up = 0.1 + 0.2 * fluids + 0.45 * vasopressor
            down = 0.3 - 0.1 * fluids - 0.15 * vasopressor + 0.15 * (lactate > 4)
            for (less, p), (higher, q) in itertools.product(
                _moves(lactate, falls, rises, len(LACTATE)),
                _moves(pressure, down, up, len(PRESSURE)),
            ):
                to = vitals.index((less, higher, age))
                chances[state, action, to] += (1.0 - dies - well) * p * q
    chances[discharge:, :, :] = np.eye(len(vitals) + 2)[discharge:, None, :]
    ends = np.arange(len(vitals) + 2) >= discharge
    seen = [(LACTATE[one], PRESSURE[other], AGE[last]) for one, other, last in vitals]
    admitted = np.array([lactate >= 4 and pressure <= 2 for lactate, pressure, _ in vitals])
    return FiniteWorld(
        chances=chances,
        arriving=np.where(np.arange(len(ends)) == death, -1.0, ends.astype(float)),
        prices=PRICES,
        ends=ends,
        starts=np.append(admitted / admitted.sum(), (0.0, 0.0)),
        observations=np.array([*seen, (0.0, 90.0, 0.0), (15.0, 0.0, 0.0)], np.float32),
        behaviour=np.array([_clinician(*one) for one in vitals] + [[1.0, 0.0, 0.0, 0.0]] * 2),
        actions=ACTIONS,
    )


def _chance(logit: float) -> float:
    return float(1.0 / (1.0 + np.exp(-logit)))


def _moves(level: int, down: float, up: float, levels: int) -> list[tuple[int, float]]:
    """Return a vital's next levels with their chances."""
    lower, higher = max(level - 1, 0), min(level + 1, levels - 1)
    return [(lower, down), (level, 1.0 - down - up), (higher, up)]


def _clinician(lactate: int, pressure: int, age: int) -> list[float]:
    """Fluids against lactate and vasopressors against low pressure, whatever the age."""
    usual = int(lactate >= 2) + 2 * int(pressure <= 2)
    return [ASTRAY / len(ACTIONS) + (1.0 - ASTRAY) * (action == usual) for action in range(4)]
