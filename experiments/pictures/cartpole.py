"""CartPole seen as two small pictures, drawn by NumPy.

The pictures are those of the last two steps, so that speeds can be read off them. Edges are
soft: a movement of less than a pixel shows.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

HEIGHT, WIDTH = 24, 36
POLE, CART_HALF, GROUND = 15.0, 3.0, 21.0
"""Length of the pole, half of the cart's width and the height of its axle, in pixels."""


class PicturePole(gym.Wrapper[np.ndarray, int, np.ndarray, int]):
    """CartPole-v1 whose observations are (2, 24, 36) uint8, the last picture second."""

    def __init__(self) -> None:
        super().__init__(gym.make("CartPole-v1", disable_env_checker=True))
        self.observation_space = gym.spaces.Box(0, 255, (2, HEIGHT, WIDTH), np.uint8)
        self._last = np.zeros((HEIGHT, WIDTH), np.uint8)

    def reset(self, **options: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Return the first picture twice."""
        state, about = self.env.reset(**options)
        self._last = draw(state)
        return np.stack([self._last, self._last]), about

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Return the last picture and the new one."""
        state, reward, terminated, truncated, about = self.env.step(action)
        before, self._last = self._last, draw(state)
        return (
            np.stack([before, self._last]),
            float(reward),
            terminated,
            truncated,
            about,
        )


def draw(state: np.ndarray) -> np.ndarray:
    """Return the picture (24, 36) uint8 of a state: place, speed, angle, angular speed."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH].astype(float)
    axle = WIDTH / 2 + state[0] * (WIDTH / 2 - CART_HALF) / 2.4
    lean = 3.0 * state[2]
    """The angle is drawn three times as large: it ends an episode at 12 degrees."""
    along = np.array([-np.cos(lean), np.sin(lean)]) * POLE
    offset = np.stack([rows - GROUND, columns - axle])
    share = np.clip(np.tensordot(along, offset, 1) / POLE**2, 0.0, 1.0)
    pole = np.hypot(*(offset - along[:, None, None] * share))
    cart = np.maximum(np.abs(columns - axle) - CART_HALF, np.abs(rows - GROUND) - 1.0)
    distance = np.minimum(pole - 1.0, cart)
    return (255 * np.clip(1.0 - distance, 0.0, 1.0)).astype(np.uint8)
