"""DQN*, the paper's behaviour policy: trained online by Stable-Baselines3 (Table 5).

For a machine with a GPU: ten million steps a game, and a replay buffer of 28 GB.
"""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym

from .games import make_game

TABLE_5 = {
    "buffer_size": 1_000_000,
    "train_freq": 4,
    "learning_starts": 20_000,
    "exploration_initial_eps": 1.0,
    "exploration_final_eps": 0.01,
}
TABLE_3 = {"learning_rate": 6.25e-5, "batch_size": 32, "gamma": 0.99}
TARGET_EVERY = 4 * 8_000
"""Steps of the game in 8,000 updates."""
DECAY_STEPS = 4 * 250_000
"""Steps of the game in which epsilon falls: 250,000 training iterations."""


def train_agent(
    game: str, steps: int, file: Path, *, seed: int = 0, device: str = "auto", buffer: int = 0
) -> None:
    """Train an agent online and save it, unless it is there.

    Args:
        game: its name.
        steps: of the game, four frames each.
        file: the .zip to write.
        seed: of everything.
        device: where the network runs.
        buffer: size of the replay buffer; 0 takes the paper's.
    """
    if file.exists():
        return
    try:
        from stable_baselines3 import DQN
    except ImportError:
        raise SystemExit(
            f"{file} does not exist, and training it needs Stable-Baselines3: "
            "pip install stable-baselines3"
        ) from None
    env = gym.wrappers.TransformReward(make_game(game), lambda reward: max(-1.0, min(1.0, reward)))
    settings = {**TABLE_3, **TABLE_5, "buffer_size": buffer or TABLE_5["buffer_size"]}
    agent = DQN(
        "CnnPolicy",
        env,
        **settings,
        target_update_interval=TARGET_EVERY,
        exploration_fraction=min(1.0, DECAY_STEPS / steps),
        optimize_memory_usage=True,
        replay_buffer_kwargs={"handle_timeout_termination": False},
        policy_kwargs={"optimizer_kwargs": {"eps": 0.00015}},
        seed=seed,
        device=device,
    )
    agent.learn(steps, log_interval=10)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"part-{file.name}")
    agent.save(part)
    part.replace(file)
    env.close()
