"""Nearest neighbours: the engines, and the graph that they give."""
