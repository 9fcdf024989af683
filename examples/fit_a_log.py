"""A policy from a log, and whether it is better than today; here the truth is known too."""

import deepaveragers as da

data = da.collect("CartPole-v1", steps=2_000, seed=1)  # a log; the environment is now gone
fit = da.fit(data, time_budget=30, seed=0)  # seconds; without a budget, networks are learnt too
print(fit)

today = data.episode_returns().mean()
truth = da.evaluate(fit.policy, "CartPole-v1", episodes=20, seed=0).mean
print(f"\nWhat nobody asked: it really earns {truth:.0f} a time, today {today:.0f}.")
