"""Judges: what a policy would earn, from held-out episodes alone."""
