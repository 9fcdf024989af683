"""Why this action? The logged transitions behind it, its likely future, and when to abstain."""

from heating import read_log

import deepaveragers as da

data = read_log()
plan = da.compile(data, k=5).solve(gamma=0.95)
policy = plan.policy(k=5)

decision = policy.explain([19.0, 2.0])
print(decision)
total = sum(evidence.share for evidence in decision.evidence)
print(f"the shares add up to the Q-value: {total:.6f} = {max(decision.q_values.values()):.6f}")

print("what the data let one expect:")
for step in policy.imagine([19.0, 2.0], steps=4):
    print(f"  {step.action}, as in transition {step.transition}: reward {step.reward:.2f}")

careful = plan.policy(k=5, support_threshold=0.01, fallback="off")
heatwave = careful.explain([38.0, 36.0])
print(f"a heatwave is unlike the data: {heatwave.unlike}; burner {heatwave.action_name}")
