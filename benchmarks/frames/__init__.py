"""A million Atari-like steps: disk, memory and speed."""
