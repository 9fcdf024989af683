"""From a log to a policy: read, look at it, compile, plan, act."""

from pathlib import Path

import deepaveragers as da

data = da.read(
    Path(__file__).with_name("heating.csv"),
    episode="day",
    time="half_hour",
    observations=["inside", "outside"],
    action="burner",
    reward="comfort",
)
print(f"{len(data):,} transitions, actions {', '.join(data.action_names)}")
for finding in da.diagnose(data).findings:
    print(f"doctor: {finding.what}")

mdp = da.compile(data, k=5)
plan = mdp.solve(gamma=0.95, cost=1.0)
print(f"plan: {plan.status}, every value within {plan.error:.2g} of the optimum")

policy = plan.policy(k=11)
for inside in (17.0, 19.0, 21.0, 23.0):
    burner = data.action_names[policy.act([inside, 2.0])]
    print(f"inside {inside:.0f} degrees, outside 2: burner {burner}")
