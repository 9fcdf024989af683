"""How kernels are compiled: without the interpreter's lock, and kept on disk where possible.

Numba keeps compiled code beside the package, or in the user's cache. Where neither can be
written (a read-only image without a home), kernels are compiled anew in every process, after
one sentence that says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numba

from ..compiling import PACKAGE, watch_compiling
from ..errors import KernelCacheWarning

UNCACHED = (
    f"{PACKAGE} cannot keep its compiled kernels: neither the package nor the user's cache can be "
    "written. Every process compiles them again, which takes seconds. Set NUMBA_CACHE_DIR to a "
    "folder that can be written."
)


def jit(**options: Any) -> Callable[[Any], Any]:
    """Return a decorator: `numba.njit` with these options, kept on disk where that is possible."""

    def decorate(function: Callable[..., Any]) -> Any:
        watch_compiling()
        # Making doors for Python takes a fifth of the time that compiling does. Private kernels
        # are called by kernels only, and have none: called from Python, they would crash.
        private = function.__name__.startswith("_")
        doors = {"no_cfunc_wrapper": True, "no_cpython_wrapper": private}
        dispatcher = numba.njit(nogil=True, error_model="numpy", **doors, **options)(function)
        try:
            dispatcher.enable_caching()
        except RuntimeError:
            _warn_once()
        return dispatcher

    return decorate


def plain(record: Any) -> Any:
    """Return a record of arrays, and of records, as plain tuples.

    Numba recognises those in a fifth of the time, which counts where a call has little to do.
    """
    if not isinstance(record, tuple):
        return record
    return tuple(plain(part) for part in record)


@cache
def _warn_once() -> None:
    warnings.warn(UNCACHED, KernelCacheWarning, stacklevel=2)


kernel = jit()
"""A kernel like most."""
inlined = jit(inline="always")
"""Copied into its callers before types are known."""
fused = jit(fastmath={"contract"})
"""A product and the sum it is added to are rounded once: for guesses in float32, which get half
as noisy. Bits then depend on the processor."""
reassociated = jit(fastmath={"reassoc", "contract"})
"""Sums in any order, so that they are vectorised: for guesses."""
unordered = jit(fastmath={"nnan", "nsz", "reassoc"})
"""For a maximum, whose result does not depend on the order."""
