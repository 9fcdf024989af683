"""The command line `dac`: the library's words, and no logic of its own."""

from .app import main

__all__ = ["main"]
