"""What was judged, kept in files, so that a stopped fit can go on.

A file per fold with what its judges learnt, and one per group of candidates and part that they are
made from, replaced in one step; its name carries a digest of the data, the candidates and the
settings, so that nothing of another fit is ever taken.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ...arrays import Array
from ...cluster.files import write_bytes
from ...data.digest import digest_of
from ...data.packing import pack_transitions
from ...data.transitions import Transitions
from ...errors import StorageError
from ...outputs import check_folder
from ...representation.network_encoder import NetworkEncoder
from ..candidates import Candidate
from .heard import Heard
from .judges.playing import Weights
from .judges.simulated import Simulated
from .judges.verdict import Opinion, Verdict, Withheld

JUDGES_VERSION = 8
"""Raised when judges learn or say something else, so that nothing of earlier ones is taken."""


@dataclass(frozen=True)
class Kept:
    """What judges learnt, and what was said by part and group, in a folder or nowhere.

    Attributes:
        folder: where; None keeps nothing.
        digest: of the fit that they are of.
    """

    folder: Path | None
    digest: str = ""

    def get(self, part: int, group: int) -> list[Heard] | None:
        """Return what was kept, None for nothing."""
        if self.folder is None:
            return None
        try:
            rows = json.loads(self.file(part, group).read_text())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StorageError(f"{self.folder} cannot be read: {error}.") from error
        return [_heard(row) for row in rows]

    def put(self, part: int, group: int, heard: Sequence[Heard]) -> None:
        """Keep what was said."""
        if self.folder is None:
            return
        rows = [
            {
                "opinions": {name: _plain(one) for name, one in own.opinions.items()},
                "inside": [_plain_simulated(one) for one in own.inside],
                "made": own.made,
            }
            for own in heard
        ]
        _replace(self.file(part, group), json.dumps(rows).encode())

    def judges(self, fold: int) -> Weights | None:
        """Return what the judges of a fold learnt, None for nothing."""
        if self.folder is None:
            return None
        try:
            with np.load(self.judges_file(fold), allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
        except FileNotFoundError:
            return None
        except (OSError, ValueError, BadZipFile) as error:
            raise StorageError(f"{self.folder} cannot be read: {error}.") from error

    def put_judges(self, fold: int, learnt: Weights) -> None:
        """Keep what the judges of a fold learnt."""
        if self.folder is None:
            return
        content = io.BytesIO()
        arrays: dict[str, Any] = dict(learnt)
        np.savez(content, **arrays)
        _replace(self.judges_file(fold), content.getvalue())

    def judges_file(self, fold: int) -> Path:
        """Return the file of what the judges of a fold learnt."""
        return self._in_folder(f"fold{fold}-judges.npz")

    def file(self, part: int, group: int) -> Path:
        """Return the file of what was said of a group of candidates made from a part."""
        return self._in_folder(f"part{part}-group{group}.json")

    def _in_folder(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / f"fit-{self.digest}-{name}"


def kept_in(
    folder: Path | None, data: Transitions, candidates: Sequence[Candidate], settings: Any
) -> Kept:
    """Return what a folder keeps of the fit of these candidates to these data."""
    if folder is None:
        return Kept(None)
    check_folder(folder)
    about, arrays = pack_transitions(data)
    text = repr((JUDGES_VERSION, settings, about, sorted(arrays), [*map(_described, candidates)]))
    return Kept(folder, digest_of((arrays[name] for name in sorted(arrays)), text)[:16])


def _replace(file: Path, content: bytes) -> None:
    """Write a file in one step."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(file, content)
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror}.") from error


def _described(candidate: Candidate) -> Any:
    encoder = candidate.encoder
    name: Any = encoder if encoder is None or isinstance(encoder, str) else repr(encoder)
    if isinstance(encoder, NetworkEncoder):
        name = name, {part: _digested(array) for part, array in encoder.weights.items()}
    asked = candidate.objective
    given = {field.name: getattr(asked, field.name) for field in fields(asked)}
    arrays = {part: _digested(one) for part, one in given.items() if isinstance(one, np.ndarray)}
    way = (candidate.k, candidate.k_pi, candidate.lookup, candidate.one_step, candidate.candidates)
    return str(candidate), way, asked.unusual(), arrays, name


def _digested(array: Array) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()


def _plain(opinion: Opinion) -> dict[str, Any]:
    if isinstance(opinion, Withheld):
        return {"reason": opinion.reason}
    return {
        "parts": opinion.parts.tolist(),
        "spread": opinion.spread,
        "effective": opinion.effective,
        "doubt": opinion.doubt,
    }


def _opinion(row: dict[str, Any]) -> Opinion:
    if "reason" in row:
        return Withheld(row["reason"])
    return Verdict(np.array(row["parts"]), row["spread"], row["effective"], row["doubt"])


def _plain_simulated(played: Simulated) -> dict[str, Any]:
    given = {field.name: getattr(played, field.name) for field in fields(played)}
    return {
        name: one.tolist() if isinstance(one, np.ndarray) else one for name, one in given.items()
    }


def _heard(row: dict[str, Any]) -> Heard:
    opinions = {name: _opinion(one) for name, one in row["opinions"].items()}
    return Heard(opinions, tuple(map(_simulated, row["inside"])), row["made"])


def _simulated(row: dict[str, Any]) -> Simulated:
    arrays = {name: np.array(row[name]) for name in ("returns", "at_worst")}
    return Simulated(**{**row, **arrays})
