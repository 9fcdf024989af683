"""Taking away: plans, policies and reports as files in the folder that was given at the start."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from ..errors import InputError
from ..server.problems import Problem
from ..solvers.plan import Plan
from ..storage.records import save
from .session import Session

What = Literal["plan", "policy", "report"]
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,79}")
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices."""
TAKEN = 409
"""Status of an export under a name that a file has already; the page then proposes another."""


def export(session: Session, plan: Plan, what: What, name: str) -> str:
    """Write what is asked for under a new name, and return the name."""
    target = session.output / _checked(name if what != "report" else f"{name}.html")
    if target.exists() or target.is_symlink():
        raise Problem(TAKEN, f"There is already a file named {target.name}.")
    if what == "report":
        from ..reporting.report import report

        report(plan).write(target)
    else:
        save(plan if what == "plan" else session.policy(plan), target)
    return target.name


def _checked(name: str) -> Path:
    """Return a plain name of a file: nothing that could lead elsewhere."""
    plain = NAME.fullmatch(name) and not RESERVED.fullmatch(name) and name[-1] not in ". "
    if not plain:
        allowed = "up to 80 letters, digits, spaces, '.', '-' or '_', none of them a path"
        raise InputError("name", allowed, repr(name))
    return Path(name)
