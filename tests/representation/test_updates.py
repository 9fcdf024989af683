"""One update of DQN and of BCQ equals the one computed by hand in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from deepaveragers.representation.architecture import design
from deepaveragers.representation.q_learning import bcq_loss, dqn_loss
from deepaveragers.representation.settings import TrainingSettings
from deepaveragers.representation.standardizing import standardization
from deepaveragers.representation.training import Trainer

HIDDEN = (5, 4)
SETTINGS = TrainingSettings(
    batch_size=16, learning_rate=0.01, target_every=1, hidden=HIDDEN, reward_clip=0.5
)


def make_trainer(data, loss, heads):
    network = design(data.observations, hidden=HIDDEN, heads=heads, outputs=3)
    weights = {**network.initial_weights(3), **standardization(data.observations)}
    return Trainer(data, network, weights, loss, SETTINGS, seed=7), weights


def forward(weights, rows, head):
    """Return the layers' inputs and the output, in float64."""
    signal = (rows - weights["input.mean"]) * weights["input.scale"]
    inputs = []
    for place in range(len(HIDDEN)):
        inputs.append(signal)
        weight, bias = weights[f"{head}.{place}.weight"], weights[f"{head}.{place}.bias"]
        signal = np.maximum(signal @ weight.T.astype(float) + bias, 0)
    inputs.append(signal)
    return inputs, signal @ weights[f"{head}.output.weight"].T + weights[f"{head}.output.bias"]


def backward(weights, inputs, slope, head):
    """Return the gradient of every weight from that of the output, by the chain rule."""
    gradients = {}
    for place, name in reversed(list(enumerate([f"{head}.0", f"{head}.1", f"{head}.output"]))):
        gradients[f"{name}.weight"] = slope.T @ inputs[place]
        gradients[f"{name}.bias"] = slope.sum(axis=0)
        slope = (slope @ weights[f"{name}.weight"]) * (inputs[place] > 0)
    return gradients


def first_adam_step(weights, gradients):
    """At the first step Adam's corrected moments are the gradient and its square."""
    return {
        name: weights[name]
        - SETTINGS.learning_rate * slope / (np.abs(slope) + SETTINGS.adam_epsilon)
        for name, slope in gradients.items()
    }


def batch_of(data):
    rows = np.random.default_rng((7, 0)).integers(len(data), size=16)
    rewards = np.clip(data.rewards[rows], -0.5, 0.5)
    return rows, data.actions[rows], rewards, 1.0 - data.terminations[rows]


def huber_slope(q_values, actions, goal):
    chosen = q_values[np.arange(16), actions]
    slope = np.zeros_like(q_values)
    slope[np.arange(16), actions] = np.clip(chosen - goal, -1, 1) / 16
    return slope


def test_dqn(rows):
    trainer, weights = make_trainer(rows, dqn_loss, ("q",))
    batch, actions, rewards, continues = batch_of(rows)
    following = forward(weights, rows.next_observations[batch], "q")[1]
    goal = rewards + SETTINGS.gamma * continues * following.max(axis=1)
    inputs, q_values = forward(weights, rows.observations[batch], "q")
    slope = huber_slope(q_values, actions, goal)
    expected = first_adam_step(weights, backward(weights, inputs, slope, "q"))

    figures = trainer.update()
    error = np.abs(q_values[np.arange(16), actions] - goal)
    huber = np.where(error < 1, error**2 / 2, error - 0.5).mean()
    assert float(figures["loss"]) == pytest.approx(huber, rel=1e-5)
    for name, value in expected.items():
        assert np.allclose(trainer.weights[name].detach().numpy(), value, atol=2e-5), name
        assert np.array_equal(trainer.target[name].numpy(), trainer.weights[name].detach().numpy())


def test_bcq(rows):
    trainer, weights = make_trainer(rows, bcq_loss, ("q", "imitation"))
    batch, actions, rewards, continues = batch_of(rows)
    later = rows.next_observations[batch]
    following = forward(weights, later, "q")[1]
    likelihood = np.exp(forward(weights, later, "imitation")[1])
    likely = likelihood >= 0.3 * likelihood.max(axis=1, keepdims=True)
    best = np.where(likely, following, -np.inf).argmax(axis=1)
    goal = rewards + SETTINGS.gamma * continues * following[np.arange(16), best]
    inputs, q_values = forward(weights, rows.observations[batch], "q")
    gradients = backward(weights, inputs, huber_slope(q_values, actions, goal), "q")

    inputs, logits = forward(weights, rows.observations[batch], "imitation")
    share = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    slope = (share - np.eye(3)[actions]) / 16 + 0.01 * 2 * logits / logits.size
    gradients |= backward(weights, inputs, slope, "imitation")
    expected = first_adam_step(weights, gradients)

    trainer.update()
    for name, value in expected.items():
        assert np.allclose(trainer.weights[name].detach().numpy(), value, atol=2e-5), name


def test_the_target_waits(rows):
    trainer, weights = make_trainer(rows, dqn_loss, ("q",))
    trainer._settings = TrainingSettings(**{**SETTINGS.__dict__, "target_every": 3})
    for _ in range(2):
        trainer.update()
    assert np.array_equal(trainer.target["q.0.weight"].numpy(), weights["q.0.weight"])
    trainer.update()
    assert np.array_equal(
        trainer.target["q.0.weight"].numpy(), trainer.weights["q.0.weight"].detach().numpy()
    )
