"""The axes that a map begins with: two columns that tell most of the values together."""

from __future__ import annotations

import numpy as np

import deepaveragers as da
from deepaveragers.studio.axes import Axes
from deepaveragers.studio.columns import first_axes


def axes_of(columns):
    size = len(columns)
    data = da.Transitions(
        observations=columns,
        actions=np.arange(size) % 2,
        rewards=np.zeros(size),
        next_observations=columns,
        terminations=np.ones(size, dtype=bool),
        episode_ids=np.arange(size),
    )
    return Axes(da.compile(data, k=1))


def test_an_angle_is_not_shown_as_a_circle():
    random = np.random.default_rng(0)
    angle, speed, noise = random.normal(size=(3, 3000))
    cosine, sine = np.cos(angle), np.sin(angle)
    # The size of the sine, which is a function of the cosine, tells more by itself than the speed.
    values = 3.0 * cosine + speed**2
    axes = axes_of(np.column_stack([cosine, np.abs(sine), noise, speed]))
    assert first_axes(axes, values) == ("c0", "c3")
    assert first_axes(axes, values) == first_axes(axes_of(axes.sample()), values)


def test_of_columns_that_tell_nothing_two_are_shown():
    axes = axes_of(np.random.default_rng(0).normal(size=(300, 3)))
    assert len(set(first_axes(axes, np.zeros(300)))) == 2


def test_a_column_that_only_matters_beside_another_is_found():
    left, right, noise = np.random.default_rng(1).normal(size=(3, 4000))
    axes = axes_of(np.column_stack([noise, left, right]))
    assert first_axes(axes, left + 2.0 * left * right) == ("c1", "c2")
