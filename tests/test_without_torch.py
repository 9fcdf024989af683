"""The core works without the extra `deep`, and what needs it names the install command."""

from __future__ import annotations

import subprocess
import sys

import pytest

BLOCK = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "safetensors"):
            raise ImportError(name)

sys.meta_path.insert(0, Blocked())
import numpy as np
import deepaveragers as da
generator = np.random.default_rng(0)
data = da.Transitions(
    observations=generator.normal(size=(60, 2)), actions=generator.integers(2, size=60),
    rewards=generator.normal(size=60), next_observations=generator.normal(size=(60, 2)),
    terminations=np.zeros(60, bool),
)
"""


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", BLOCK + script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_core_needs_no_torch(tmp_path):
    assert run(
        f"path = {str(tmp_path / 'plan')!r}\n"
        "[getattr(da, name) for name in da.__all__]\n"
        "da.save(da.compile(data, 2).solve(gamma=0.9), path)\n"
        "print(da.load(path).status, 'torch' in sys.modules)"
    ).split() == ["optimal", "False"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        "da.train_dqn(data, 1)",
        "da.train_bcq(data, 1)",
        "da.compile(data, 2, da.RandomNetwork(dimensions=4))",
        "da.TorchEncoder(None)",
    ],
)
def test_a_missing_extra_gives_the_install_line(call):
    out = run(f"try:\n    {call}\nexcept da.MissingExtraError as error:\n    print(error)")
    assert "pip install 'deepaveragers[deep]'" in out
