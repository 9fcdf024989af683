"""Stateless numerical kernels: arrays in, arrays out. `jit` says how they are compiled."""
