"""Transitions: the record, its checks, and collecting it from environments."""
