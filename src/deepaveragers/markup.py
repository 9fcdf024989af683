"""Small pieces of HTML: names in data may hold what a browser would obey."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from .printable import printable


def escaped(text: object) -> str:
    """Return text that a browser shows as it is."""
    return html.escape(printable(str(text)))


def table_html(rows: Iterable[Sequence[object]], header: Sequence[object] = ()) -> str:
    """Return a table; the first cell of each row is its name."""
    head = "".join(f"<th>{escaped(cell)}</th>" for cell in header)
    body = "".join(
        f"<tr><th>{escaped(row[0])}</th>"
        + "".join(f"<td>{escaped(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f'<div class="wide"><table>{top}<tbody>{body}</tbody></table></div>'


def list_html(items: Iterable[object]) -> str:
    """Return a list of sentences."""
    return "<ul>" + "".join(f"<li>{escaped(item)}</li>" for item in items) + "</ul>"


def text_html(text: str) -> str:
    """Return text for a terminal as a notebook shows it."""
    return f"<pre>{escaped(text)}</pre>"
