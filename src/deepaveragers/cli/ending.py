"""How commands end: with an exit code, and one sentence on standard error if not well."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

WRONG_INPUT, INTERRUPTED = 2, 130
"""Exit codes; 0 is done."""


def wants_json(arguments: Iterable[str]) -> bool:
    """Whether the arguments ask for JSON; needed before they are parsed."""
    return "--json" in arguments


def complain(sentence: str, *, as_json: bool) -> None:
    """Say in one sentence what is wrong: on standard error, and as JSON where asked for."""
    sentence = " ".join(sentence.split())
    print(f"dac: {sentence}", file=sys.stderr)  # noqa: T201
    if as_json:
        print(json.dumps({"error": sentence}))  # noqa: T201
