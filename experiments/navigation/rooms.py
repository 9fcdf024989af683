"""Three first-person rooms on MiniWorld: Simple Room, Box and Pillar, Tunnel.

The agent turns left, turns right or goes forward, and sees 84x84 pixels. Each room says what
touching something is worth. Walls, the box and the pillar stop the agent where it was; a
cone gives way, so that a policy cannot stand before one and run into it for ever.

MiniWorld keeps its display lists per process, so only one room can be drawn at a time:
a second one made in the same process spoils the pictures of the first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import pyglet

pyglet.options["headless"] = True
pyglet.options["debug_gl"] = False

from miniworld.entity import Box, MeshEnt  # noqa: E402
from miniworld.miniworld import MiniWorldEnv  # noqa: E402
from miniworld.params import DEFAULT_PARAMS  # noqa: E402

ACTION_NAMES = ("turn left", "turn right", "forward")
LEFT, RIGHT, FORWARD = range(3)
EPISODE_STEPS = 100
PIXELS = 84


@dataclass(frozen=True)
class Look:
    """What the surfaces, the camera and the first heading are like.

    Attributes:
        floor: MiniWorld's name of the floor's texture; its default is "floor_tiles_bw".
        field_of_view: degrees; MiniWorld's default is 60.
        coloured_walls: each of the four outer walls has its own colour; MiniWorld's default
            is the same concrete for all.
        any_heading: start with any heading, not only with multiples of the turning angle.
    """

    floor: str = "white"
    field_of_view: float = 90.0
    coloured_walls: bool = True
    any_heading: bool = False


MINIWORLD_LOOK = Look(
    floor="floor_tiles_bw", field_of_view=60.0, coloured_walls=False, any_heading=True
)
WALL_COLORS = ("red", "green", "purple", "yellow")
WALL_HEIGHT = 2.74


class Block(Box):  # type: ignore[misc]
    """A box that never moves, so that it is drawn with the walls, from one compiled list."""

    is_static = True


class NavigationRoom(MiniWorldEnv):  # type: ignore[misc]
    """A room with a blue box to reach: +1 and the end; -1 for bumping into a wall.

    `info` holds the pose (x, z, heading in radians) and what was touched at this step:
    "", "wall", "box", "pillar" or "cone".
    """

    forward_step = 0.7
    turn_degrees = 45.0
    drawing = True
    rewards: dict[str, float] = {"": 0.0, "wall": -1.0, "box": 1.0}  # noqa: RUF012

    def __init__(self, look: Look | None = None, render_mode: str | None = None) -> None:
        self.look = Look() if look is None else look
        self.touched = ""
        self.start: Sequence[float] | None = None
        super().__init__(
            max_episode_steps=EPISODE_STEPS,
            obs_width=PIXELS,
            obs_height=PIXELS,
            window_width=400,
            window_height=400,
            params=self._fixed_params(),
            render_mode=render_mode,
        )
        self.action_space = gym.spaces.Discrete(len(ACTION_NAMES))

    def _fixed_params(self) -> Any:
        params = DEFAULT_PARAMS.no_random()
        for name, value in (
            ("forward_step", self.forward_step),
            ("turn_step", self.turn_degrees),
            ("cam_fov_y", self.look.field_of_view),
        ):
            params.set(name, value, value, value)
        return params

    def get_action_meanings(self) -> tuple[str, ...]:
        """Return the names of the actions."""
        return ACTION_NAMES

    @property
    def pose(self) -> np.ndarray:
        """[3] float64: x, z and heading (radians, not wrapped)."""
        x, _, z = self.agent.pos
        return np.array([x, z, self.agent.dir])

    def place(self, pose: Sequence[float]) -> None:
        """Put the agent at a pose (x, z, heading)."""
        x, z, heading = pose
        self.agent.pos = np.array([x, 0.0, z])
        self.agent.dir = float(heading)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode, at a random pose or at options["pose"]."""
        self.start = (options or {}).get("pose")
        self.touched = ""
        observation, _ = super().reset(seed=seed)
        return observation, self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Act; the reward is that of the thing touched."""
        self.touched = ""
        observation, _, _, truncated, _ = super().step(action)
        terminated = self.touched == "box"
        reward = self.rewards[self.touched]
        return observation, reward, terminated, truncated and not terminated, self._info()

    def render_obs(self, frame_buffer: Any = None) -> np.ndarray:
        """Return what the agent sees; black where `drawing` is off, which is much quicker."""
        if not self.drawing:
            return np.zeros((PIXELS, PIXELS, 3), dtype=np.uint8)
        return super().render_obs(frame_buffer)

    def move_agent(self, fwd_dist: float, fwd_drift: float) -> bool:
        """Go forward unless something is in the way, and remember what it was."""
        target = self.agent.pos + self.agent.dir_vec * fwd_dist
        obstacle = self.intersect(self.agent, target, self.agent.radius)
        if obstacle is not None:
            self.touched = "wall" if obstacle is True else obstacle.kind
        moved = self.touched in ("", "cone")
        if moved:
            self.agent.pos = target
        return moved

    def _info(self) -> dict[str, Any]:
        return {"pose": self.pose, "touched": self.touched}

    def _floor(self, x: tuple[float, float], z: tuple[float, float]) -> Any:
        return self.add_rect_room(*x, *z, floor_tex=self.look.floor)

    def _put(self, entity: Any, kind: str, x: float, z: float) -> None:
        entity.kind = kind
        self.place_entity(entity, pos=np.array([x, 0.0, z]), dir=0.0)

    def _colour_walls(self, width: float, depth: float) -> None:
        if not self.look.coloured_walls:
            return
        places = ((0.0, depth / 2), (width, depth / 2), (width / 2, 0.0), (width / 2, depth))
        for number, (color, (x, z)) in enumerate(zip(WALL_COLORS, places, strict=True)):
            size = [0.02, WALL_HEIGHT, depth] if number < 2 else [width, WALL_HEIGHT, 0.02]
            panel = Block(color=color, size=size)
            panel.radius = 0.0  # the wall behind it is what stops the agent
            self._put(panel, "wall", x, z)

    def _put_agent(self, **within: float) -> None:
        if self.start is not None:
            self.entities.append(self.agent)
            self.place(self.start)
            return
        self.place_agent(**within)
        if not self.look.any_heading:
            turn = math.radians(self.turn_degrees)
            self.agent.dir = round(self.agent.dir / turn) * turn


class SimpleRoom(NavigationRoom):
    """A square room with the box at a fixed place."""

    size = 8.0
    box = (7.0, 7.0)

    def _gen_world(self) -> None:
        self._floor((0.0, self.size), (0.0, self.size))
        self._colour_walls(self.size, self.size)
        self._put(Block(color="blue"), "box", *self.box)
        self._put_agent()


class BoxAndPillar(NavigationRoom):
    """The simple room, smaller, with a pillar that gives 0.02 at each bump."""

    size = 6.0
    box = (5.0, 5.0)
    pillar = (2.0, 2.5)
    rewards = {**NavigationRoom.rewards, "pillar": 0.02}  # noqa: RUF012

    def _gen_world(self) -> None:
        self._floor((0.0, self.size), (0.0, self.size))
        self._colour_walls(self.size, self.size)
        self._put(Block(color="blue"), "box", *self.box)
        self._put(Block(color="grey", size=[0.6, 2.5, 0.6]), "pillar", *self.pillar)
        self._put_agent()


class Tunnel(NavigationRoom):
    """Two rooms, joined by a short passage lined with cones and by a wide one further off.

    The agent starts in the west room and the box stands in the east room, opposite the
    narrow passage. Touching a cone costs 10.
    """

    forward_step = 0.6
    rewards = {**NavigationRoom.rewards, "cone": -10.0}  # noqa: RUF012
    west, east, depth = (0.0, 3.0), (5.0, 8.0), 7.0
    narrow, wide = (1.0, 3.0), (4.5, 7.0)
    box = (7.2, 2.0)
    cone_margin = 0.15
    cones = 4

    def _gen_world(self) -> None:
        west = self._floor(self.west, (0.0, self.depth))
        east = self._floor(self.east, (0.0, self.depth))
        between = (self.west[1], self.east[0])
        for low, high in (self.narrow, self.wide):
            passage = self._floor(between, (low, high))
            self.connect_rooms(west, passage, min_z=low, max_z=high)
            self.connect_rooms(passage, east, min_z=low, max_z=high)
        self._colour_walls(self.east[1], self.depth)
        self._put(Block(color="blue"), "box", *self.box)
        for x in np.linspace(between[0] + 0.2, between[1] - 0.2, self.cones):
            for z in (self.narrow[0] + self.cone_margin, self.narrow[1] - self.cone_margin):
                self._put(MeshEnt("cone", height=0.5), "cone", x, z)
        self._put_agent(room=west)


ROOMS: dict[str, type[NavigationRoom]] = {
    "simple-room": SimpleRoom,
    "box-and-pillar": BoxAndPillar,
    "tunnel": Tunnel,
}
IDS = {name: f"navigation/{room.__name__}-v0" for name, room in ROOMS.items()}

for _name, _room in ROOMS.items():
    gym.register(IDS[_name], entry_point=f"{__name__}:{_room.__name__}")
