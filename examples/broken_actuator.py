"""The strong burner breaks: forbid it, plan again in milliseconds, and see what that costs."""

from heating import read_log

import deepaveragers as da

data = read_log()
mdp = da.compile(data, k=5)  # the neighbours are looked up once, here
whole = mdp.solve(gamma=0.95)
broken = mdp.solve(gamma=0.95, forbidden_actions=["high"])
print(f"planned again in {1000 * broken.seconds:.0f} ms")
print(f"mean value {whole.values.mean():.2f} with all burners, {broken.values.mean():.2f} without")
print(whole.compare(broken))

evening = [16.0, -3.0]
for name, plan in (("whole", whole), ("broken", broken)):
    print(f"{name}: at {evening} burner {data.action_names[plan.policy().act(evening)]}")
