"""Health and metrics over HTTP: alive, ready, and figures that the parts keep."""

import socket
from collections import Counter
from dataclasses import dataclass, field

import httpx
import pytest
from aiohttp import web

from bridge.observe.health import Health
from bridge.observe.http import HttpUnusable, serve
from bridge.observe.metrics import Metrics


@dataclass
class Totals:
    calls: int = 3
    share: float = 0.5
    unknown: Counter[str] = field(default_factory=lambda: Counter({"odd": 2}))


async def test_ready_only_when_every_named_part_is_ok() -> None:
    health = Health("hub", "telegram")
    async with serve(("127.0.0.1", 0), health, Metrics()) as port, httpx.AsyncClient() as http:
        at = f"http://127.0.0.1:{port}"
        assert (await http.get(f"{at}/healthz")).status_code == 200
        health.tell("hub", "ok")
        first = await http.get(f"{at}/readyz")
        assert first.status_code == 503
        assert first.json()["parts"]["telegram"] == {"state": "starting", "words": ""}
        health.tell("telegram", "ok")
        assert (await http.get(f"{at}/readyz")).json()["ready"] is True
        health.tell("hub", "failing", "The hub can't be reached.")
        assert (await http.get(f"{at}/readyz")).status_code == 503
        assert (await http.get(f"{at}/healthz")).status_code == 200, "alive, though not ready"


def test_a_change_is_news_once() -> None:
    health = Health("hub")
    assert health.tell("hub", "failing") is True
    assert health.tell("hub", "failing", "still") is False
    assert health.tell("hub", "ok") is True


async def test_metrics_show_what_the_parts_count_at_that_moment() -> None:
    metrics, totals = Metrics(), Totals()
    metrics.watch_counts("hub", totals)
    metrics.watch_gauge("queue_length", "posts that wait", lambda: 7)
    totals.calls = 5
    async with serve(("127.0.0.1", 0), Health(), metrics) as port, httpx.AsyncClient() as http:
        answer = await http.get(f"http://127.0.0.1:{port}/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    lines = answer.text.splitlines()
    assert "hapi_bridge_hub_calls_total 5.0" in lines
    assert 'hapi_bridge_hub_unknown_total{name="odd"} 2.0' in lines
    assert "hapi_bridge_queue_length 7.0" in lines


def test_two_bridges_in_one_process_keep_their_figures_apart() -> None:
    first, second = Metrics(), Metrics()
    first.watch_counts("hub", Totals(calls=1))
    second.watch_counts("hub", Totals(calls=2))
    assert b"hapi_bridge_hub_calls_total 1.0" in first.text()
    assert b"hapi_bridge_hub_calls_total 2.0" in second.text()


def test_only_dataclasses_of_totals_can_be_watched() -> None:
    with pytest.raises(TypeError):
        Metrics().watch_counts("hub", {"calls": 1})


async def test_a_taken_port_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(HttpUnusable, match=f"BRIDGE_HTTP: can't listen on 127.0.0.1:{port}"):
            async with serve(("127.0.0.1", port), Health(), Metrics()):
                pass


async def test_others_may_add_routes() -> None:
    async def hook(_: web.Request) -> web.Response:
        return web.Response(text="taken")

    routes = [web.post("/slack/events", hook)]
    async with serve(("127.0.0.1", 0), Health(), Metrics(), routes) as port, httpx.AsyncClient() as http:
        assert (await http.post(f"http://127.0.0.1:{port}/slack/events")).text == "taken"
