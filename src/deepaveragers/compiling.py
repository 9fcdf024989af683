"""Kernels that are being compiled: it takes seconds, and only the first time.

Numba keeps what it compiled beside the package, or in the user's cache. It tells listeners when
it has to compile; what it finds ready is not told. On a terminal we say so. And Ctrl-C waits
until the kernel is ready: LLVM calls Python back while it compiles, where an interrupt is lost,
and the kernel with it.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from threading import current_thread, main_thread
from typing import Any

from numba.core import event

from .progress import note

PACKAGE = __name__.partition(".")[0]
SENTENCE = f"{PACKAGE}: preparing kernels, once per installation"


class _Announcer(event.Listener):  # type: ignore[misc]
    """Says it once, and of our own kernels only."""

    def __init__(self) -> None:
        self._said = False

    def on_start(self, event: event.Event) -> None:
        """Say it."""
        if not self._said and _is_ours(event):
            self._said = True
            note(SENTENCE)

    def on_end(self, event: event.Event) -> None:
        """Do nothing."""


class _Teller(event.Listener):  # type: ignore[misc]
    """Tells when the first of our kernels begins to be compiled, and when the last is ready."""

    def __init__(self, tell: Callable[[bool], object]) -> None:
        self._tell, self._depth = tell, 0

    def on_start(self, event: event.Event) -> None:
        """Tell that kernels are being prepared."""
        if _is_ours(event):
            self._depth += 1
            if self._depth == 1:
                self._tell(True)

    def on_end(self, event: event.Event) -> None:
        """Tell that they are ready."""
        if _is_ours(event):
            self._depth -= 1
            if self._depth == 0:
                self._tell(False)


class _Guard(event.Listener):  # type: ignore[misc]
    """Holds Ctrl-C back while a kernel of ours is compiled; only the main thread can get it."""

    def __init__(self) -> None:
        self._depth, self._pressed = 0, False
        self._before: Any = None

    def on_start(self, event: event.Event) -> None:
        """Take note of Ctrl-C from now on, instead of raising it."""
        if not _is_ours(event) or current_thread() is not main_thread():
            return
        self._depth += 1
        before = signal.getsignal(signal.SIGINT)
        if self._depth == 1 and callable(before):
            self._before = before
            signal.signal(signal.SIGINT, self._take_note)

    def on_end(self, event: event.Event) -> None:
        """Hand on what was held back, when the outermost kernel is ready."""
        if not _is_ours(event) or current_thread() is not main_thread():
            return
        # Numba tells of the end even where an interrupt came before our `on_start`.
        self._depth = max(0, self._depth - 1)
        if self._depth == 0 and self._before is not None:
            before, pressed = self._before, self._pressed
            # Forgotten first: from the next line on, Ctrl-C may end this function.
            self._before, self._pressed = None, False
            signal.signal(signal.SIGINT, before)
            if pressed:
                signal.raise_signal(signal.SIGINT)

    def _take_note(self, number: int, frame: object) -> None:
        self._pressed = True


def _is_ours(event: event.Event) -> bool:
    return str(event.data["dispatcher"].py_func.__module__).startswith(f"{PACKAGE}.")


def load_without_extras() -> None:
    """Load the parts of Numba that look for SciPy's BLAS and for cffi, and let them find none.

    Where these are installed, Numba would import a seventh of a second of SciPy and 20 ms of cffi
    with the first kernel (`python -X importtime`). No kernel of ours needs them.
    """
    hidden = [name for name in ("scipy.linalg.cython_blas", "cffi") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        with suppress(ImportError):
            import numba.core.typing.cffi_utils
            import numba.np.arraymath  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]


@contextmanager
def compile_clock() -> Iterator[Callable[[], float]]:
    """Yield a function that says for how many seconds kernels have been compiled since."""
    listener = event.TimingListener()
    with event.install_listener("numba:compile", listener):
        yield lambda: listener.duration if listener.done else 0.0


@contextmanager
def told_of_compiling(tell: Callable[[bool], object]) -> Iterator[None]:
    """Call a function with True when kernels begin to be compiled, and False when they are ready.

    It is called by the thread that compiles.
    """
    with event.install_listener("numba:compile", _Teller(tell)):
        yield


@cache
def watch_compiling() -> None:
    """From now on, look after kernels that have to be compiled; called again, do nothing."""
    event.register("numba:compile", _Announcer())
    event.register("numba:compile", _Guard())
