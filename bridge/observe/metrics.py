"""Figures for Prometheus: one registry per bridge, passed around, read when it is asked for.

The parts count for themselves, in plain dataclasses; this turns those into metrics without their knowing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

PREFIX = "hapi_bridge"


class Metrics:
    """The figures of one bridge."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

    def watch_counts(self, part: str, counts: Any) -> None:
        """Show a dataclass of totals: ``int`` fields as counters, ``Counter`` fields with a ``name`` label.

        ``part`` is the word in the metric's name: ``hub`` and a field ``calls`` make ``hapi_bridge_hub_calls_total``.
        Raises `TypeError` for anything but a dataclass instance.
        """
        if not is_dataclass(counts) or isinstance(counts, type):
            raise TypeError("counts are a dataclass instance")
        self.registry.register(_Counts(part, counts))

    def watch_gauge(self, name: str, words: str, read: Callable[[], float]) -> None:
        """Show a figure that goes up and down: a queue's length, seconds since the last frame."""
        self.registry.register(_Gauge(name, words, read))

    def text(self) -> bytes:
        """Everything in Prometheus's text form."""
        return generate_latest(self.registry)


class _Counts(Collector):
    def __init__(self, part: str, counts: Any) -> None:
        self._part = part
        self._counts = counts

    def collect(self) -> Iterable[Metric]:
        for field in fields(self._counts):
            value = getattr(self._counts, field.name)
            name = f"{PREFIX}_{self._part}_{field.name}"
            words = f"{field.name.replace('_', ' ')} ({self._part}), total since start"
            if isinstance(value, Counter):
                family = CounterMetricFamily(name, words, labels=["name"])
                for label, count in value.items():
                    family.add_metric([str(label)], count)
                yield family
            elif isinstance(value, int):
                yield CounterMetricFamily(name, words, value=value)


class _Gauge(Collector):
    def __init__(self, name: str, words: str, read: Callable[[], float]) -> None:
        self._name = name
        self._words = words
        self._read = read

    def collect(self) -> Iterable[Metric]:
        yield GaugeMetricFamily(f"{PREFIX}_{self._name}", self._words, value=self._read())
