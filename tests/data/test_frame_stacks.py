"""Frames that are stored once read as the stacks that they stand for."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

import deepaveragers as da
from deepaveragers.data import scratch

SIZE = 4


def explicit(frames, lengths, size=SIZE):
    """Stack by hand, episode by episode; the first frame stands for those before it."""
    here, later, begin = [], [], 0
    for length in lengths:
        own = [frames[begin]] * (size - 1) + list(frames[begin : begin + length + 1])
        stacks = [np.stack(own[t : t + size]) for t in range(length + 1)]
        here += stacks[:-1]
        later += stacks[1:]
        begin += length + 1
    return np.stack(here), np.stack(later)


@pytest.fixture
def lengths():
    return [1, 2, 3, 4, 5, 9, 1]


@pytest.fixture
def frames(lengths):
    random = np.random.default_rng(0)
    return random.integers(0, 256, (sum(lengths) + len(lengths), 9, 8), dtype=np.uint8)


def transitions(here, later, lengths, **given):
    size = sum(lengths)
    ends = np.zeros(size, dtype=bool)
    ends[np.cumsum(lengths) - 1] = True
    return da.Transitions(
        observations=here,
        actions=np.arange(size) % 3,
        rewards=np.arange(size, dtype=float),
        next_observations=later,
        terminations=ends,
        **given,
    )


@pytest.fixture
def lazy(frames, lengths):
    return transitions(*da.FrameStacks.of_episodes(frames, lengths, SIZE), lengths)


@pytest.fixture
def whole(frames, lengths):
    return transitions(*explicit(frames, lengths), lengths)


def same(lazy, whole):
    assert isinstance(lazy.observations, da.FrameStacks)
    for name in ("observations", "next_observations", "actions", "rewards", "episode_ids"):
        left, right = np.asarray(getattr(lazy, name)), getattr(whole, name)
        assert left.dtype == right.dtype
        assert np.array_equal(left, right)


def test_they_read_as_the_stacks_themselves(lazy, whole):
    same(lazy, whole)
    stacks, array = lazy.observations, whole.observations
    assert (stacks.shape, stacks.ndim, stacks.dtype) == (array.shape, array.ndim, array.dtype)
    assert len(stacks) == len(array)
    for rows in (3, -1, slice(2, 9), [5, 0, 5], np.arange(len(array)) % 2 == 0):
        assert np.array_equal(stacks[rows], array[rows])
    assert np.array_equal(stacks[2:9, 1], array[2:9, 1])
    assert np.array_equal(stacks[4, -1, :3], array[4, -1, :3])
    assert np.array_equal(stacks[..., 2], array[..., 2])
    assert lazy.summary() == whole.summary()
    assert lazy.num_episodes == 7


def test_saved_loaded_and_mapped(lazy, whole, frames, tmp_path):
    path = da.save(lazy, tmp_path / "data")
    loaded = da.load(path)
    same(loaded, whole)
    assert not loaded.observations.frames.flags.owndata
    stored = sum(file.stat().st_size for file in path.iterdir())
    assert stored < frames.nbytes + 100 * len(whole) + 8000
    for verify in ("full", "quick"):
        same(da.load(path, verify=verify), whole)


def test_subsets_and_forgetting_leave_no_frame(lazy, whole, frames, tmp_path):
    kept = np.array([0, 7, 8, 9, 20])
    same(lazy.subset(kept), whole.subset(kept))
    path = da.save(lazy, tmp_path / "data")
    da.forget(path, [2, 5])
    same(da.load(path), da.forget(whole, [2, 5]))
    gone = [*range(5, 9), *range(20, 30)]
    content = b"".join(file.read_bytes() for file in path.iterdir())
    for number, frame in enumerate(frames):
        assert (frame.tobytes() in content) == (number not in gone)
    path = da.save(lazy.subset([9]), tmp_path / "one")
    assert len(da.load(path).observations.frames) == 5
    same(da.load(path), whole.subset([9]))


def test_appending(lazy, whole, lengths, tmp_path):
    path = da.save(lazy, tmp_path / "data")
    da.append(path, lazy)
    same(da.load(path), da.append(whole, whole))
    with pytest.raises(da.InputError, match="stored like those of the target"):
        da.append(lazy, whole)


def test_large_frames_are_mapped_to_a_nameless_file(monkeypatch, lazy, whole):
    monkeypatch.setattr(scratch, "IN_MEMORY", 100)
    monkeypatch.setattr(scratch, "BLOCK", 200)
    longer = da.append(lazy, lazy)
    assert not longer.observations.frames.flags.owndata
    same(longer, da.append(whole, whole))
    same(da.forget(longer, 3), da.forget(da.append(whole, whole), 3))
    monkeypatch.setattr(scratch.os, "posix_fallocate", full_disk, raising=False)
    with pytest.raises(da.StorageError, match="TMPDIR"):
        da.append(lazy, lazy)


def full_disk(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    "encoder", [da.Identity(), lambda batch: batch.reshape(len(batch), -1)[:, :7].astype(float)]
)
def test_compiled_models_are_the_same(lazy, whole, encoder, tmp_path):
    one, other = (da.compile(data, 2, encoder) for data in (lazy, whole))
    assert np.array_equal(one.core_features, other.core_features)
    assert np.array_equal(one.graph.indices, other.graph.indices)
    given = {} if isinstance(encoder, da.Identity) else {"encoder": encoder}
    loaded = da.load(da.save(one, tmp_path / "model"), **given)
    same(loaded.transitions, whole)
    policy = loaded.solve(gamma=0.9).policy(k=2)
    assert np.array_equal(policy.act(lazy.observations), policy.act(whole.observations))
    longer = da.append(one, lazy)
    assert np.array_equal(longer.graph.indices, da.append(other, whole).graph.indices)


def test_networks_read_a_batch_at_a_time(lengths):
    pytest.importorskip("torch")
    random = np.random.default_rng(1)
    frames = random.integers(0, 256, (sum(lengths) + len(lengths), 16, 16), dtype=np.uint8)
    lazy = transitions(*da.FrameStacks.of_episodes(frames, lengths, SIZE), lengths)
    whole = transitions(*explicit(frames, lengths), lengths)
    network = da.RandomNetwork(dimensions=8)
    features = [network.fit(data.observations).encode(data.observations) for data in (lazy, whole)]
    assert np.array_equal(*features)
    trained = [
        da.train_dqn(data, 3, batch_size=4, seed=0).encode(whole.observations)
        for data in (lazy, whole)
    ]
    assert np.array_equal(*trained)


@pytest.mark.parametrize("name", ["log.npz", "log.parquet", "log-v0"])
def test_exported_whole(lazy, whole, name, tmp_path):
    if name != "log.npz":
        pytest.importorskip("pyarrow")
        pytest.importorskip("minari")
    again = da.read(da.write(lazy, tmp_path / name))
    assert np.array_equal(again.observations, whole.observations)
    assert np.array_equal(again.next_observations, whole.next_observations)


def test_the_doctor_reads_them(lazy, whole):
    codes = [[one.code for one in da.diagnose(data).findings] for data in (lazy, whole)]
    assert codes[0] == codes[1]


class Screen(gym.Env):
    """Shows a new random picture at every step; an episode has six steps at most."""

    observation_space = gym.spaces.Box(0, 255, (6, 5), np.uint8)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.clock = 0
        return self.observation_space.sample(), {}

    def step(self, action):
        self.clock += 1
        picture = self.np_random.integers(0, 256, (6, 5), dtype=np.uint8)
        return picture, 1.0, bool(action) and self.clock > 3, self.clock == 6, {}

    def close(self):
        self.clock = -1


class Recorded(gym.Wrapper):
    """Keeps every observation that went out."""

    seen: list

    def reset(self, **given):
        observation, info = self.env.reset(**given)
        self.seen.append([observation])
        return observation, info

    def step(self, action):
        result = self.env.step(action)
        self.seen[-1].append(result[0])
        return result


@pytest.mark.parametrize("padding", ["reset", "zero"])
def test_collected_stacks(padding):
    Recorded.seen = []
    data = da.collect(
        lambda: Recorded(gym.wrappers.FrameStackObservation(Screen(), 3, padding_type=padding)),
        40,
        side_by_side=1,
    )
    assert isinstance(data.observations, da.FrameStacks)
    assert data.observations.size == 3
    episodes = [seen for seen in Recorded.seen if len(seen) > 1]
    here = np.concatenate([np.stack(seen[:-1]) for seen in episodes])
    later = np.concatenate([np.stack(seen[1:]) for seen in episodes])
    assert np.array_equal(np.asarray(data.observations), here)
    assert np.array_equal(np.asarray(data.next_observations), later)
    assert data.num_episodes == len(episodes)


class Colours(Screen):
    """Pictures whose first axis is no sequence of frames, though it looks like one at first."""

    observation_space = gym.spaces.Box(0, 255, (3, 6, 5), np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros((3, 6, 5), np.uint8), {}

    def step(self, action):
        self.clock += 1
        grey = np.full((3, 6, 5), min(self.clock, 4) // 4 * 9, np.uint8)
        return grey, 1.0, False, self.clock == 6, {}


def test_collected_pictures_that_are_no_stacks():
    data = da.collect(Colours, 12, side_by_side=2)
    assert isinstance(data.observations, np.ndarray)
    shown = [0, 0, 0, 0, 9, 9]
    assert data.observations[:, 0, 0, 0].tolist() == shown * 2
    assert data.next_observations[:, 2, 0, 0].tolist() == [*shown[1:], 9] * 2


class Shares(Screen):
    """Stacks of numbers between 0 and 1, which no byte can hold."""

    observation_space = gym.spaces.Box(0.0, 1.0, (6, 5), np.float32)

    def step(self, action):
        picture, *rest = super().step(action)
        return (picture / 256).astype(np.float32), *rest


def test_collected_stacks_of_other_numbers_are_kept():
    data = da.collect(lambda: gym.wrappers.FrameStackObservation(Shares(), 3), 12)
    assert isinstance(data.observations, np.ndarray)
    assert data.observations.dtype == np.float32
    assert ((data.next_observations % 1) > 0).mean() > 0.9


def test_bad_frames(frames, lengths, whole):
    make = da.FrameStacks
    with pytest.raises(da.InputError, match="uint8"):
        make(frames.astype(float), [0], [0])
    with pytest.raises(da.InputError, match="places"):
        make(frames, [len(frames)], [0])
    with pytest.raises(da.InputError, match="places"):
        make(frames, [3], [4])
    with pytest.raises(da.InputError, match="starts"):
        make(frames, [3, 4], [0])
    with pytest.raises(da.InputError, match="size"):
        make(frames, [3], [0], 0)
    with pytest.raises(da.InputError, match="add up to"):
        make.of_episodes(frames, lengths[:-1])
    with pytest.raises(da.InputError, match="whole numbers"):
        make.of_episodes(frames, [1.5])
    here, later = make.of_episodes(frames, lengths)
    with pytest.raises(da.InputError, match="very frames"):
        transitions(here, make.of_episodes(frames.copy(), lengths)[1], lengths)
    with pytest.raises(da.InputError, match="very frames"):
        transitions(here, np.asarray(later), lengths)
