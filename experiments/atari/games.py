"""The eight games of the paper, preprocessed as in its Table 1."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

GAMES = (
    "Pong",
    "Breakout",
    "SpaceInvaders",
    "Qbert",
    "Atlantis",
    "Bowling",
    "Freeway",
    "Amidar",
)
MAX_FRAMES = 108_000
STACK = 4
SIDE = 84
"""Of a picture, in pixels (Table 1)."""


def full_picture(env: gym.Env[Any, Any], frame: np.ndarray) -> np.ndarray:
    """Return the newest picture of a game in full size (84, 84).

    Args:
        env: what `make_game` returned, without a stack.
        frame: its newest picture, of any size.
    """
    if frame.shape == (SIDE, SIDE):
        return frame
    import cv2

    screen = env.get_wrapper_attr("obs_buffer")[0]
    return np.asarray(cv2.resize(screen, (SIDE, SIDE), interpolation=cv2.INTER_AREA))


def make_game(
    game: str, *, stack: bool = True, max_frames: int = MAX_FRAMES, side: int = SIDE
) -> gym.Env[Any, Any]:
    """Return the game: sticky actions .25, grey, every 4th frame, game over as the end.

    Rewards are not clipped here: evaluation counts the game's own score.

    Args:
        game: its name, as in `GAMES`.
        stack: give the last four frames (4, 84, 84); otherwise single frames (84, 84).
        max_frames: of the emulator, at which an episode is cut.
        side: of a picture.
    """
    try:
        import ale_py
    except ImportError:
        raise SystemExit(
            "ale-py is not installed. Install it with: pip install 'deepaveragers[atari]'"
        ) from None
    gym.register_envs(ale_py)
    env = gym.make(
        f"ALE/{game}-v5",
        frameskip=1,
        repeat_action_probability=0.25,
        max_num_frames_per_episode=max_frames,
        obs_type="grayscale",  # the wrapper reads the screen itself: this one is the cheaper
        disable_env_checker=True,
    )
    env = gym.wrappers.AtariPreprocessing(env, noop_max=0, frame_skip=4, screen_size=side)
    return gym.wrappers.FrameStackObservation(env, STACK) if stack else env
