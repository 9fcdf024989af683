"""The sweeps of `kernels.bellman` on a GPU."""
