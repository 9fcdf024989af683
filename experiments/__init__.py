"""Experiments: what the papers and the README claim, as commands."""
