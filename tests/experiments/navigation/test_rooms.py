from __future__ import annotations

import math

import gymnasium as gym
import numpy as np
import pytest

rooms = pytest.importorskip("experiments.navigation.rooms", exc_type=ImportError)
LEFT, RIGHT, FORWARD = rooms.LEFT, rooms.RIGHT, rooms.FORWARD
EAST, SOUTH, WEST, NORTH = 0.0, -math.pi / 2, math.pi, math.pi / 2


def walk(room, pose, actions):
    """Return what was touched, the rewards and the last step's flags and pose."""
    room.reset(seed=0, options={"pose": pose})
    touched, rewards = [], []
    for action in actions:
        _, reward, terminated, truncated, info = room.step(action)
        touched.append(info["touched"])
        rewards.append(reward)
    return touched, rewards, terminated, truncated, info["pose"]


@pytest.mark.parametrize("name", list(rooms.ROOMS))
def test_registered_and_seeded(name):
    env = gym.make(rooms.IDS[name])
    first, info = env.reset(seed=3)
    assert first.shape == (84, 84, 3)
    assert first.dtype == np.uint8
    assert env.action_space.n == 3
    again, same = env.reset(seed=3)
    other, _ = env.reset(seed=4)
    assert np.array_equal(first, again)
    assert np.array_equal(info["pose"], same["pose"])
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("name", list(rooms.ROOMS))
def test_turning_changes_the_heading_only(name):
    room = rooms.ROOMS[name]()
    turn = math.radians(room.turn_degrees)
    touched, rewards, terminated, _, pose = walk(room, (1.5, 1.5, EAST), [LEFT, LEFT, RIGHT])
    assert touched == ["", "", ""]
    assert rewards == [0.0, 0.0, 0.0]
    assert not terminated
    np.testing.assert_allclose(pose, (1.5, 1.5, turn))


@pytest.mark.parametrize("name", list(rooms.ROOMS))
def test_walls_cost_one_and_stop(name):
    room = rooms.ROOMS[name]()
    touched, rewards, terminated, _, pose = walk(room, (0.5, 1.5, WEST), [FORWARD, FORWARD])
    assert touched == ["wall", "wall"]
    assert rewards == [-1.0, -1.0]
    assert not terminated
    np.testing.assert_allclose(pose[:2], (0.5, 1.5))


@pytest.mark.parametrize("name", list(rooms.ROOMS))
def test_the_box_gives_one_and_ends(name):
    room = rooms.ROOMS[name]()
    x, z = room.box
    away = x - 1.1 - room.forward_step
    touched, rewards, terminated, truncated, _ = walk(room, (away, z, EAST), [FORWARD, FORWARD])
    assert touched == ["", "box"]
    assert rewards == [0.0, 1.0]
    assert terminated
    assert not truncated


@pytest.mark.parametrize("name", list(rooms.ROOMS))
def test_an_episode_is_cut_after_100_steps(name):
    room = rooms.ROOMS[name]()
    room.reset(seed=0)
    flags = [room.step(LEFT)[2:4] for _ in range(100)]
    assert flags[98] == (False, False)
    assert flags[99] == (False, True)


def test_the_pillar_pays_at_every_bump_and_nothing_ends():
    room = rooms.BoxAndPillar()
    x, z = room.pillar
    touched, rewards, terminated, _, pose = walk(room, (x - 1.0, z, EAST), [FORWARD] * 3)
    assert touched == ["pillar"] * 3
    assert rewards == [0.02] * 3
    assert not terminated
    np.testing.assert_allclose(pose[:2], (x - 1.0, z))


def test_the_middle_of_the_narrow_passage_is_free():
    room = rooms.Tunnel()
    middle = sum(room.narrow) / 2
    length = math.ceil((room.east[0] - room.west[1]) / room.forward_step) + 2
    touched, rewards, *_ = walk(room, (room.west[1] - 0.5, middle, EAST), [FORWARD] * length)
    assert "cone" not in touched
    assert "wall" not in touched
    assert sum(rewards) in (0.0, 1.0)


def test_a_cone_costs_ten_and_gives_way():
    room = rooms.Tunnel()
    beside = room.narrow[0] + 0.5
    touched, rewards, terminated, _, pose = walk(
        room, (room.west[1] - 0.5, beside, EAST), [FORWARD]
    )
    assert touched == ["cone"]
    assert rewards == [-10.0]
    assert not terminated
    np.testing.assert_allclose(pose[0], room.west[1] - 0.5 + room.forward_step)


def test_the_wide_way_round_is_free():
    room = rooms.Tunnel()
    middle = sum(room.wide) / 2
    length = math.ceil((room.east[0] - room.west[1] + 1) / room.forward_step)
    touched, *_, pose = walk(room, (room.west[1] - 0.5, middle, EAST), [FORWARD] * length)
    assert set(touched) == {""}
    assert pose[0] > room.east[0]


def test_starts_lie_in_the_west_room_of_the_tunnel():
    room = rooms.Tunnel()
    for seed in range(20):
        _, info = room.reset(seed=seed)
        assert info["pose"][0] < room.west[1]


def test_headings_are_multiples_of_the_turn_unless_any_is_asked():
    turn = math.radians(rooms.SimpleRoom.turn_degrees)
    for any_heading in (False, True):
        room = rooms.SimpleRoom(rooms.Look(any_heading=any_heading))
        turns = np.array([room.reset(seed=seed)[1]["pose"][2] / turn for seed in range(5)])
        assert np.allclose(turns, np.round(turns)) != any_heading


def test_the_picture_is_a_function_of_the_pose():
    room = rooms.SimpleRoom()
    room.reset(seed=1)
    seen = [room.step(action)[::4] for action in (LEFT, FORWARD, FORWARD, RIGHT)]
    room.reset(seed=2)
    for picture, info in seen:
        room.place(info["pose"])
        assert np.array_equal(room.render_obs(), picture)
