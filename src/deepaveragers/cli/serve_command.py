"""serve: decisions over HTTP."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

from .output import AsJson

MEGABYTE = 2**20


Host = Annotated[
    str, typer.Option(help="Address to listen at; any but a loopback one needs a token.")
]
TokenFile = Annotated[Path | None, typer.Option(help="File with the token that clients must send.")]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(help="Another Host name of a loopback address, as of a proxy."),
]
Audit = Annotated[
    Path | None, typer.Option(help="File to append every decision to, as JSON lines.")
]
AuditInputs = Annotated[
    str, typer.Option(help="'full' observations in it, or only their 'digest'.")
]
AuditRotate = Annotated[int, typer.Option(help="Megabytes at which another file of it is begun.")]
MaxTogether = Annotated[
    int, typer.Option(help="Single requests that are decided at once under load.")
]


def serve(
    policy: Annotated[Path, typer.Argument(help="A policy, or a plan.")],
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 8080,
    token_file: TokenFile = None,
    allow_host: AllowHost = None,
    name: Annotated[str, typer.Option(help="Of the model, in paths under /v2.")] = "policy",
    audit: Audit = None,
    audit_inputs: AuditInputs = "full",
    audit_rotate: AuditRotate = 64,
    max_body: Annotated[int, typer.Option(help="Megabytes of a request.")] = 64,
    max_batch: Annotated[int, typer.Option(help="Observations of a request.")] = 100_000,
    max_seconds: Annotated[float, typer.Option(help="That a request may take.")] = 30.0,
    max_concurrency: Annotated[int, typer.Option(help="Requests at once.")] = 256,
    max_together: MaxTogether = 16,
    log_requests: Annotated[
        bool, typer.Option("--log-requests", help="Log every request, too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Serve decisions over HTTP until SIGINT or SIGTERM; a new policy at the path is swapped in."""
    from ..server.extra import check_installed

    check_installed()
    from ..errors import DataWarning
    from ..server.guard import door_for, read_token
    from ..server.limits import Limits
    from ..server.logs import server_log
    from ..server.running import address_of, bound_socket, run
    from ..service.service import Settings, service

    token = None if token_file is None else read_token(token_file)
    door = door_for(host, token, hosts=allow_host or ())
    limits = Limits(
        body_bytes=max_body * MEGABYTE, seconds=max_seconds, concurrency=max_concurrency
    )
    settings = Settings(
        name=name,
        audit=audit,
        audit_inputs=audit_inputs,  # type: ignore[arg-type]
        audit_rotate_bytes=audit_rotate * MEGABYTE,
        most_rows=max_batch,
        together=max_together,
        log_requests=log_requests,
        limits=limits,
    )
    log = server_log(sys.stderr)
    with bound_socket(host, port) as bound:
        app = service(policy, door, settings, log)
        address = address_of(bound, host)

        def ready() -> None:
            line = json.dumps({"address": address}) if as_json else f"Serving at {address}"
            print(line, flush=True)  # noqa: T201

        with warnings.catch_warnings():
            # Columns that a client sends beside the policy's are no news.
            warnings.simplefilter("ignore", DataWarning)
            run(app, bound, limits=limits, log=log, ready=ready)
    log.info("stopped")
