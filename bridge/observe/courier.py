"""The courier's figures for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from bridge.observe.metrics import PREFIX
from bridge.store.records import Urgency

URGENCIES: tuple[Urgency, ...] = ("approval", "answer", "notice", "preview")


class CourierFigures:
    """Holds what the courier reports (:class:`bridge.delivery.figures.Figures`)."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._waiting = Gauge(
            f"{PREFIX}_deliveries_waiting", "Posts on their way to a chat", ["surface", "urgency"], registry=registry
        )
        self._waited = Histogram(
            f"{PREFIX}_delivery_seconds",
            "From a post's last wish to its standing in a chat",
            ["surface", "urgency"],
            buckets=(0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000),
            registry=registry,
        )
        self._calls = Counter(
            f"{PREFIX}_platform_calls", "Calls to a platform", ["surface", "call", "outcome"], registry=registry
        )
        self._closed = Counter(
            f"{PREFIX}_platform_wait_seconds",
            "Time the platform asked to wait, or could not be reached",
            ["surface", "whole_bot"],
            registry=registry,
        )

    def queued(self, surface: str, waiting: dict[Urgency, int]) -> None:
        for urgency in URGENCIES:
            self._waiting.labels(surface, urgency).set(waiting.get(urgency, 0))

    def delivered(self, surface: str, urgency: Urgency, waited_ms: int) -> None:
        self._waited.labels(surface, urgency).observe(max(0, waited_ms) / 1000)

    def called(self, surface: str, what: str, outcome: str) -> None:
        self._calls.labels(surface, what, outcome).inc()

    def closed(self, surface: str, whole_bot: bool, seconds: float) -> None:
        self._closed.labels(surface, str(whole_bot).lower()).inc(max(0.0, seconds))
