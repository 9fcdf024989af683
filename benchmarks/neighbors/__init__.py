"""Neighbour engines compared; see `__main__`."""
