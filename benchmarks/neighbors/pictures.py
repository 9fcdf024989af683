"""512-d features of real pictures: Atari frames through a random convolutional network.

The network is that of Mnih et al. (2015), with random weights, in NumPy. The engines were
tuned on Breakout; SpaceInvaders was not looked at before the first measurement.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.arrays import Array, Float32, Floats

GAME = "SpaceInvaders"
BATCH = 128
LAYERS = ((8, 4), (4, 2), (3, 1))
"""Size and stride of the convolutions."""
CHANNELS = (4, 32, 64, 64)
FLATTENED, FEATURES = 3136, 512


class RandomNetwork:
    """From stacks of four frames [B, 4, 84, 84] to features [B, 512]."""

    def __init__(self, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        inputs = [size**2 * channels for (size, _), channels in zip(LAYERS, CHANNELS)]
        shapes = [*zip(inputs, CHANNELS[1:]), (FLATTENED, FEATURES)]
        self._weights = [
            (random.normal(size=shape) * np.sqrt(2 / shape[0])).astype(np.float32)
            for shape in shapes
        ]

    def __call__(self, frames: Array) -> Float32:
        """Return the features of a batch."""
        x: Floats = np.moveaxis(frames, 1, -1).astype(np.float32) / np.float32(255)
        for (size, stride), weights in zip(LAYERS, self._weights):
            windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(1, 2))
            windows = windows[:, ::stride, ::stride]
            batch, height, width = windows.shape[:3]
            flat = windows.transpose(0, 1, 2, 4, 5, 3).reshape(batch * height * width, -1)
            x = np.maximum(flat @ weights, 0).reshape(batch, height, width, -1)
        return np.maximum(x.reshape(len(x), -1) @ self._weights[-1], 0)


def picture_features(
    count: int, cache: Path, game: str = GAME
) -> tuple[Float32, Float32, Array, int]:
    """Return source and core features [count, 512], actions and their number; made once."""
    file = cache / f"{game}-{count}.npz"
    if not file.exists():
        cache.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part.npz")
        np.savez(part, **_play(count, game))
        part.replace(file)
    stored = np.load(file)
    features = stored["features"]
    source, core = features[stored["source"]], features[stored["core"]]
    return source, core, stored["actions"], int(stored["num_actions"])


def _play(count: int, game: str) -> dict[str, Array]:
    """Play at random; every picture is encoded once."""
    import ale_py
    import gymnasium as gym
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    gym.register_envs(ale_py)
    env = gym.make(f"ALE/{game}-v5", frameskip=1)
    env = FrameStackObservation(AtariPreprocessing(env, frame_skip=4, screen_size=84), 4)
    network = RandomNetwork()
    num_actions = int(env.action_space.n)
    actions = np.random.default_rng(0).integers(0, num_actions, count).astype(np.int32)
    pictures, features = [np.asarray(env.reset(seed=0)[0])], []
    source, core = np.empty((2, count), dtype=np.int64)
    here, made = 0, 1
    for step, action in enumerate(actions):
        observation, _, terminated, truncated, _ = env.step(int(action))
        pictures.append(np.asarray(observation))
        source[step], core[step] = here, made
        here, made = made, made + 1
        if terminated or truncated:
            pictures.append(np.asarray(env.reset()[0]))
            here, made = made, made + 1
        if len(pictures) >= BATCH or step == count - 1:
            features.append(network(np.stack(pictures)))
            pictures = []
    env.close()
    return {
        "features": np.concatenate(features),
        "source": source,
        "core": core,
        "actions": actions,
        "num_actions": np.int64(num_actions),
    }
