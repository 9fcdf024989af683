"""How a text table is laid out: the character between cells, and the encoding."""

from __future__ import annotations

from ...arguments import shown
from ...errors import InputError


def check_text_file(delimiter: object, encoding: object) -> None:
    """Raise an error unless a text table can be laid out so."""
    one = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '\r\n"\0'
    if delimiter is not None and not one:
        raise InputError("delimiter", "one character, or None", shown(delimiter))
    try:
        known = isinstance(encoding, str) and bool("a".encode(encoding))
    except (LookupError, ValueError):
        known = False
    if not known:
        raise InputError("encoding", "such as utf-8, cp1252 or utf-16", shown(encoding))
