"""Readers of other formats: one file per format, each loading its library only when used."""
