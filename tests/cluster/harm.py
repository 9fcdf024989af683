"""Tasks that do what the real ones do, and once harm the node that they run on.

They run on nodes, so they are imported by name. A file says that the harm is done.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

from deepaveragers.neighbors import shard_tasks
from deepaveragers.solvers import block_files


def _stop(pid: int, how: signal.Signals) -> None:
    """Kill or stop the node's raylet, which is the parent of its workers, and this process."""
    os.kill(os.getppid(), how)
    os.kill(pid, how)


def _after_one_file(module, name: str, how: signal.Signals, mark: str, *arguments):
    """Run a task; once, harm the node when it has finished its first block."""
    real = module.write_array

    def write(path, array):
        real(path, array)
        if path.parent.name in ("visits", "starts"):  # the block is not finished yet
            return
        with Path(mark).with_name("journal").open("a") as journal:
            journal.write(f"{path}\n")
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        _stop(os.getpid(), how)

    module.write_array = write
    try:
        return getattr(module, name)(*arguments)
    finally:
        module.write_array = real


def kill_in(name: str, mark: str, *arguments):
    return _after_one_file(shard_tasks, name, signal.SIGKILL, mark, *arguments)


def hang_in(name: str, mark: str, *arguments):
    return _after_one_file(shard_tasks, name, signal.SIGSTOP, mark, *arguments)


def kill_solving(mark: str, *arguments):
    return _after_one_file(block_files, "sweep_block", signal.SIGKILL, mark, *arguments)
