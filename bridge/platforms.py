"""The platforms that are configured, each as the relay needs it: a surface, its home, and how its updates read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import structlog
from aiohttp import web

from bridge.cards.own.help import command_menu, spoken_commands
from bridge.chat.errors import LoginRefused, SurfaceError
from bridge.chat.intents import Intent
from bridge.chat.slack.surface import RATES as SLACK_RATES
from bridge.chat.slack.surface import SlackSurface
from bridge.chat.surface import RawUpdate, Surface
from bridge.chat.telegram.surface import RATES as TELEGRAM_RATES
from bridge.chat.telegram.surface import TelegramSurface
from bridge.observe.health import Health
from bridge.relay.desk import Home
from bridge.relay.follow.sessions import SessionView
from bridge.settings import Follow, Settings, SlackSettings, TelegramSettings

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Platform:
    """One configured platform, open for business."""

    surface: Surface
    home: Home
    read: Callable[[RawUpdate], Intent | None]
    routes: Sequence[web.RouteDef] = field(default=())
    """What the platform calls over HTTP, if it does."""


async def open_platforms(settings: Settings, health: Health, stack: AsyncExitStack) -> list[Platform]:
    """Every platform with a token, after a first look whether the token fits; they need not be reachable yet.

    Raises ``LoginRefused``.
    """
    platforms = []
    if settings.telegram is not None:
        platforms.append(await _telegram(settings.telegram, health, stack))
    if settings.slack is not None:
        platforms.append(await _slack(settings.slack, health, stack))
    return platforms


def names(settings: Settings) -> list[str]:
    """The words for the configured platforms."""
    return [name for name in ("telegram", "slack") if getattr(settings, name) is not None]


async def _telegram(settings: TelegramSettings, health: Health, stack: AsyncExitStack) -> Platform:
    rates = TELEGRAM_RATES.faster(settings.speed)
    surface = TelegramSurface(settings.bot_token.get_secret_value(), settings.api_base_url, rates=rates)
    await stack.enter_async_context(surface)
    try:
        identity = await surface.check()
        await surface.set_commands(command_menu())
        log.info("surface.ready", surface="telegram", bot=identity.username, topics=identity.has_topics_enabled)
    except LoginRefused:
        raise
    except SurfaceError as error:
        health.tell("telegram", "failing", str(error))
        log.warning("surface.trouble", surface="telegram", error=str(error))
    topics = settings.topics and (surface.identity is None or surface.identity.has_topics_enabled)
    owner = str(settings.owner_id)
    home = Home(owner, owner, topics=topics, level=settings.level, admits=_filter(settings.follow))
    return Platform(surface, home, surface.intent)


async def _slack(settings: SlackSettings, health: Health, stack: AsyncExitStack) -> Platform:
    surface = SlackSurface(
        settings.bot_token.get_secret_value(),
        settings.api_base_url,
        app_token=settings.app_token.get_secret_value() if settings.app_token else None,
        signing_secret=settings.signing_secret.get_secret_value() if settings.signing_secret else None,
        commands=spoken_commands(),
        owner=settings.owner_id,
        rates=SLACK_RATES.faster(settings.speed),
    )
    await stack.enter_async_context(surface)
    try:
        identity = await surface.check()
        log.info("surface.ready", surface="slack", bot=identity.name, workspace=identity.team_name)
    except LoginRefused:
        raise
    except SurfaceError as error:
        health.tell("slack", "failing", str(error))
        log.warning("surface.trouble", surface="slack", error=str(error))
    owner = settings.owner_id
    admitted, rooms = frozenset(settings.admit), settings.layout == "channel"
    follows = _filter(settings.follow)
    home = Home(owner, owner, rooms=rooms, level=settings.level, admits=follows, admitted=admitted)
    return Platform(surface, home, surface.intent, surface.routes() if settings.app_token is None else ())


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
