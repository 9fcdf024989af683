"""Small data that a studio can be opened on."""

from __future__ import annotations

import numpy as np

import deepaveragers as da


def corridor(rows=900, seed=0, names=("place", "speed", "lamp"), actions=("back", "stay", "on")):
    """Return walks along a corridor, with a goal at its end and a lamp that means nothing."""
    random = np.random.default_rng(seed)
    log = {name: [] for name in ("now", "action", "reward", "later", "ended", "cut", "episode")}
    episode = 0
    while len(log["now"]) < rows:
        state = np.array([random.uniform(0, 1), 0.0, float(random.integers(2))])
        for step in range(30):
            action = int(random.integers(3))
            speed = 0.5 * state[1] + 0.06 * (action - 1) + random.normal(0, 0.01)
            later = np.array([np.clip(state[0] + speed, -0.2, 1.2), speed, state[2]])
            ended = bool(later[0] > 1.0)
            for name, value in zip(
                log,
                (state, action, float(ended) - 0.01, later, ended, step == 29 and not ended,
                 f"walk {episode}"),
                strict=True,
            ):  # fmt: skip
                log[name].append(value)
            state = later
            if ended:
                break
        episode += 1
    return da.Transitions(
        observations=np.array(log["now"], dtype=np.float32),
        actions=np.array(log["action"]),
        rewards=np.array(log["reward"]),
        next_observations=np.array(log["later"], dtype=np.float32),
        terminations=np.array(log["ended"]),
        truncations=np.array(log["cut"]),
        episode_ids=log["episode"],
        action_names=actions,
        observation_names=names,
        observation_units={names[0]: "m"},
        times=np.arange(len(log["now"])),
    )


def pictures(rows=200, seed=0):
    """Return pictures of a bright square that two actions move."""
    random = np.random.default_rng(seed)

    def picture(place):
        found = np.full((12, 12, 3), 20, dtype=np.uint8)
        found[4:8, place : place + 4] = (250, 200, 40)
        return found

    places, actions = random.integers(0, 9, rows), random.integers(0, 2, rows)
    later = np.clip(places + 2 * actions - 1, 0, 8)
    return da.Transitions(
        observations=np.array([picture(place) for place in places]),
        actions=actions,
        rewards=(later == 8).astype(float),
        next_observations=np.array([picture(place) for place in later]),
        terminations=later == 8,
        episode_ids=np.arange(rows) // 5,
        action_names=("left", "right"),
    )


def slope(rows=900, seed=0, columns=("push", "brake"), named=True):
    """Return walks on a slope by two continuous actions: a push, and a brake that costs."""
    random = np.random.default_rng(seed)
    log = {name: [] for name in ("now", "action", "reward", "later", "ended", "cut", "episode")}
    episode = 0
    while len(log["now"]) < rows:
        state = np.array([random.uniform(-1, 1), 0.0])
        for step in range(30):
            push, brake = random.uniform(-2, 2), random.uniform(0, 1)
            speed = (1.0 - 0.5 * brake) * state[1] + 0.05 * push
            later = np.array([state[0] + speed, speed])
            ended = bool(abs(later[0]) > 1.5)
            reward = -abs(later[0]) - 0.1 * brake - 5.0 * ended
            for name, value in zip(
                log,
                (state, (push, brake), reward, later, ended, step == 29 and not ended,
                 f"walk {episode}"),
                strict=True,
            ):  # fmt: skip
                log[name].append(value)
            state = later
            if ended:
                break
        episode += 1
    return da.Transitions(
        observations=np.array(log["now"], dtype=np.float32),
        actions=np.array(log["action"], dtype=np.float32),
        rewards=np.array(log["reward"]),
        next_observations=np.array(log["later"], dtype=np.float32),
        terminations=np.array(log["ended"]),
        truncations=np.array(log["cut"]),
        episode_ids=log["episode"],
        action_names=columns if named else None,
        action_bounds=[[-2.0, 0.0], [2.0, 1.0]],
        observation_names=("place", "speed") if named else None,
        observation_units={"place": "m"} if named else None,
    )
