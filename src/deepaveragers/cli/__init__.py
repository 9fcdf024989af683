"""The command line `dac`: the library's words, and no logic of its own."""

from __future__ import annotations

import sys

from .ending import INTERRUPTED, complain, wants_json

__all__ = ["main"]

READING = frozenset(
    {"doctor", "evaluate", "explain", "compare", "guarantee", "info", "quickstart", "studio"}
)
"""Commands that write no bundle."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        # Loaded here, so that Ctrl-C ends this too in one sentence.
        from .app import run

        code = run(arguments)
    except KeyboardInterrupt:
        wrote = not READING.intersection(arguments[:1])
        kept = "; no bundle is left half-written" if wrote else ""
        complain(f"Interrupted{kept}.", as_json=wants_json(arguments))
        code = INTERRUPTED
    sys.exit(code)
