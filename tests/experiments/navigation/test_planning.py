from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("experiments.navigation.rooms", exc_type=ImportError)
from experiments.navigation.baselines import PictureWalk
from experiments.navigation.planning import compile_pictures
from experiments.navigation.representations import PictureEncoder
from experiments.navigation.rooms import Look
from experiments.navigation.walks import FRAMES, Walk


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """A walk on which every other picture is black and the others are white."""
    made = Walk("simple-room", 0, 200, Look(), tmp_path_factory.mktemp("walks"))
    list(made.make())
    path = made.chunks[0] / FRAMES
    frames = np.load(path)
    frames[::2], frames[1::2] = 0, 255
    np.save(path, frames)
    return made


def neighbours_of_black_states(walk, tie_noise):
    """Return how many different sets of neighbours the states with black pictures have."""
    model = compile_pictures(walk, PictureEncoder(dimensions=2), tie_noise=tie_noise)
    ((_, _, targets),) = walk.frames()
    found = np.sort(model.mdp.graph.indices[targets % 2 == 0], axis=2)
    return len(np.unique(found.reshape(len(found), -1), axis=0))


def test_noise_lets_equal_pictures_have_different_neighbours(walk):
    assert neighbours_of_black_states(walk, 0.0) < 5  # one, but for rounding in the network
    assert neighbours_of_black_states(walk, 1e-3) > 10


def test_a_step_begins_where_the_last_one_ended(walk):
    data = compile_pictures(walk, PictureEncoder(dimensions=2)).mdp.transitions
    goes_on = np.flatnonzero(data.episode_ids[1:] == data.episode_ids[:-1])
    assert np.array_equal(data.next_observations[goes_on], data.observations[goes_on + 1])


def test_training_reads_the_frames_of_the_walk(walk):
    pictures = PictureWalk.of(walk)
    ((frames, sources, targets),) = walk.frames()
    rows = np.array([199, 0, 7])
    assert len(pictures) == 200
    assert pictures.observations.shape == (200, 84, 84, 3)
    assert np.array_equal(pictures.observations[rows], frames[sources[rows]])
    assert np.array_equal(pictures.next_observations[rows], frames[targets[rows]])
