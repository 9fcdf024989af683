"""Encoders: from observations to the space in which distances are measured."""
