"""The extra `serve`, which `studio` holds too: asked for before a server is built."""

from __future__ import annotations

from importlib.util import find_spec

from ..errors import MissingExtraError

MODULES = ("starlette", "uvicorn", "httptools", "prometheus_client")


def check_installed(extra: str = "serve") -> None:
    """Raise an error that names the install command where a module of the extra is missing."""
    for module in MODULES:
        if find_spec(module) is None:
            raise MissingExtraError(f"What the server needs ({module})", extra)
