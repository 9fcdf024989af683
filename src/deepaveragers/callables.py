"""Functions that are given as arguments: whether they can be called as they will be."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .errors import InputError


def check_takes(parameter: str, function: Callable[..., Any], *names: str) -> None:
    """Raise an error unless the function takes arguments of these names, by position."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions of C have none that can be read
        return
    try:
        signature.bind(*names)
    except TypeError:
        raise InputError(
            parameter, f"a function of ({', '.join(names)})", f"one of {signature}"
        ) from None
