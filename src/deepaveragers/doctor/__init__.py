"""The data doctor: what looks wrong in a log, and what can be repaired."""
