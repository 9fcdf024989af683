"""Fitting: a policy from a log, and an honest answer to whether it is better than today."""
