"""Numbers for Prometheus. Each service has a registry of its own."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """What the service counts."""

    def __init__(self, waiting: Callable[[], int]):
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "truerank_requests", "Requests by route and status.", ["route", "status"], registry=self.registry
        )
        self.seconds = Histogram("truerank_request_seconds", "Time to answer.", ["route"], registry=self.registry)
        self.submissions = Counter(
            "truerank_submissions", "Submissions by board and the state they end in.", ["board", "state"],
            registry=self.registry,
        )  # fmt: skip
        self.processor = Counter(
            "truerank_processor_seconds", "Processor time of submissions.", ["board"], registry=self.registry
        )
        self.received = Counter("truerank_received_bytes", "Bytes of submissions.", registry=self.registry)
        gauge = Gauge("truerank_jobs", "Audits and scorings waiting or under way.", registry=self.registry)
        gauge.set_function(waiting)

    def text(self) -> bytes:
        """The page that Prometheus reads."""
        return generate_latest(self.registry)
