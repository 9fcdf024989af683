"""The public doors: how each is opened, and what each of its parameters must refuse."""

from __future__ import annotations

from tests.doors import judging, planning, records

DOORS = planning.DOORS | judging.DOORS | records.DOORS
