"""The bridge's own HTTP server: `/healthz`, `/readyz`, `/metrics`, and routes that others add (webhooks)."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from aiohttp import web
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from bridge.observe.health import Health
from bridge.observe.metrics import Metrics

_HEALTH = web.AppKey("health", Health)
_METRICS = web.AppKey("metrics", Metrics)


class HttpUnusable(Exception):
    """The address can't be listened on; the words name it."""


@asynccontextmanager
async def serve(
    address: tuple[str, int], health: Health, metrics: Metrics, routes: Iterable[web.RouteDef] = ()
) -> AsyncIterator[int]:
    """Serve on host and port (0: a free one) while the block runs; gives the port. Raises `HttpUnusable`.

    `/healthz` says that the process runs its loop; `/readyz` is 503 until every part is ok, with the reasons as JSON.
    """
    app = web.Application()
    app[_HEALTH] = health
    app[_METRICS] = metrics
    app.add_routes([web.get("/healthz", _healthz), web.get("/readyz", _readyz), web.get("/metrics", _metrics), *routes])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, *address).start()
        except OSError as error:
            host, port = address
            cause = os.strerror(error.errno) if error.errno else str(error)
            raise HttpUnusable(f"BRIDGE_HTTP: can't listen on {host}:{port} ({cause})") from None
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


async def _healthz(_: web.Request) -> web.Response:
    return web.Response(text="ok\n")


async def _readyz(request: web.Request) -> web.Response:
    health = request.app[_HEALTH]
    return web.json_response({"ready": health.ready, "parts": health.report()}, status=200 if health.ready else 503)


async def _metrics(request: web.Request) -> web.Response:
    return web.Response(body=request.app[_METRICS].text(), headers={"Content-Type": CONTENT_TYPE_LATEST})
