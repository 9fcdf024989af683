"""Benchmarks: ours and the peers in one run of events, as commands."""
