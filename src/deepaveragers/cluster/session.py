"""Ray, the engine: connected to where it runs, or started on this machine.

Ray is imported here alone, behind the extra `cluster`. What is started here ends with the
`with` block, and with this process however that ends.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..errors import InputError, MissingExtraError

AUTO = "auto"
SETTINGS = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "worker_niceness": 0,
}
"""Of a cluster that is started here. Ray notices a node that is gone after 3 s (by default 14 s).
One that hangs it gives five checks of 10 s, its default: a node that is wrongly taken for lost ends
itself, and on a crowded machine that may be the driver's own. What hangs is noticed before by its
signs of life. Workers do not give way to all other processes, as they do by Ray's default."""
CONNECT_SECONDS = 5.0
"""To wait for an answer from an address."""
STORE_BYTES = 128 << 20
"""Of shared memory for Ray's objects: nothing large is handed over through it."""


def check_cluster(cluster: object) -> str:
    """Return "auto" or an address; anything else is refused, and so is a missing Ray."""
    address = cluster if isinstance(cluster, str) else ""
    host, _, port = address.rpartition(":")
    if address != AUTO and not (host and "/" not in host and port.isdecimal()):
        allowed = f'"{AUTO}" or the address of a Ray cluster, "host:port"'
        raise InputError("cluster", allowed, repr(cluster))
    import_ray()
    return address


def import_ray() -> Any:
    """Return the module."""
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("Ray, which runs work on several machines,", "cluster") from error
    return ray


@contextmanager
def connected(cluster: str, *, cpus: int | None = None) -> Iterator[Any]:
    """Yield Ray, connected: to the cluster that runs, or else to one started on this machine.

    Args:
        cluster: "auto", or the address of a cluster.
        cpus: processors of a cluster that is started; None takes all of this machine.
    """
    ray = import_ray()
    if ray.is_initialized():  # by the caller, who also ends it
        yield ray
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    with _variables(RAY_USAGE_STATS_ENABLED="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0"):
        if cluster == AUTO:
            with suppress(ConnectionError):
                ray.init(address=AUTO, **quiet)
            if not ray.is_initialized():
                _start(ray, cpus, quiet)
        else:
            _connect(ray, cluster, quiet)
    try:
        yield ray
    finally:
        ray.shutdown()


def _start(ray: Any, cpus: int | None, quiet: dict[str, Any]) -> None:
    ray.init(
        address="local",
        num_cpus=cpus,
        include_dashboard=False,
        object_store_memory=STORE_BYTES,
        _system_config=SETTINGS,
        **quiet,
    )


def _connect(ray: Any, address: str, quiet: dict[str, Any]) -> None:
    host, _, port = address.rpartition(":")
    remedy = (
        "Start one there: ray start --head --port=6379. "
        "If Ray asks for a token, set RAY_AUTH_MODE=token here too."
    )
    try:
        # Ray itself would try for minutes.
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
        ray.init(address=address, **quiet)
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        allowed = "the address of a Ray cluster that answers"
        raise InputError("cluster", allowed, f"{address} ({reason})", remedy) from error


@contextmanager
def _variables(**values: str) -> Iterator[None]:
    """Set variables of the environment for what is started meanwhile."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update({name: value for name, value in values.items() if before[name] is None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
