"""A Ray that was started for some work ends with it, however that ends."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from os import environ

import pytest
from tests.cluster.conftest import processes_of

HELD_UP_SECONDS = 12.0
"""On a crowded machine the driver's own node may not answer for so long."""
WORK = f"""
import os, signal, sys, time
from deepaveragers.cluster.work_dir import workers
from pathlib import Path
with workers("auto", Path(sys.argv[1]), cpus=1) as hired:
    assert hired.map(len, [(b"abc",), (b"",)], "counting") == [3, 0]
    if sys.argv[2] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if sys.argv[2] == "interrupted":
        raise KeyboardInterrupt
    if sys.argv[2] == "held up":
        (raylet,) = hired.map(os.getppid, [()], "asking")
        os.kill(raylet, signal.SIGSTOP)
        time.sleep({HELD_UP_SECONDS})
        os.kill(raylet, signal.SIGCONT)
        time.sleep(1.0)
        assert hired.map(len, [(b"abc",)], "counting") == [3]
"""
ENDS = {"done": 0, "held up": 0, "killed": -signal.SIGKILL, "interrupted": -signal.SIGINT}


@pytest.mark.parametrize("how", ENDS)
def test_no_process_is_left_behind(how, tmp_path):
    # A short path, for Ray's sockets lie in it; of its own, for other clusters may run here.
    home = tempfile.mkdtemp(prefix="ray-", dir="/tmp")
    variables = {**environ, "RAY_TMPDIR": home, "PYTHONPATH": ":".join(p for p in sys.path if p)}
    variables.pop("RAY_ADDRESS", None)
    try:
        done = subprocess.run(
            [sys.executable, "-c", WORK, str(tmp_path), how],
            env=variables, capture_output=True, text=True, timeout=180,
        )  # fmt: skip
        assert done.returncode == ENDS[how], done.stderr[-2000:]
        assert list((tmp_path / "alive").parent.iterdir()), "it worked there"
        deadline = time.monotonic() + 30
        while processes_of(home) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert processes_of(home) == []
    finally:
        shutil.rmtree(home, ignore_errors=True)
