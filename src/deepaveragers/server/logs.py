"""Structured logs: one JSON object a line, on standard error."""

from __future__ import annotations

import json
import logging
import time
from typing import Any, TextIO

STANDARD = frozenset(vars(logging.makeLogRecord({})))
"""What every log record has; the rest was given as `extra`."""


class JsonLine(logging.Formatter):
    """A log record as one line of JSON: time, level, event, and what was given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {
            "time": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in STANDARD}
        line.pop("color_message", None)  # uvicorn's own, for terminals
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def server_log(stream: TextIO, level: int = logging.INFO) -> logging.Logger:
    """Return a log of its own, known to no other part of the program."""
    log = logging.Logger("deepaveragers.server", level)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLine())
    log.addHandler(handler)
    return log
