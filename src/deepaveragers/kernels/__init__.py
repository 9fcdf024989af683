"""Stateless numerical kernels: arrays in, arrays out. `reference` is the specification."""
