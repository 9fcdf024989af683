"""What was judged, kept in files, so that a stopped fit can go on.

A file per fold with what its judges learnt, and one per fold and group of candidates, replaced in
one step; its name carries a digest of the data, the candidates and the settings, so that nothing
of another fit is ever taken.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ...data.transitions import Transitions
from ...errors import StorageError
from ...outputs import check_folder
from ..candidates import Candidate
from .judges.playing import Weights
from .judges.verdict import Opinion, Verdict, Withheld


class Kept:
    """What judges learnt, and opinions by fold and group, in a folder or nowhere."""

    def __init__(
        self, folder: Path | None, data: Transitions, candidates: Sequence[Candidate], settings: Any
    ) -> None:
        self._folder = folder
        self._digest = ""
        if folder is None:
            return
        check_folder(folder)
        digest = hashlib.sha256(repr((settings, [*map(_described, candidates)])).encode())
        for name in ("observations", "actions", "rewards", "terminations", "episode_ids"):
            digest.update(np.ascontiguousarray(getattr(data, name)).data)
        self._digest = digest.hexdigest()[:16]

    def get(self, fold: int, group: int) -> list[dict[str, Opinion]] | None:
        """Return what was kept, None for nothing."""
        if self._folder is None:
            return None
        try:
            rows = json.loads(self._file(self._folder, fold, group).read_text())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StorageError(f"{self._folder} cannot be read: {error}.") from error
        return [{name: _opinion(one) for name, one in row.items()} for row in rows]

    def put(self, fold: int, group: int, opinions: Sequence[dict[str, Opinion]]) -> None:
        """Keep opinions."""
        if self._folder is None:
            return
        rows = [{name: _plain(one) for name, one in row.items()} for row in opinions]
        _replace(self._file(self._folder, fold, group), json.dumps(rows).encode())

    def judges(self, fold: int) -> Weights | None:
        """Return what the judges of a fold learnt, None for nothing."""
        if self._folder is None:
            return None
        try:
            with np.load(self._judges_file(self._folder, fold), allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
        except FileNotFoundError:
            return None
        except (OSError, ValueError, BadZipFile) as error:
            raise StorageError(f"{self._folder} cannot be read: {error}.") from error

    def put_judges(self, fold: int, learnt: Weights) -> None:
        """Keep what the judges of a fold learnt."""
        if self._folder is None:
            return
        content = io.BytesIO()
        arrays: dict[str, Any] = dict(learnt)
        np.savez(content, **arrays)
        _replace(self._judges_file(self._folder, fold), content.getvalue())

    def _judges_file(self, folder: Path, fold: int) -> Path:
        return folder / f"fit-{self._digest}-fold{fold}-judges.npz"

    def _file(self, folder: Path, fold: int, group: int) -> Path:
        return folder / f"fit-{self._digest}-fold{fold}-group{group}.json"


def _replace(file: Path, content: bytes) -> None:
    """Write a file in one step; one per fold is written at a time."""
    unfinished = file.with_suffix(".part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        os.replace(unfinished, file)
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror}.") from error


def _described(candidate: Candidate) -> Any:
    encoder = candidate.encoder
    name = encoder if encoder is None or isinstance(encoder, str) else repr(encoder)
    return str(candidate), candidate.objective.unusual(), name


def _plain(opinion: Opinion) -> dict[str, Any]:
    if isinstance(opinion, Withheld):
        return {"reason": opinion.reason}
    return {
        "parts": opinion.parts.tolist(),
        "spread": opinion.spread,
        "effective": opinion.effective,
    }


def _opinion(row: dict[str, Any]) -> Opinion:
    if "reason" in row:
        return Withheld(row["reason"])
    return Verdict(np.array(row["parts"]), row["spread"], row["effective"])
