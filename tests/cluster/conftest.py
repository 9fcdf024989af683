"""A real cluster of three nodes on this machine, with a head that does no work."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from pathlib import Path

import pytest

from deepaveragers.cluster.session import SETTINGS

ray = pytest.importorskip("ray")

NODES = 3
STARTS = 4
"""Tries to start a node."""


class LocalCluster:
    """Three nodes of one processor each; those that a test kills are replaced."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._cluster = Cluster()
        self._started(num_cpus=0, include_dashboard=False, _system_config=SETTINGS)
        self._nodes = []
        self.address = self._cluster.address
        ray.init(address=self.address, log_to_driver=False, logging_level=logging.ERROR)
        self.session = Path(self._cluster.head_node.get_session_dir_path()).name
        self.restore()

    def restore(self) -> None:
        """Bring the cluster back to three nodes that live; a dead one may be noticed late."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            for node in [one for one in self._nodes if not works(one)]:
                self._remove(node)
            while len(self._nodes) < NODES:
                self._nodes.append(self._started(num_cpus=1))
            if ray.cluster_resources().get("CPU", 0) == NODES:
                return
            time.sleep(0.2)
        pytest.fail("the cluster does not come back to three nodes")

    def _started(self, **options):
        """Return a new node; on a very crowded machine Ray gives one up after half a minute."""
        for _ in range(STARTS - 1):
            with contextlib.suppress(Exception):
                return self._cluster.add_node(object_store_memory=80 << 20, **options)
        # Not skipped: where Ray is installed, all of this has to be seen.
        return self._cluster.add_node(object_store_memory=80 << 20, **options)

    def _remove(self, node) -> None:
        self._nodes.remove(node)
        raylets = raylets_of(node)
        node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)
        self._cluster.worker_nodes.discard(node)
        for pid in workers_of(raylets):  # one that is stopped does not see that its node is gone
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def end(self) -> None:
        """End every process, also those that are stopped."""
        ray.shutdown()
        for node in list(self._nodes):
            self._remove(node)
        self._cluster.shutdown()


def raylets_of(node) -> list[int]:
    """Return the process of a node that starts its workers."""
    return [one.process.pid for one in node.all_processes.get("raylet", [])]


def works(node) -> bool:
    """Whether a node was neither killed nor stopped."""
    states = []
    for pid in raylets_of(node):
        with contextlib.suppress(OSError):
            states.append(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0])
    return bool(states) and not set(states) & set("TZX")


def workers_of(raylets: list[int]) -> list[int]:
    """Return the workers of nodes, whose own names do not tell their session."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            variables = (folder / "environ").read_bytes().split(b"\0")
            if any(f"RAY_RAYLET_PID={pid}".encode() in variables for pid in raylets):
                found.append(int(folder.name))
    return found


def processes_of(session: str) -> list[str]:
    """Return the command lines of processes of a session of Ray."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            text = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, ValueError):
            continue
        if folder.name.isdecimal() and session in text and int(folder.name) != os.getpid():
            found.append(text[:120])
    return found


@pytest.fixture(scope="module")  # not longer: its processes would run beside all other tests
def _local_cluster():
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    cluster = LocalCluster()
    try:
        yield cluster
    finally:
        cluster.end()
    deadline = time.monotonic() + 20
    while processes_of(cluster.session) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert processes_of(cluster.session) == []


@pytest.fixture
def cluster(_local_cluster):
    _local_cluster.restore()
    return _local_cluster
