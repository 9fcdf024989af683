"""Choose k, C and k_pi from the log alone; here the truth is known, so look at it afterwards."""

import deepaveragers as da

data = da.collect("CartPole-v1", steps=2_000, seed=1)  # a log; the environment is now gone
candidates = da.candidate_grid(k=(1, 5), cost=(1.0, 1e6), k_pi=(11,))
chosen = da.select(data, candidates, estimates=("cross_fitted",), seed=0)

print("best guess first, and what nobody asked:")
mdp = da.compile(data, k=5)
for score in chosen.scores:
    candidate, guess = score.candidate, score.simulated
    policy = mdp.solve(candidate.asked).policy(k=candidate.k_pi)
    truth = da.evaluate(policy, "CartPole-v1", episodes=20, seed=0).mean
    guessed = f"{guess.value:.0f} [{guess.low:.0f}, {guess.high:.0f}] discounted"
    print(f"{candidate}: guessed {guessed}, true return {truth:.0f}")
