"""Judging policies: rollouts and statistics."""
