"""The service as a whole: a policy at a path, and the application that serves it."""

from __future__ import annotations

import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from starlette.applications import Starlette
from starlette.types import ASGIApp

from ..arguments import choice, flag, whole_number
from ..server.application import application
from ..server.guard import Door
from ..server.limits import Limits
from .audit import AuditLog
from .audit_lines import Inputs
from .batching import TOGETHER
from .counting import Counted
from .current import Current, load_served
from .deciding import Decider
from .inference import Inference
from .metrics import Metrics
from .routes import Routes
from .swapping import Swapper

MODEL_NAME = "policy"


@dataclass(frozen=True)
class Settings:
    """How a policy is served.

    Attributes:
        name: of the model in paths of the open inference protocol.
        audit: file of the audit log; None where there is none.
        audit_inputs: "full" observations in it, or only their "digest".
        audit_rotate_bytes: size at which another file is begun.
        most_rows: of a batch.
        together: single requests that are decided at once, at most.
        log_requests: whether every request gets a line in the log.
        limits: on requests.
    """

    name: str = MODEL_NAME
    audit: Path | None = None
    audit_inputs: Inputs = "full"
    audit_rotate_bytes: int = 64 * 2**20
    most_rows: int = 100_000
    together: int = TOGETHER
    log_requests: bool = False
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        choice("audit_inputs", self.audit_inputs, ("full", "digest"))
        flag("log_requests", self.log_requests)
        for name in ("audit_rotate_bytes", "most_rows", "together"):
            whole_number(name, getattr(self, name))


def service(path: Path, door: Door, settings: Settings, log: logging.Logger) -> ASGIApp:
    """Return the application that serves the policy at a path, which is loaded now.

    Args:
        path: of the policy, or a plan.
        door: who may come in.
        settings: how it is served.
        log: of the server.
    """
    metrics = Metrics()
    current = Current(path, load_served(path))
    metrics.serving(current.served)
    audit = None
    if settings.audit is not None:
        keep = settings.audit_inputs, settings.audit_rotate_bytes
        audit = AuditLog(settings.audit, *keep, log, metrics)
    decider = Decider(metrics, audit, settings.most_rows, settings.together)
    routes = Routes(settings.name, current, decider, metrics)
    inference = Inference(settings.name, current, decider, routes)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        # What is loaded stays: to look through it again and again would only take time.
        gc.collect()
        gc.freeze()
        async with Swapper(path, current, log, metrics).watching():
            yield
            routes.stopping = True
        decider.close()

    all_routes = [*routes.all(), *inference.all()]
    app = application(all_routes, door=door, limits=settings.limits, log=log, lifespan=lifespan)
    paths = frozenset(route.path.replace("{name}", settings.name) for route in all_routes)
    return Counted(app, metrics, log if settings.log_requests else None, paths)
