"""SpaceInvaders and Atlantis: bombs and ships are read from the picture."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from ..games import full_picture


class SpaceInvadersPlayer:
    """Fires, sweeps below the fleet every other step, and steps aside from falling bombs."""

    PLAYER_X, FLEET_X = 28, 26
    FIRE, RIGHT_FIRE, LEFT_FIRE = 1, 4, 5
    SKY = slice(52, 75)
    """Rows of the picture between the fleet and the player."""
    BRIGHT = 60
    FAR_ABOVE = 6
    """Rows of the sky in which bombs are not heeded yet."""
    FALL = 4
    """Rows that a bomb falls in a step, at most."""
    NEAR = 8
    """Columns beside the player in which bombs are heeded."""
    EDGES = (18, 62)
    """Columns beyond which the player only steps inwards."""
    SWEEP = (40, 115)

    def __init__(self) -> None:
        self.begin(np.empty(0))

    def begin(self, frame: np.ndarray) -> None:
        """Forget the last episode's sky."""
        self._sky: np.ndarray | None = None
        self._step = 0
        self._way = self.RIGHT_FIRE

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return fire, with or without a step to the right or left."""
        memory = env.unwrapped.ale.getRAM()  # type: ignore[attr-defined]
        place, fleet = int(memory[self.PLAYER_X]), int(memory[self.FLEET_X])
        column = (place - 3) * 84 / 160
        picture = full_picture(env, frame)
        before, self._sky = self._sky, picture[self.SKY] > self.BRIGHT
        self._step += 1
        if before is None:
            return self.FIRE
        aside = self._offsets(before, self._sky, column)
        if len(aside):
            to_left = aside[np.argmin(np.abs(aside))] >= 0
            if column < self.EDGES[0] or column > self.EDGES[1]:
                to_left = column > self.EDGES[1]
            return self.LEFT_FIRE if to_left else self.RIGHT_FIRE
        if self._step % 2:
            return self.FIRE
        if place >= min(fleet + 75, self.SWEEP[1]):
            self._way = self.LEFT_FIRE
        if place <= max(fleet + 5, self.SWEEP[0]):
            self._way = self.RIGHT_FIRE
        return self._way

    def _offsets(self, before: np.ndarray, now: np.ndarray, column: float) -> np.ndarray:
        """Return how many columns beside the player bombs are that may fall on it."""
        left = before & ~now
        fell = np.zeros_like(now)
        for rows in range(1, self.FALL + 1):
            fell[rows:] |= left[:-rows]
        rows_of, columns = np.nonzero(now & ~before & fell)
        offsets = columns[rows_of > self.FAR_ABOVE] - column
        return offsets[np.abs(offsets) < self.NEAR]


class AtlantisPlayer:
    """Fires the middle gun at ships that will be above it, and the outer guns in turns.

    A gun fires only when its button was let go: after each shot comes a step of nothing.
    """

    NOOP, MIDDLE, RIGHT, LEFT = 0, 1, 2, 3
    TURNS = (LEFT, NOOP, NOOP, RIGHT, NOOP, NOOP)
    LANES = (9, 17, 26, 34)
    """Rows of the picture in which ships fly."""
    GUN_ROW, GUN_COLUMN = 45, 40
    SHOT_SPEED = 6.0
    """Rows a step."""
    NEAR = 3
    """Columns by which a shot may miss a ship's middle."""

    def __init__(self) -> None:
        self.begin(np.empty(0))

    def begin(self, frame: np.ndarray) -> None:
        """Forget the last episode's ships."""
        self._ships: dict[int, float] = {}
        self._step = 0
        self._fired = False

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return a gun, or nothing."""
        before, self._ships = self._ships, self._seen(full_picture(env, frame))
        self._step += 1
        if self._fired:
            self._fired = False
            return self.NOOP
        action = self.NOOP
        if self._ships:
            action = self.TURNS[self._step % len(self.TURNS)]
        for row, column in self._ships.items():
            if row in before:
                steps = (self.GUN_ROW - row) / self.SHOT_SPEED + 0.5
                ahead = column + (column - before[row]) * steps
                if abs(ahead - self.GUN_COLUMN) < self.NEAR:
                    action = self.MIDDLE
        self._fired = action != self.NOOP
        return action

    def _seen(self, frame: np.ndarray) -> dict[int, float]:
        """Return the column of the ship in each lane that has one."""
        ships = {}
        for row in self.LANES:
            columns = np.flatnonzero(frame[row - 1 : row + 2].max(axis=0) > 50)
            if len(columns) >= 4 and columns[-1] - columns[0] < 16:
                ships[row] = float(columns.mean())
        return ships
