"""A server in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

PROGRAM = "from deepaveragers.cli import main; main()"


class Server:
    """A running `dac serve`."""

    def __init__(self, policy, *options):
        words = ["serve", str(policy), "--port", "0", "--json", *map(str, options)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.communicate()[1])
        self.url = json.loads(line)["address"]
        self.port = int(self.url.rpartition(":")[2])

    def stop(self):
        """Stop it in peace, and return its log."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        text = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == 0, text
        return [json.loads(line) for line in text.splitlines()]


@contextmanager
def serving(policy, *options):
    server = Server(policy, *options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()
