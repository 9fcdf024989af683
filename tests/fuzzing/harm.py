"""Harm to files: bits, bytes and pieces, in the file as it lies there or in what it packs."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from pathlib import Path

import numpy as np

TOKENS = (
    *(b"nan", b"inf", b",", b'"', b"\n", b"-1", b"1e400", b"\x00", b"\xff\xff\xff\xff", b"1_000"),
    *(b"\xef\xbc\x91", b"\x80", b"[[[[", b"{", b"9" * 400, b"\r", b"\xed\xa0\x80", b"none", b"-0"),
)
MOST_HARMS = 3


def harmed(content: bytes, random: np.random.Generator) -> bytes:
    """Return the bytes with one to three harms."""
    changed = bytearray(content)
    for _ in range(int(random.integers(1, MOST_HARMS + 1))):
        _harm(changed, random)
    return bytes(changed)


def _harm(content: bytearray, random: np.random.Generator) -> None:
    place = int(random.integers(len(content) + 1))
    kind = int(random.integers(8))
    if kind == 0 and place < len(content):
        content[place] ^= 1 << int(random.integers(8))
    elif kind == 1:
        size = int(random.integers(1, 9))
        content[place : place + size] = random.bytes(size)
    elif kind == 2:
        del content[place : place + int(random.integers(1, 40))]
    elif kind == 3:
        content[place:place] = content[: int(random.integers(1, 200))]
    elif kind == 4:
        del content[place:]
    elif kind == 5:
        size, other = int(random.integers(1, 64)), int(random.integers(len(content) + 1))
        content[place : place + size] = content[other : other + size]
    elif kind == 6:
        number = int(random.choice([0, 1, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1]))
        size = int(random.choice([1, 2, 4, 8]))
        content[place : place + size] = (number % 256**size).to_bytes(size, "little")
    else:
        content[place:place] = TOKENS[int(random.integers(len(TOKENS)))]


def harmed_inside(content: bytes, random: np.random.Generator) -> bytes | None:
    """Return a packed file with its contents harmed, and checksums right; None if it packs none."""
    if content[:2] == b"\x1f\x8b":
        return gzip.compress(harmed(gzip.decompress(content), random), 1)
    if content[:2] != b"PK":
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
    except (zipfile.BadZipFile, zlib.error):
        return None
    name = str(random.choice(sorted(members)))
    members[name] = harmed(members[name], random)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, inner in members.items():
            archive.writestr(each, inner)
    return packed.getvalue()


def harm_path(path: Path, random: np.random.Generator) -> None:
    """Harm a file, or one of the files below a directory."""
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    file = files[int(random.integers(len(files)))]
    whole = file.read_bytes()
    inside = harmed_inside(whole, random) if random.random() < 0.5 else None
    file.unlink()  # a copy may be a link to what others read
    file.write_bytes(harmed(whole, random) if inside is None else inside)
