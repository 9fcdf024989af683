"""Experiments on the paper's Atari games."""
