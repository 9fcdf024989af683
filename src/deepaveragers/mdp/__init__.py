"""The compiled MDP and what can be asked of it."""
