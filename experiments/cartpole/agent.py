"""The well-trained agent behind the optimal and the mixed bag.

A Stable-Baselines3 DQN is trained until it balances; its weights are then kept as plain
arrays, so that bags can be collected again without torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import deepaveragers as da

ENVIRONMENT = "CartPole-v1"
GOOD_ENOUGH = 495.0
CHECK_EVERY = 1_024
LONGEST = 30_720
MOST_SEEDS = 20


@dataclass(frozen=True, eq=False)
class Network:
    """A greedy policy: the best output of a network of rectified layers.

    Attributes:
        layers: weights [outputs, inputs] and biases [outputs], in order.
    """

    layers: tuple[tuple[np.ndarray, np.ndarray], ...]

    def act(self, observations: np.ndarray) -> np.ndarray:
        """Return one action per observation."""
        hidden = observations.astype(np.float32)
        for weights, biases in self.layers[:-1]:
            hidden = np.maximum(hidden @ weights.T + biases, 0.0)
        weights, biases = self.layers[-1]
        return np.argmax(hidden @ weights.T + biases, axis=1)


def trained_agent(path: Path) -> Network:
    """Return the agent kept at a path, training and keeping it first where there is none."""
    if not path.exists():
        arrays = _train()
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, *arrays)
    with np.load(path, allow_pickle=False) as kept:
        arrays = [kept[name] for name in kept.files]
    return Network(tuple(zip(arrays[::2], arrays[1::2], strict=True)))


def controller(observations: np.ndarray) -> np.ndarray:
    """Return the actions of a hand-written balancer, for the quick run without torch."""
    lean = observations @ np.array([0.05, 0.2, 1.0, 0.5])
    return (lean > 0.0).astype(np.int64)


def _train() -> list[np.ndarray]:
    """Return weights and biases of the first DQN, over seeds, that balances well enough."""
    try:
        from stable_baselines3 import DQN
        from stable_baselines3.common.callbacks import BaseCallback
    except ImportError:
        raise da.MissingExtraError("Stable-Baselines3", "study") from None

    class StopWhenGood(BaseCallback):
        good = False

        def _on_step(self) -> bool:
            if self.n_calls % CHECK_EVERY == 0:
                report = da.evaluate(self.model, ENVIRONMENT, episodes=10, seed=77)
                print(f"  {self.n_calls:,} steps: {report.mean:.1f}", flush=True)
                self.good = report.mean >= GOOD_ENOUGH and self._confirmed()
            return not self.good

        def _confirmed(self) -> bool:
            return da.evaluate(self.model, ENVIRONMENT, episodes=100, seed=78).mean >= GOOD_ENOUGH

    for seed in range(MOST_SEEDS):
        print(f"training a DQN, seed {seed}", flush=True)
        stop = StopWhenGood()
        agent: Any = DQN(
            "MlpPolicy",
            ENVIRONMENT,
            learning_rate=2.3e-3,
            batch_size=64,
            buffer_size=100_000,
            learning_starts=1_000,
            gamma=0.99,
            target_update_interval=10,
            train_freq=256,
            gradient_steps=128,
            exploration_fraction=0.16,
            exploration_final_eps=0.04,
            policy_kwargs={"net_arch": [256, 256]},
            seed=seed,
            device="cpu",
        )
        agent.learn(LONGEST, callback=stop)
        if stop.good:
            return [array.numpy() for array in agent.q_net.q_net.state_dict().values()]
    raise RuntimeError(f"none of {MOST_SEEDS} agents reached {GOOD_ENOUGH}")
