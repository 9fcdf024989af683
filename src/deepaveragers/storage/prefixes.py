"""Names of arrays in bundles: those of a part begin with its name."""

from __future__ import annotations

from collections.abc import Mapping

from ..arrays import Array


def prefixed(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays under the names that they have as a part."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def within(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays of a part under their own names."""
    start = f"{prefix}."
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}
