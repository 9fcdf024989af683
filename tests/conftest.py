"""Small real datasets that many tests share."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import deepaveragers as da

pytest_plugins = ["tests.ward"]
SLOW = (
    "benchmarks/",
    "cli/test_cli.py::test_quickstart",
    "cli/test_continuous_commands.py",
    "cli/test_deep_commands.py",
    "cli/test_fit_command.py",
    "cluster/",
    "data/test_frame_stacks.py::test_compiled_models",
    "data/test_frame_stacks.py::test_networks",
    "data/test_fuzzing.py",
    "data/test_hospital.py::test_duckdb",
    "data/test_streaming.py",
    "doctor/test_doctor.py::test_silent_on_sound_data",
    "evaluation/fitting/",
    "evaluation/test_guarantee.py",
    "evaluation/test_paper_claim.py",
    "experiments/",
    "kernels/test_uncached.py",
    "mdp/test_candidates.py",
    "neighbors/test_projection.py::test_pictures",
    "neighbors/test_resume.py::test_twenty_kills",
    "representation/",
    "service/",
    "solvers/test_agreement.py",
    "solvers/test_constrained.py",
    "solvers/test_cuda.py",
    "solvers/test_float32_guess.py",
    "solvers/test_horizons.py",
    "solvers/test_packed.py",
    "solvers/test_reference.py::test_the_fast_planner_agrees_on_a_log",
    "storage/test_fuzzing.py",
    "storage/test_interruption.py",
    "storage/test_shared_bundles.py",
    "test_compiling.py",
    "test_examples.py",
    "test_pages.py",
    "test_serving_page.py",
)
"""What takes long, by `pytest --durations=0`: marked `slow`, and left out by `make test-quick`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests."""
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(SLOW):
            item.add_marker("slow")


def pytest_configure() -> None:
    """Heed Ctrl-C, which a shell switches off for what it starts in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def cartpole() -> da.Transitions:
    return da.collect("CartPole-v1", steps=3_000, seed=0)


@pytest.fixture(scope="session")
def model(cartpole: da.Transitions) -> da.DacMdp:
    return da.compile(cartpole, k=5)


@pytest.fixture(scope="session")
def plan(model: da.DacMdp) -> da.Plan:
    return model.solve(gamma=0.99, cost=1.0)


@pytest.fixture
def columns() -> dict[str, object]:
    """Six valid transitions in two episodes, as keyword arguments of Transitions."""
    return {
        "observations": np.arange(12.0).reshape(6, 2),
        "actions": [0, 1, 0, 1, 1, 0],
        "rewards": [1.0, 0.0, -1.0, 2.0, 0.5, 0.0],
        "next_observations": np.arange(2.0, 14.0).reshape(6, 2),
        "terminations": [False, False, True, False, False, False],
        "truncations": [False, False, False, False, False, True],
    }
