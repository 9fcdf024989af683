"""The GPU planner without a GPU: in the CUDA simulator, and compiled to PTX."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.solvers.explicit import random_mdp

import deepaveragers as da
from deepaveragers.solvers import device

ROOT = Path(__file__).parents[2]
with_extra = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None, reason="needs the extra 'cuda'"
)

PTX = """
import sys
from types import SimpleNamespace
from numba import cuda, types as t
from numba.cuda import dispatcher
from deepaveragers.kernels.cuda import backup as kernels
i32, i64, f32, f64, b = t.int32, t.int64, t.float32, t.float64, t.boolean
graph = (i32[:, :, ::1], f32[:, :, ::1])
signatures = {
    "columns": (i64, i32[:, :, ::1], i32[:, :, ::1]),
    "improve": (*graph, f64[::1], b[::1], b[:, ::1], f64[::1], i64, b, f64, f64, f64,
                f64[::1], f64[::1], f32[::1], i32[::1], f64[:, ::1]),
    "compact": (*graph, b[:, ::1], i64, b, f64, f64, i32[::1], i32[:, ::1], f32[:, ::1],
                f32[::1]),
    "relax": (i32[:, ::1], f32[:, ::1], f32[::1], f32[::1], f32[::1], f64[::1], b),
    "advance": (f64[::1], b[::1], f64, f32[::1], f64[::1], f64[::1]),
}
launched = {name for name, item in vars(kernels).items()
            if hasattr(item, "py_func") and not name.startswith("_")}
assert launched == set(signatures), launched
# Device functions ask the current GPU what to compile for, and there is none.
capability = tuple(map(int, sys.argv[1:]))
dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
for name, signature in signatures.items():
    ptx, _ = cuda.compile_ptx(getattr(kernels, name).py_func, signature, cc=capability)
    assert f".target sm_{capability[0]}{capability[1]}" in ptx, ptx[:300]
    assert ".visible .entry" in ptx
print("compiled")
"""


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


@with_extra
def test_in_the_simulator():
    options = ["-p", "no:xdist", "-p", "no:cacheprovider", "tests/solvers/simulated_cuda.py"]
    done = run("-m", "pytest", *options, NUMBA_ENABLE_CUDASIM="1")
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


@with_extra
@pytest.mark.parametrize("capability", [("8", "0"), ("9", "0")])
def test_every_kernel_compiles_to_ptx(capability):
    done = run("-c", PTX, *capability, NUMBA_ENABLE_CUDASIM="0")
    assert done.stdout.strip() == "compiled", done.stderr[-3000:]


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr(device, "has_extra", lambda: False)
    with pytest.raises(da.MissingExtraError, match=r"deepaveragers\[cuda\]"):
        random_mdp(0, 10, 2, 2).solve(device="cuda")
    assert random_mdp(0, 10, 2, 2).solve(device="auto").converged


@with_extra
def test_a_missing_gpu_is_one_sentence():
    script = (
        "import deepaveragers as da\n"
        "from tests.solvers.explicit import random_mdp\n"
        "try:\n    print(random_mdp(0, 10, 2, 2).solve(device='cuda').status)\n"
        "except da.InputError as error:\n    print(error)"
    )
    done = run("-c", script, CUDA_VISIBLE_DEVICES="-1", NUMBA_ENABLE_CUDASIM="0")
    assert "device must be 'cpu' on this machine" in done.stdout, done.stderr
    assert "no CUDA GPU" in done.stdout


@pytest.mark.parametrize("fields", [{"worst_case": 0.2}, {"horizon": 3}])
def test_what_a_gpu_does_not_do_is_refused(fields):
    mdp = random_mdp(0, 10, 2, 2)
    with pytest.raises(da.InputError, match=f"device.*{next(iter(fields))}"):
        mdp.solve(device="cuda", **fields)
    mdp.solve(device="auto", **fields)
