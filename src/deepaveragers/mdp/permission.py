"""Which candidates a state may take: those that are not forbidden, masked, or unusual there.

With u the actions in units of their columns' deviation in the data, the support of candidate j
among the candidates i of its state is

    n_j = sum_i exp(-|u_i - u_j|^2 / (2 h^2 Da)),    h = 0.5

about the number of candidates that did nearly the same; j is available if n_j >= p max_i n_i,
i over those that are allowed. So the likeliest one always is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import unmasked
from ..arrays import Array, Bool, Float64, Int32
from ..errors import InputError

WIDTH = 0.5
"""h: what counts as nearly the same action, in deviations of a column."""
ROWS = 65_536
"""Candidates that a mask or support is asked of at once, about."""


@dataclass(frozen=True, eq=False)
class Permission:
    """What an objective allows, on arrays alone.

    Attributes:
        actions: [N, Da] of the transitions.
        deviations: [Da] float64, units of their columns.
        permitted: [N] bool, transitions whose action is not forbidden; None where none is.
        share: p, 0 asks for no support.
        mask: a function of observations [B, ...] and actions [B, Da]; None where there is none.
    """

    actions: Array
    deviations: Float64
    permitted: Bool | None = None
    share: float = 0.0
    mask: Callable[..., Any] | None = None

    def allowed(
        self, transitions: Int32, observations: Array | None, given: Bool | None = None
    ) -> Bool:
        """Return [B, m] bool: which of the candidates of B states may be taken; [1, m] if all.

        Args:
            transitions: [B, m] the candidates.
            observations: [B, ...] of the states, which a mask looks at.
            given: [B, m] bool, a mask that is known; None where there is none.
        """
        if self.permitted is None and self.mask is None and not self.share and given is None:
            return np.ones((1, transitions.shape[1]), dtype=bool)
        allowed = transitions >= 0
        if self.permitted is not None:
            allowed &= self.permitted[transitions]
        if self.mask is not None and observations is not None:
            for part in _parts(len(transitions), transitions.shape[1]):
                allowed[part] &= self._masked(self.mask, observations[part], transitions[part])
        if given is not None:
            allowed &= given
        if self.share:
            for part in _parts(len(transitions), transitions.shape[1] ** 2):
                allowed[part] = self._supported(transitions[part], allowed[part])
        return allowed

    def _masked(self, mask: Callable[..., Any], seen: Array, transitions: Int32) -> Bool:
        m = transitions.shape[1]
        rows = np.repeat(np.asarray(seen), m, axis=0)
        flags = mask(rows, self.actions[transitions.reshape(-1)])
        return flags_of("action_mask", flags, len(rows)).reshape(-1, m)

    def _supported(self, transitions: Int32, allowed: Bool) -> Bool:
        units = self.actions[transitions] / self.deviations
        gaps = np.square(units[:, :, None] - units[:, None, :]).sum(axis=3)
        alike = np.exp(-gaps / (2.0 * WIDTH**2 * units.shape[2]))
        counts = (alike * (transitions >= 0)[:, None, :]).sum(axis=2)
        most = np.where(allowed, counts, 0.0).max(axis=1, keepdims=True)
        return allowed & (counts >= self.share * most)


def deviations_of(actions: Array) -> Float64:
    """Return [Da] float64, the columns' standard deviations; 1 where a column is constant."""
    deviation = actions.std(axis=0, dtype=np.float64)
    return np.where(deviation > 0.0, deviation, 1.0)


def _parts(rows: int, each: int) -> Iterator[slice]:
    step = max(1, ROWS // each)
    for start in range(0, rows, step):
        yield slice(start, start + step)


def flags_of(parameter: str, given: Any, *shape: int) -> Bool:
    """Return flags of a shape; what is none is refused."""
    flags = np.asarray(unmasked(parameter, given))
    if flags.shape != shape:
        raise InputError(parameter, f"flags of shape {shape}", f"shape {flags.shape}")
    if flags.dtype != np.bool_ and (
        flags.dtype.kind not in "iuf" or not np.isin(flags, (0, 1)).all()
    ):
        raise InputError(parameter, "flags: true or false, 1 or 0", f"other {flags.dtype}")
    return flags.astype(bool)
