from __future__ import annotations

import numpy as np
import pytest

rooms = pytest.importorskip("experiments.navigation.rooms", exc_type=ImportError)
from experiments.navigation.rollouts import play, starts  # noqa: E402


def by_the_picture(pictures):
    """Go forward where the picture is bright, else turn left."""
    return np.where(pictures.reshape(len(pictures), -1).mean(axis=1) > 128, 2, 0)


def test_side_by_side_is_one_by_one():
    room = rooms.ROOMS["simple-room"]()
    resets = starts(4, 3)
    together = play(room, by_the_picture, resets, steps=12)
    alone = [play(room, by_the_picture, [reset], steps=12) for reset in resets]
    assert together.actions == [one.actions[0] for one in alone]
    np.testing.assert_allclose(together.returns, [one.returns[0] for one in alone])
    for path, one in zip(together.paths, alone, strict=True):
        np.testing.assert_allclose(path, one.paths[0])


def test_returns_are_those_of_the_things_touched():
    room = rooms.ROOMS["simple-room"]()
    played = play(room, lambda seen: np.full(len(seen), 2), starts(6, 4), steps=30)
    np.testing.assert_allclose(played.returns, played.count("box") - played.count("wall"))
    assert np.array_equal(played.count("box") > 0, played.reached)


def test_choosing_and_reporting_start_elsewhere():
    from experiments.navigation.planning import CHOICE_SEED, REPORT_SEED

    assert not set(starts(200, CHOICE_SEED)) & set(starts(200, REPORT_SEED))


def test_slips_replace_actions():
    room = rooms.ROOMS["simple-room"]()

    def turn(seen):
        return np.zeros(len(seen), int)

    kept = play(room, turn, starts(3, 5), steps=20, see_pose=True)
    assert all(set(actions) == {0} for actions in kept.actions)
    slipped = play(room, turn, starts(3, 5), steps=20, see_pose=True, slip=1.0)
    assert {action for actions in slipped.actions for action in actions} == {0, 1, 2}
