"""Freeway, Qbert and Amidar: walking where it is safe, new or both."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np


class FreewayWalker:
    """Walks up, whatever comes."""

    UP = 1

    def begin(self, frame: np.ndarray) -> None:
        """Take note of nothing."""

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return up."""
        return self.UP


class FreewayPlayer:
    """Walks up, and waits while a car is about to cross the next lane."""

    PLAYER_Y, CARS = 14, slice(108, 118)
    """Places of the player's height and of the ten cars' columns, the lowest lane's first."""
    NOOP, UP = 0, 1
    LANE, FIRST_LANE, COLUMN = 16, 16, 44
    """Height of a lane, of the first lane's middle, and the player's column."""
    STRIDE = 4
    """Pixels that the player walks in a step."""
    CLEARANCE, FORESIGHT = 10.0, 4
    """Columns from a car that are not safe, and steps for which they must be."""

    def __init__(self) -> None:
        self.begin(np.empty(0))

    def begin(self, frame: np.ndarray) -> None:
        """Forget the last episode's cars."""
        self._cars: np.ndarray | None = None

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return up, or nothing."""
        memory = env.unwrapped.ale.getRAM()  # type: ignore[attr-defined]
        cars = memory[self.CARS].astype(float)
        before, self._cars = self._cars, cars
        height = int(memory[self.PLAYER_Y]) + self.STRIDE - self.FIRST_LANE
        lane = height // self.LANE + 1
        if before is None or not 0 <= lane < len(cars) or height % self.LANE < self.LANE // 2:
            return self.UP
        speed = cars[lane] - before[lane]
        ahead = cars[lane] + speed * np.arange(self.FORESIGHT + 1)
        return self.NOOP if np.abs(ahead - self.COLUMN).min() < self.CLEARANCE else self.UP


class QbertPlayer:
    """Hops to the nearest cube whose colour is still that of the level's beginning."""

    PLAYER_X, PLAYER_Y = 43, 67
    CUBES = (21, 52, 54, 83, 85, 87, 98, 100, 102, 104, 1, 3, 5, 7, 9, 32, 34, 36, 38, 40, 42)
    """Places of the cubes' colours, row after row."""
    ROWS = 6
    HOPS: ClassVar = {2: (-1, 0), 3: (1, 1), 4: (-1, -1), 5: (1, 0)}
    """Change of row and column by action."""
    TOP_X, TOP_Y, WIDTH, HEIGHT = 77, 25, 26, 28
    NOOP = 0

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng((seed, 12))
        self.begin(np.empty(0))

    def begin(self, frame: np.ndarray) -> None:
        """Forget the last episode's colours."""
        self._untouched = -1

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return a hop, or nothing while in the air."""
        memory = env.unwrapped.ale.getRAM()  # type: ignore[attr-defined]
        colours = [int(memory[place]) for place in self.CUBES]
        if len(set(colours)) == 1:
            self._untouched = colours[0]
        row, rest = divmod(int(memory[self.PLAYER_Y]) - self.TOP_Y, self.HEIGHT)
        column = round((int(memory[self.PLAYER_X]) - self.TOP_X) / self.WIDTH + row / 2)
        if rest or not 0 <= column <= row < self.ROWS:
            return self.NOOP
        return self._first_hop(row, column, colours)

    def _first_hop(self, row: int, column: int, colours: list[int]) -> int:
        """Return the first hop of a shortest way, by a breadth-first search."""
        seen = {(row, column)}
        front = [(row, column, self.NOOP)]
        while front:
            reached = []
            for row, column, first in front:
                for action in self._random.permutation(list(self.HOPS)).tolist():
                    down, right = self.HOPS[action]
                    there = (row + down, column + right)
                    if there in seen or not 0 <= there[1] <= there[0] < self.ROWS:
                        continue
                    seen.add(there)
                    if colours[there[0] * (there[0] + 1) // 2 + there[1]] == self._untouched:
                        return first or action
                    reached.append((*there, first or action))
            front = reached
        return self.NOOP


class AmidarPlayer:
    """Walks on, and turns now and then, most likely to where it was least."""

    PLAYER_X, PLAYER_Y = 59, 62
    WAYS: ClassVar = {2: (0, -1), 3: (1, 0), 4: (-1, 0), 5: (0, 1)}
    """Change of x and y by action."""
    TURNS = 0.1
    """Chance of a turn in a step."""
    SIGHT = 30
    """Pixels ahead in which former visits count."""
    NOISE = 20.0
    """Visits by which a random choice may be worse."""
    BLOCKED = 50.0
    """Visits that a way counts for in which the player stood still."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng((seed, 13))
        self.begin(np.empty(0))

    def begin(self, frame: np.ndarray) -> None:
        """Forget the last episode's ways."""
        self._visits: Counter[tuple[int, int]] = Counter()
        self._way = 2
        self._place: tuple[int, int] | None = None
        self._standing = 0

    def act(self, env: gym.Env[Any, Any], frame: np.ndarray) -> int:
        """Return a direction."""
        memory = env.unwrapped.ale.getRAM()  # type: ignore[attr-defined]
        place = (int(memory[self.PLAYER_X]), int(memory[self.PLAYER_Y]))
        self._visits[place] += 1
        self._standing = self._standing + 1 if place == self._place else 0
        self._place = place
        blocked = self._standing >= 2
        if blocked or self._random.random() < self.TURNS:
            costs = {way: self._visited(place, way) for way in self.WAYS}
            noise = self._random.random(len(costs)) * self.NOISE
            if blocked:
                costs[self._way] += self.BLOCKED
            self._way = min(zip(costs, noise, strict=True), key=lambda at: costs[at[0]] + at[1])[0]
            self._standing = 0
        return self._way

    def _visited(self, place: tuple[int, int], way: int) -> float:
        """Return the visits to places ahead."""
        x, y = place
        right, down = self.WAYS[way]
        return sum(
            count
            for (there_x, there_y), count in self._visits.items()
            if 0 < (there_x - x) * right + (there_y - y) * down <= self.SIGHT
            and abs((there_x - x) * down) + abs((there_y - y) * right) <= 2
        )
