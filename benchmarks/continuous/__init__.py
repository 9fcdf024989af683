"""Continuous actions: how good policies are, and how long they take."""
