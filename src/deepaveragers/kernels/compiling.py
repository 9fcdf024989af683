"""Saying that kernels are being compiled: it takes seconds, and only the first time.

Numba keeps what it compiled beside the package, or in the user's cache. It tells listeners when
it has to compile; what it finds ready is not told.
"""

from __future__ import annotations

from functools import cache

from numba.core import event

from ..progress import note

PACKAGE = __name__.partition(".")[0]
SENTENCE = f"{PACKAGE}: preparing kernels, once per installation"


class _Announcer(event.Listener):  # type: ignore[misc]
    """Says it once, and of our own kernels only."""

    def __init__(self) -> None:
        self._said = False

    def on_start(self, event: event.Event) -> None:
        """Say it."""
        module = str(event.data["dispatcher"].py_func.__module__)
        if not self._said and module.startswith(f"{PACKAGE}."):
            self._said = True
            note(SENTENCE)

    def on_end(self, event: event.Event) -> None:
        """Do nothing."""


@cache
def announce_compiling() -> None:
    """From now on, say on a terminal when kernels have to be compiled; called again, do nothing."""
    event.register("numba:compile", _Announcer())
