"""What is proved about the real world, under which assumption, and where more data would help."""

from heating import read_log

import deepaveragers as da

data = read_log()
plan = da.compile(data, k=5).solve(gamma=0.9, cost=20.0)

# One standardised unit is about three degrees, and a degree costs one a step: 20 is generous.
assumed = da.guarantee(plan, delta=0.05, lipschitz=20.0, deterministic=True)
print(f"planned {assumed.mean_value:.1f}; not less than {assumed.mean_lower_bound:.1f} if values")
print(f"change by at most {assumed.lipschitz:.0f} a unit and nothing is left to chance")
for thin in assumed.thinnest[:2]:
    print(f"more data would help at {thin.observation}, burner {thin.action}")

guessed = da.guarantee(plan)
print(f"with chance, and a constant guessed from the data ({guessed.lipschitz:.0f}):", end=" ")
print("says nothing" if guessed.vacuous else f"{guessed.mean_lower_bound:.1f}")
