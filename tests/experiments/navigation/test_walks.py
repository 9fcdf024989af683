from __future__ import annotations

import numpy as np
import pytest

rooms = pytest.importorskip("experiments.navigation.rooms", exc_type=ImportError)


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    from experiments.navigation.walks import Walk

    made = Walk("tunnel", 0, 250, rooms.Look(), tmp_path_factory.mktemp("walks"))
    assert list(made.make()) == [250]
    return made


def test_frames_belong_to_their_poses(walk):
    data = walk.transitions()
    ((frames, sources, targets),) = walk.frames()
    room = rooms.Tunnel()
    for row in (0, 99, 100, 249):
        room.place(data.observations[row])
        assert np.array_equal(room.render_obs(), frames[sources[row]])
        room.place(data.next_observations[row])
        assert np.array_equal(room.render_obs(), frames[targets[row]])


def test_episodes_are_cut_and_the_last_one_too(walk):
    data = walk.transitions()
    assert len(data) == 250
    ends = data.terminations | data.truncations
    assert ends.sum() == data.num_episodes
    assert ends[-1]
    assert max(rows.stop - rows.start for rows in data.episodes()) <= 100


def test_a_walk_is_not_made_twice_and_is_the_same_when_it_is(walk, tmp_path):
    from experiments.navigation.walks import FRAMES, Walk

    stamp = (walk.chunks[0] / FRAMES).stat().st_mtime_ns
    list(walk.make())
    assert (walk.chunks[0] / FRAMES).stat().st_mtime_ns == stamp
    again = Walk("tunnel", 0, 250, rooms.Look(), tmp_path)
    list(again.make())
    assert np.array_equal(again.transitions().observations, walk.transitions().observations)
