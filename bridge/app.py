"""The assembly: from settings to one task group that runs everything, and stops together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from importlib.metadata import version

import httpx
import stamina
import structlog

from bridge.delivery.courier import Courier
from bridge.hub.auth import TokenSource, check_health
from bridge.hub.caller import HubCaller
from bridge.hub.counts import HubCounts
from bridge.hub.errors import HubUnreachable
from bridge.hub.events import EventStream
from bridge.hub.rest import HubApi
from bridge.language import speaking
from bridge.observe.courier import CourierFigures
from bridge.observe.health import Health
from bridge.observe.http import serve
from bridge.observe.metrics import Metrics
from bridge.platforms import Platform, names, open_platforms
from bridge.relay.desk import Desk, Link
from bridge.relay.hearing import CourierHearing
from bridge.relay.manners import Manners
from bridge.relay.relay import Hub, Relay
from bridge.relay.reminding import Patience, Spot
from bridge.settings import RemindSettings, Settings
from bridge.store.engine import Store
from bridge.store.leader import leadership

log = structlog.get_logger(__name__)


async def run(settings: Settings, *, ready: Callable[[], None] | None = None) -> None:
    """Run the bridge until cancelled; ``ready`` is called whenever the hub is heard and its sessions are known.

    Raises, before anything is started, what can't be mended by waiting: ``StoreUnusable``, ``HubTooNew``,
    ``AccessTokenRejected``, ``LoginRefused``, ``HttpUnusable``. A hub or platform that can't be reached is waited for,
    and so is another bridge that works with the same store.
    """
    stamina.instrumentation.set_on_retry_hooks([])  # a retry is no news: the watch says once what people should know
    async with AsyncExitStack() as stack:
        stack.enter_context(speaking(settings.chat.language))
        counts, metrics, health = HubCounts(), Metrics(), Health("hub", *names(settings))
        metrics.watch_counts("hub", counts)
        store = await Store.open(settings.store.url)
        stack.push_async_callback(store.close)
        await stack.enter_async_context(leadership(settings.store.url, _another_bridge))
        hub = await _hub(settings, counts, health, stack)
        platforms = await open_platforms(settings, health, stack)
        if settings.http.address is not None:
            routes = [route for platform in platforms for route in platform.routes]
            await stack.enter_async_context(serve(settings.http.address, health, metrics, routes))
        figures = CourierFigures(metrics.registry)
        links = [_link(store, platform, health, figures) for platform in platforms]
        desk = Desk(store, links, _now_ms, rules=settings.danger.rules, zone=settings.chat.zone)
        metrics.watch_counts("relay", desk.counts)
        readers = {platform.surface.name: platform.read for platform in platforms}
        manners = Manners(
            zone=settings.chat.zone,
            pause_ms=int(settings.chat.merge_pause_s * 1000),
            invitation_ms=settings.people.invitation_minutes * 60_000,
            audit_kept_ms=settings.people.audit_days * 86_400_000,
            undecided_ms=int(settings.chat.undecided_days * 86_400_000),
            scenarios=settings.chat.scenarios_dir,
            home_post=settings.chat.home_post,
            patience=_patience(settings.remind),
        )
        relay = Relay(
            desk, hub, readers, version=version("hapi-bridge"), manners=manners, ready=ready or (lambda: None)
        )
        for name, (words, read) in relay.figures().items():
            metrics.watch_gauge(name, words, read)
        await relay.remember()
        try:
            async with asyncio.TaskGroup() as tasks:
                for link in links:
                    tasks.create_task(link.courier.run(), name=f"{link.surface.name}-courier")
                tasks.create_task(relay.run(), name="relay")
        except BaseExceptionGroup as errors:
            raise _first(errors) from None


def _link(store: Store, platform: Platform, health: Health, figures: CourierFigures) -> Link:
    surface = platform.surface
    hearing = CourierHearing(surface.name, health)
    return Link(surface, Courier(store, surface, listener=hearing, figures=figures), platform.home)


def _patience(settings: RemindSettings) -> Patience:
    spots = [Spot(*spot.split(":", 1)) for spot in settings.escalate_to]
    remind_ms, escalate_ms = (int(m * 60_000) for m in (settings.after_minutes, settings.escalate_after_minutes))
    return Patience(remind_ms, escalate_ms, spots)


def _another_bridge() -> None:
    log.warning("store.in_use", why="another HAPI Bridge works with this store; waiting to take over when it ends")


async def _hub(settings: Settings, counts: HubCounts, health: Health, stack: AsyncExitStack) -> Hub:
    """The hub's client, after a first look whether the token fits; a hub that is not there yet is no mistake."""
    http = await stack.enter_async_context(httpx.AsyncClient())
    url = settings.hub.url
    tokens = TokenSource(http, url, settings.hub.access_token.get_secret_value(), counts=counts)

    async def check() -> None:
        await check_health(http, url)

    try:
        await check()
        await tokens.token()
    except HubUnreachable as error:
        health.tell("hub", "failing", str(error))
        log.warning("hub.unreachable", error=str(error), url=url)
    api = HubApi(HubCaller(http, url, tokens, counts=counts))
    return Hub(api, EventStream(http, url, tokens, counts=counts), check, url, health)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _first(errors: BaseExceptionGroup) -> BaseException:
    """The first real error of a group: tasks that fail together mostly fail for the same reason."""
    for error in errors.exceptions:
        return _first(error) if isinstance(error, BaseExceptionGroup) else error
    return errors
