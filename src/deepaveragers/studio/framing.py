"""Numbers with a head of JSON in one answer.

    uint32 (little endian) L | L bytes of JSON, padded with spaces | payload

The payload begins at a multiple of 8, so that the page reads it in place as an array.
"""

from __future__ import annotations

import msgspec

from ..arrays import Array

ALIGNMENT = 8
LENGTH_BYTES = 4


def framed(head: object, payload: Array) -> bytes:
    """Return the head as JSON and the array's bytes, as above."""
    text = msgspec.json.encode(head)
    padding = -(LENGTH_BYTES + len(text)) % ALIGNMENT
    length = (len(text) + padding).to_bytes(LENGTH_BYTES, "little")
    return b"".join((length, text, b" " * padding, payload.tobytes()))
