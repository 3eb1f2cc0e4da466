"""What a sandbox server does with a call when the connection is what goes wrong."""

from __future__ import annotations

import asyncio

from aiohttp import web

from bridge.sandbox.faults import Fault, Kind


async def breaks_before(fault: Fault, closing: asyncio.Event) -> bool:
    """Play the part of a fault that comes before the call is performed: a delay, which ``closing`` ends, or a drop.

    True: hang up, nothing is to be performed.
    """
    if fault.kind is Kind.DELAY:
        try:
            async with asyncio.timeout(fault.seconds):
                await closing.wait()
        except TimeoutError:
            return False
        return True
    return fault.kind is Kind.DROP


def hang_up(http: web.Request) -> web.StreamResponse:
    """Drop a connection: no answer reaches the client."""
    if http.transport is not None:
        http.transport.abort()
    return web.Response(status=500)
