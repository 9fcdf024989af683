"""Making a dataset: each episode is nearly greedy, or explores, as the paper draws it.

With probability 0.8 an episode takes a random action in one of five steps (epsilon 0.2),
otherwise in one of a thousand.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from .behaviour import make_behaviour
from .frames import FrameData, Recorder
from .games import SIDE, make_game

EPSILONS, CHANCES = (0.2, 0.001), (0.8, 0.2)


def make_data(
    game: str, behaviour: str, steps: int, seed: int, directory: Path, side: int = SIDE
) -> FrameData:
    """Play until there are so many transitions, and return the dataset.

    A dataset that is there is taken, if it is the one that is asked for; one that was not
    finished is made anew.
    """
    asked = {"game": game, "behaviour": behaviour, "steps": steps, "seed": seed, "side": side}
    if (directory / "about.json").exists():
        data = FrameData.open(directory)
        about = {"side": SIDE, **data.about}
        if {name: about[name] for name in asked} != asked:
            raise SystemExit(f"{directory} holds another dataset; give another --runs directory.")
        return data
    began = time.perf_counter()
    generator = np.random.default_rng((seed, 7))
    env = make_game(game, stack=False, side=side)
    player = make_behaviour(behaviour, game, seed)
    recorder = Recorder(directory, steps, most_episodes=max(64, steps // 50), side=side)
    returns: list[float] = []
    while len(recorder) < steps:
        epsilon = float(generator.choice(EPSILONS, p=CHANCES))
        frame, _ = env.reset(seed=seed * 100_000 + len(returns))
        player.begin(frame)
        recorder.begin(frame)
        total, over = 0.0, False
        while not over:
            action = player.act(env, frame)
            if generator.random() < epsilon:
                action = int(generator.integers(env.action_space.n))
            frame, reward, terminated, truncated, _ = env.step(action)
            truncated = truncated or (len(recorder) + 1 == steps and not terminated)
            recorder.step(action, float(reward), frame, (terminated, truncated))
            total += float(reward)
            over = terminated or truncated
        if terminated or not truncated or len(recorder) < steps:
            returns.append(total)
        print(f"{game}: {len(recorder):,} of {steps:,}, return {total:g}, epsilon {epsilon}")
    about: dict[str, Any] = {
        **asked,
        "epsilons": dict(zip(map(str, EPSILONS), CHANCES, strict=True)),
        "action_names": env.unwrapped.get_action_meanings(),
        "episode_returns": returns,
        "seconds": round(time.perf_counter() - began, 1),
    }
    env.close()
    recorder.finish(about)
    return FrameData.open(directory)
