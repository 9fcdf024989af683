"""How commands end: with an exit code, and one sentence on standard error if not well."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import DataWarning, KernelCacheWarning
from ..printable import printable

WRONG_INPUT, INTERRUPTED = 2, 130
"""Exit codes; 0 is done."""
OURS = DataWarning, KernelCacheWarning


def wants_json(arguments: Iterable[str]) -> bool:
    """Whether the arguments ask for JSON; needed before they are parsed."""
    return "--json" in arguments


@contextmanager
def one_line_warnings() -> Iterator[None]:
    """Say our own warnings in one sentence on standard error, without the place in our code."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def say(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, OURS):
                print(printable(f"dac: {message}"), file=sys.stderr)  # noqa: T201
            else:
                show(message, category, *place, **more)

        warnings.showwarning = say
        for ours in OURS:
            warnings.simplefilter("default", ours)
        yield


def complain(sentence: str, *, as_json: bool) -> None:
    """Say in one sentence what is wrong: on standard error, and as JSON where asked for."""
    sentence = printable(" ".join(sentence.split()))
    print(f"dac: {sentence}", file=sys.stderr)  # noqa: T201
    if as_json:
        print(json.dumps({"error": sentence}))  # noqa: T201
