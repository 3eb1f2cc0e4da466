"""What stands on the stage: the chats with a person in each, the hub if it is the sandbox's own, and the bridge."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from bridge.sandbox.hub import SandboxHub
from bridge.sandbox.slack import Channel, SlackServer
from bridge.sandbox.slack import Limits as SlackLimits
from bridge.sandbox.slack import User as SlackUser
from bridge.sandbox.stage.child import BridgeProcess
from bridge.sandbox.telegram import Chat, Limits, TelegramServer, User

PERSON = "Ada"
PERSON_ID = 4242
TELEGRAM_TOKEN = "4711:sandbox-telegram-token"
SLACK_TOKEN = "xoxb-sandbox-slack-token"
SLACK_APP_TOKEN = "xapp-1-sandbox-slack-app-token"
BURST = 6
"""Connections a minute that Slack takes: a visitor may kill the bridge again and again."""

Json = dict[str, Any]


@dataclass(slots=True)
class Stage:
    """``hub`` is None where the visitor's own hub is used, ``bridge`` where the visitor runs it.

    ``speed`` 4: the chats allow four times as much in a time, and what goes wrong is over four times as soon.
    """

    telegram: TelegramServer
    chat: Chat
    slack: SlackServer
    member: SlackUser
    dm: Channel
    hub: SandboxHub | None = None
    hub_url: str = ""
    bridge: BridgeProcess | None = None
    shortcuts: list[Json] = field(default_factory=list)
    speed: float = 1.0

    @property
    def person(self) -> User:
        """The visitor, as Telegram knows them."""
        return self.chat.person

    @classmethod
    async def build(
        cls, stack: AsyncExitStack, manifest: Mapping[str, Any], *, speed: float = 1.0, schemas: Path | None = None
    ) -> Self:
        """Both chats, running until ``stack`` closes; the Slack app is made from its manifest. ``schemas``: a folder
        with ``telegram-methods.json`` and ``slack-blocks.json``, to which every call is held (needs jsonschema)."""
        features, settings = manifest["features"], manifest["settings"]
        telegram = TelegramServer(
            token=TELEGRAM_TOKEN,
            limits=Limits(speed=speed),
            schema=schemas and schemas / "telegram-methods.json",
        )
        slack = SlackServer(
            bot_token=SLACK_TOKEN,
            schema=schemas and schemas / "slack-blocks.json",
            app_token=SLACK_APP_TOKEN,
            scopes=frozenset(manifest["oauth_config"]["scopes"]["bot"]),
            subscriptions=frozenset(settings["event_subscriptions"]["bot_events"]),
            commands=tuple(each["command"] for each in features["slash_commands"]),
            limits=SlackLimits(rare_burst=BURST, speed=speed),
        )
        await stack.enter_async_context(telegram)
        await stack.enter_async_context(slack)
        chat = telegram.private_chat(telegram.add_user(PERSON_ID, PERSON), topics=True)
        member = slack.add_user(PERSON.lower(), real_name=PERSON, owner=True)
        slack.add_channel("agents", member)
        shortcuts = [{name: each[name] for name in ("name", "type", "callback_id")} for each in features["shortcuts"]]
        return cls(telegram, chat, slack, member, slack.dm(member), shortcuts=shortcuts, speed=speed)

    @property
    def tables(self) -> str:
        """What a configuration file says for a bridge that is to be as fast as these chats allow."""
        return f"[telegram]\nspeed = {self.speed}\n[slack]\nspeed = {self.speed}\n"

    def variables(self) -> dict[str, str]:
        """The chats, as the bridge's environment variables name them."""
        return {
            "TELEGRAM_BOT_TOKEN": self.telegram.token,
            "TELEGRAM_OWNER_ID": str(self.person.id),
            "TELEGRAM_API_BASE_URL": self.telegram.base_url,
            "SLACK_BOT_TOKEN": self.slack.bot_token,
            "SLACK_APP_TOKEN": self.slack.app_token,
            "SLACK_OWNER_ID": self.member.id,
            "SLACK_API_BASE_URL": self.slack.base_url,
        }


def surroundings(
    known: Iterable[str], folder: Path, given: Mapping[str, str], tables: str = ""
) -> tuple[Path, dict[str, str]]:
    """A configuration file and an environment for a bridge that has to do with nothing of the user's.

    ``known`` names the variables the bridge reads: those of the user's are left out. ``tables`` is what the file says.
    The store is in ``folder``.
    """
    config, readable = folder / "bridge.toml", set(known)
    config.touch(mode=0o600)
    config.write_text(tables, encoding="utf-8")
    theirs = {name: value for name, value in os.environ.items() if name not in readable}
    return config, theirs | dict(given) | {"BRIDGE_DATA_DIR": str(folder / "data")}
