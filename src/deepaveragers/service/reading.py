"""From the bodies of requests to observations; plain numbers take a short way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from ..arrays import Array
from ..policy.compact import CompactPolicy
from ..server.problems import Problem

JSON, RAW = "application/json", "application/octet-stream"
EXACT = 2**53
"""Whole numbers up to this are the same as float64."""
RAW_DTYPE = np.dtype("<f4")
LARGEST = 1e30
"""Numbers of observations; nothing that was measured is larger."""


def decoded(decoder: msgspec.json.Decoder[Any], body: bytes, form: str) -> Any:
    """Return what a body says; a body that is no JSON gets 400, one of another form 422.

    Args:
        decoder: of the form.
        body: of the request.
        form: what is asked for, by an example.
    """
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Problem(422, f"The body must be like {form}: {error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Problem(400, f"The body is not JSON: {error}.") from None


def one_row(policy: CompactPolicy, observation: Any) -> Array:
    """Return one observation [1, ...]."""
    row = _plain_row(observation, policy.form.names, policy.form.shape)
    if row is not None:
        return np.array([row])
    rows = _checked(policy.read(_known(observation, policy.form.names)))
    if len(rows) != 1:
        raise Problem(422, "observation must be one; several are given as observations.")
    return rows


def many_rows(policy: CompactPolicy, observations: Sequence[Any]) -> Array:
    """Return observations [B, ...]."""
    form = policy.form
    rows = [_plain_row(one, form.names, form.shape) for one in observations]
    if rows and None not in rows:
        return np.array(rows)
    return _checked(policy.read([_known(one, form.names) for one in observations]))


def raw_rows(policy: CompactPolicy, body: bytes) -> Array:
    """Return observations [B, ...] of a body of float32 numbers, row after row."""
    width = int(np.prod(policy.form.shape)) * RAW_DTYPE.itemsize
    if len(body) % width:
        sentence = (
            f"The body must have {width} bytes for each observation, float32 numbers in the "
            f"order of the data; received {len(body)}."
        )
        raise Problem(422, sentence)
    rows = np.frombuffer(body, RAW_DTYPE).reshape(-1, *policy.form.shape)
    return policy.read(rows) if len(rows) else rows


def tensor_rows(policy: CompactPolicy, numbers: Array, dtype: Any) -> Array:
    """Return observations [B, ...] of an array of numbers, as numbers of another type."""
    return policy.read(_checked(numbers).astype(dtype))


def _known(observation: Any, names: Sequence[str] | None) -> Any:
    """Return an observation without what the policy has no use for, whatever it is."""
    if names is None or not isinstance(observation, dict):
        return observation
    parts = {part for name in names for part in (name, *re.split(r"[=\[.]", name)[:1])}
    parts |= {name.rpartition(mark)[0] for name in names for mark in "=["}
    return {name: value for name, value in observation.items() if name and name in parts}


def _checked(rows: Array) -> Array:
    if len(rows) and rows.dtype.kind == "f" and not np.abs(rows).max() <= LARGEST:
        raise Problem(422, f"observation must have numbers within +-{LARGEST:g}.")
    return rows


def _plain_row(
    observation: Any, names: tuple[str, ...] | None, shape: tuple[int, ...]
) -> list[float] | None:
    """Return the numbers of a vector in their order; None where there is more to it.

    What is left to the policy's own reader: pictures, categories, missing values, and whole
    numbers alone, which are other types of array there.
    """
    if len(shape) != 1:
        return None
    if isinstance(observation, dict):
        if names is None:
            return None
        try:
            row = [observation[name] for name in names]
        except KeyError:
            return None
    else:
        row = observation
        if len(row) != shape[0]:
            return None
    floats = False
    for value in row:
        if type(value) is float:
            if not -LARGEST <= value <= LARGEST:
                return None
            floats = True
        elif type(value) is not int or not -EXACT <= value <= EXACT:
            return None
    return row if floats else None
