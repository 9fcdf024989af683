"""What is counted, as Prometheus reads it; a registry of its own, no global one."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from ..policy.deciding import Decisions
from .current import Served

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
CONTENT_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """Counts of one server."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self.requests = Counter(
            "dac_requests", "Requests by path and status.", ["path", "status"], registry=registry
        )
        self.seconds = Histogram(
            "dac_request_seconds", "Time of requests.", ["path"], registry=registry, buckets=SECONDS
        )
        self._decisions = Counter("dac_decisions", "Decisions made.", registry=registry)
        self._abstained = Counter(
            "dac_abstained", "Decisions of the fallback, for want of support.", registry=registry
        )
        self._tied = Counter("dac_tied", "Decisions with ties.", registry=registry)
        self.swaps = Counter(
            "dac_swaps", "Policies found at the path.", ["result"], registry=registry
        )
        for result in ("swapped", "refused", "unchanged"):
            self.swaps.labels(result)
        self._loaded = Gauge(
            "dac_policy_loaded_seconds", "When the policy was loaded.", ["plan"], registry=registry
        )
        self.audit_lines = Counter("dac_audit_lines", "Lines of the audit log.", registry=registry)
        self.audit_waiting = Gauge(
            "dac_audit_waiting", "Lines that are not on the disk yet.", registry=registry
        )

    def serving(self, served: Served) -> None:
        """Note which policy decides from now on."""
        self._loaded.clear()
        self._loaded.labels(served.plan).set(served.loaded)

    def decided(self, decisions: Decisions, places: slice) -> None:
        """Count some of the decisions."""
        self._decisions.inc(len(decisions.actions[places]))
        self._abstained.inc(int(decisions.abstained[places].sum()))
        self._tied.inc(int(decisions.ties[places].any(axis=1).sum()))

    def text(self) -> bytes:
        """Return all of it."""
        return generate_latest(self._registry)
