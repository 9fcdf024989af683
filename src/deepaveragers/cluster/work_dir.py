"""The folder that all nodes see: checked before any work."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..arguments import file_path
from ..errors import InputError
from .files import write_text
from .session import check_cluster, connected
from .tasks import Workers

ANSWER_SECONDS = 60.0
"""In which a node has to say whether it sees the folder; its first process starts meanwhile."""


def requested(cluster: object, work_dir: object) -> dict[str, Any]:
    """Return `cluster` and `work_dir` as they were asked for: both, checked."""
    if cluster is None:
        raise InputError("work_dir", "None unless a cluster is given", work_dir)
    if work_dir is None:
        remedy = "Give a folder that all nodes see; a killed run continues from there."
        raise InputError("work_dir", "given with cluster", "None", remedy)
    return {"cluster": check_cluster(cluster), "work_dir": file_path("work_dir", work_dir)}


@contextmanager
def workers(cluster: str, folder: Path, *, cpus: int | None = None) -> Iterator[Workers]:
    """Yield the workers of a cluster, all of which see the folder and run this version."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("work_dir", "a folder that can be made", f"{folder} ({error})") from error
    with connected(cluster, cpus=cpus) as ray:
        hired = Workers(ray, folder.absolute())
        _check_nodes(ray, hired, folder.absolute())
        yield hired


def _check_nodes(ray: Any, hired: Workers, folder: Path) -> None:
    """Raise an error if a node that answers does not see the folder, or has another version."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    token = folder / f"seen-{uuid.uuid4().hex}"
    write_text(token, "")
    try:
        remote = ray.remote(look_around)
        asked = {
            remote.options(
                num_cpus=0,
                max_retries=0,
                scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False),
            ).remote(str(token)): node
            for node in hired.nodes()
        }
        done, silent = ray.wait(list(asked), num_returns=len(asked), timeout=ANSWER_SECONDS)
        for reference in silent:
            hired.avoid(asked[reference])
        for reference in done:
            with suppress(ray.exceptions.RayError):  # what it would have done, others do
                _check_answer(ray.get(reference, timeout=ANSWER_SECONDS), folder)
    finally:
        token.unlink(missing_ok=True)


def look_around(token: str) -> tuple[str, bool, str]:
    """Return, on a node, its name, whether a file is there, and the version of this package."""
    import socket

    return socket.gethostname(), Path(token).exists(), _version()


def _version() -> str:
    return str(sys.modules[__name__.partition(".")[0]].__version__)


def _check_answer(answer: tuple[str, bool, str], folder: Path) -> None:
    node, seen, version = answer
    if not seen:
        raise InputError(
            "work_dir",
            "a folder that all nodes of the cluster see under this name",
            f"{folder}, which {node} does not",
            "Give one on a file system that is shared between them.",
        )
    if version != _version():
        allowed = f"a cluster whose nodes have deepaveragers {_version()}"
        raise InputError("cluster", allowed, f"{version} on {node}", "Install the same everywhere.")
