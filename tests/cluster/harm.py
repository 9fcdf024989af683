"""Tasks that do what the real ones do, and once harm the node that they run on.

They run on nodes, so they are imported by name. A file says that the harm is done.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

from deepaveragers.evaluation.fitting import kept, on_cluster
from deepaveragers.neighbors import shard_tasks
from deepaveragers.representation import on_cluster as encoding
from deepaveragers.solvers import block_files


def _stop(pid: int, how: signal.Signals) -> None:
    """Kill or stop the node's raylet, which is the parent of its workers, and this process."""
    os.kill(os.getppid(), how)
    os.kill(pid, how)


def _after_one_file(writing, task, how: signal.Signals, mark: str, *arguments):
    """Run a task; once, harm the node when it has finished its first file.

    Args:
        writing: the module and the name of the function in it that writes files.
        task: the function.
        how: the signal that harms.
        mark: the file that says that the harm is done.
        arguments: of the task.
    """
    module, name = writing
    real = getattr(module, name)

    def write(path, content):
        real(path, content)
        if path.parent.name in ("visits", "starts"):  # the block is not finished yet
            return
        with Path(mark).with_name("journal").open("a") as journal:
            journal.write(f"{path}\n")
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        _stop(os.getpid(), how)

    setattr(module, name, write)
    try:
        return task(*arguments)
    finally:
        setattr(module, name, real)


def _search(how: signal.Signals, name: str, mark: str, *arguments):
    task = getattr(shard_tasks, name)
    return _after_one_file((shard_tasks, "write_array"), task, how, mark, *arguments)


def kill_in(name: str, mark: str, *arguments):
    return _search(signal.SIGKILL, name, mark, *arguments)


def hang_in(name: str, mark: str, *arguments):
    return _search(signal.SIGSTOP, name, mark, *arguments)


def kill_solving(mark: str, *arguments):
    writing = block_files, "write_array"
    return _after_one_file(writing, block_files.sweep_block, signal.SIGKILL, mark, *arguments)


def kill_fitting(name: str, mark: str, *arguments):
    task = getattr(on_cluster, name)
    return _after_one_file((kept, "write_bytes"), task, signal.SIGKILL, mark, *arguments)


def kill_encoding(mark: str, *arguments):
    writing = encoding, "write_array"
    return _after_one_file(writing, encoding.encode_block, signal.SIGKILL, mark, *arguments)
