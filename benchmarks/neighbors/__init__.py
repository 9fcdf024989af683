"""Neighbour engines compared: ours and the libraries', in one run."""
