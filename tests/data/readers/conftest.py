"""Arrays that the readers' tests share."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def flat_arrays():
    random = np.random.default_rng(0)
    return {
        "observations": random.normal(size=(10, 3)).astype(np.float32),
        "actions": random.integers(0, 3, size=10),
        "rewards": random.normal(size=10).astype(np.float32),
        "terminals": np.array([0, 0, 0, 1, 0, 0, 0, 0, 0, 0], dtype=bool),
        "timeouts": np.array([0, 0, 0, 0, 0, 0, 1, 0, 0, 0], dtype=bool),
    }
