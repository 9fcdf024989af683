"""Progress of work on other machines: the files that have appeared."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..progress import progress


@contextmanager
def watched(
    label: str, targets: Mapping[Path, int], show: bool | None
) -> Iterator[Callable[[], None]]:
    """Yield a function that advances a bar by the files that have appeared.

    Args:
        label: what is being done, in a word or two.
        targets: the files that are to come, and how many items each is of.
        show: force the bar on or off; None shows it on a terminal.
    """
    waiting = dict(targets)
    with progress(label, sum(targets.values()), show=show) as advance:

        def look() -> None:
            there = {
                Path(entry.path)
                for folder in {path.parent for path in waiting}
                if folder.exists()
                for entry in os.scandir(folder)
            }
            for path in there & waiting.keys():
                advance(waiting.pop(path))

        look()
        yield look
        look()
