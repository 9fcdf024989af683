"""Observations that are pictures, as PNG."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..data.observations import is_image
from ..server.problems import Problem
from .map_picture import png
from .session import Session

MOST_CHANNELS = 16
"""A first dimension up to this is channels or stacked frames, if the last one is larger."""


def state_picture(session: Session, state: int, *, before: bool) -> bytes:
    """Return the picture of a core state, or of the state that its transition came from."""
    data = session.data
    if not is_image(data.observations):
        raise Problem(404, "The observations of this model are no pictures.")
    state = session.state(state)
    side = data.observations if before else data.next_observations
    return png(as_image(np.asarray(side[state])))


def as_image(picture: Array) -> Array:
    """Return [H, W] or [H, W, 3] uint8: of stacked frames the last one."""
    if picture.ndim > 3:
        picture = picture[-1]
    if picture.ndim == 2:
        return picture
    if picture.shape[0] <= MOST_CHANNELS < picture.shape[2]:
        return np.moveaxis(picture, 0, 2) if picture.shape[0] == 3 else picture[-1]
    return picture[..., :3] if picture.shape[2] in (3, 4) else picture[..., -1]
