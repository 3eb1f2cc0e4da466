"""The assembly: from settings to one task group that runs everything, and stops together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from importlib.metadata import version

import httpx
import stamina
import structlog

from bridge.cards.bridge_notes import HELP
from bridge.chat.surface import LoginRefused, Rates, SurfaceError
from bridge.chat.telegram.surface import TelegramSurface
from bridge.delivery.courier import Courier
from bridge.hub.auth import TokenSource, check_health
from bridge.hub.caller import HubCaller
from bridge.hub.counts import HubCounts
from bridge.hub.errors import HubUnreachable
from bridge.hub.events import EventStream
from bridge.hub.rest import HubApi
from bridge.observe.courier import CourierFigures
from bridge.observe.health import Health
from bridge.observe.http import serve
from bridge.observe.metrics import Metrics
from bridge.relay.desk import Desk, Home, Link
from bridge.relay.hearing import CourierHearing
from bridge.relay.relay import Hub, Relay
from bridge.relay.sessions import SessionView
from bridge.settings import Follow, Settings, TelegramSettings
from bridge.store.engine import Store

log = structlog.get_logger(__name__)


async def run(settings: Settings, *, ready: Callable[[], None] | None = None) -> None:
    """Run the bridge until cancelled; ``ready`` is called whenever the hub is heard and its sessions are known.

    Raises, before anything is started, what can't be mended by waiting: ``StoreUnusable``, ``HubTooNew``,
    ``AccessTokenRejected``, ``LoginRefused``, ``HttpUnusable``. A hub or platform that can't be reached is waited for.
    """
    stamina.instrumentation.set_on_retry_hooks([])  # a retry is no news: the watch says once what people should know
    assert settings.telegram is not None, "settings are checked: Telegram is the one surface so far"
    async with AsyncExitStack() as stack:
        counts, metrics, health = HubCounts(), Metrics(), Health("hub", "telegram")
        metrics.watch_counts("hub", counts)
        store = await Store.open(settings.store.url)
        stack.push_async_callback(store.close)
        if settings.http.address is not None:
            await stack.enter_async_context(serve(settings.http.address, health, metrics))
        hub = await _hub(settings, counts, health, stack)
        surface = await _telegram(settings.telegram, health, stack)
        hearing = CourierHearing(surface.name, health)
        courier = Courier(store, surface, listener=hearing, figures=CourierFigures(metrics.registry))
        desk = Desk(store, [Link(surface, courier, _home(settings.telegram, surface))], _now_ms)
        metrics.watch_counts("relay", desk.counts)
        relay = Relay(
            desk, hub, {surface.name: surface.intent}, version=version("hapi-bridge"), ready=ready or (lambda: None)
        )
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(courier.run(), name="courier")
                tasks.create_task(relay.run(), name="relay")
        except BaseExceptionGroup as errors:
            raise _first(errors) from None


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


async def _telegram(settings: TelegramSettings, health: Health, stack: AsyncExitStack) -> TelegramSurface:
    """The Telegram bot, after a first look whether the token fits; Telegram itself need not be reachable yet."""
    surface = TelegramSurface(
        settings.bot_token.get_secret_value(), settings.api_base_url, rates=Rates().faster(settings.speed)
    )
    await stack.enter_async_context(surface)
    try:
        identity = await surface.check()
        await surface.set_commands([(name.lstrip("/"), words) for name, words in HELP])
        health.tell("telegram", "ok")
        log.info("telegram.ready", bot=identity.username, topics=identity.has_topics_enabled)
    except LoginRefused:
        raise
    except SurfaceError as error:
        health.tell("telegram", "failing", str(error))
        log.warning("telegram.unreachable", error=str(error))
    return surface


def _home(settings: TelegramSettings, surface: TelegramSurface) -> Home:
    topics = settings.topics and (surface.identity is None or surface.identity.has_topics_enabled)
    owner = str(settings.owner_id)
    return Home(owner, owner, topics=topics, level=settings.level, admits=_filter(settings.follow))


def _filter(rules: Iterable[Follow]) -> Callable[[SessionView], str]:
    """Whether a session shows by itself (``all``), is offered (``ask``), or is left out (``none``): the first rule
    that matches says so; without any rule all do."""
    rules = tuple(rules)

    def admits(session: SessionView) -> str:
        if not rules:
            return "all"
        for rule in rules:
            if rule.matches(machines=session.machines, directory=session.directory, flavor=session.flavor):
                return rule.mode
        return "none"

    return admits


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _first(errors: BaseExceptionGroup) -> BaseException:
    """The first real error of a group: tasks that fail together mostly fail for the same reason."""
    for error in errors.exceptions:
        return _first(error) if isinstance(error, BaseExceptionGroup) else error
    return errors
