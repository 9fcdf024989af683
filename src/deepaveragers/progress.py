"""Progress of long work: a bar or a line on a terminal, silence in a pipe.

Rich is loaded only when a bar is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]
"""Called with the number of items finished since the last call."""


def note(sentence: str) -> None:
    """Say one line where a bar would be shown."""
    if sys.stderr.isatty():
        print(sentence, file=sys.stderr, flush=True)  # noqa: T201


@contextmanager
def progress(label: str, total: int, *, show: bool | None = None) -> Iterator[Advance]:
    """Yield a function that advances a bar; the bar appears only on a terminal.

    Args:
        label: what is being done, in a word or two.
        total: number of items.
        show: force the bar on or off; None asks whether standard error is a terminal.
    """
    if show is None:
        show = sys.stderr.isatty()
    if not show:
        yield lambda count: None
        return

    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:>12}"),
        TimeRemainingColumn(),
    )
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=total, rate="")

        def advance(count: int) -> None:
            bar.advance(task, count)
            speed = bar.tasks[0].speed
            bar.update(task, rate=f"{speed:,.0f}/s" if speed else "")

        yield advance
