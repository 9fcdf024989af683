"""Nearest neighbours: engines, the choice between them, and the graph that they build."""
