"""Nearest neighbours: a filter in float32 that loses none, then exact distances."""
