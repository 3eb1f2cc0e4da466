"""Checks of the platforms: whether the tokens work, what they may do, and whether the owner can be written to."""

from __future__ import annotations

from bridge.chat.errors import ChatGone, LoginRefused, Rejected, SurfaceError
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.client import Timeouts as SlackTimeouts
from bridge.chat.slack.manifest import CHANNEL_SCOPES, SCOPES
from bridge.chat.slack.surface import SlackSurface
from bridge.chat.telegram.client import TelegramClient, Timeouts
from bridge.cli.checks import PATIENCE_S, Check

_FAST = Timeouts(connect_s=PATIENCE_S, read_s=PATIENCE_S, write_s=PATIENCE_S, call_s=PATIENCE_S)
_FAST_SLACK = SlackTimeouts(connect_s=PATIENCE_S, call_s=PATIENCE_S)
TOPICS_OFF = "for a topic per session switch on Threaded Mode in the bot's settings at @BotFather"


async def telegram(base_url: str, bot_token: str, owner: int | None, *, topics: bool = True) -> Check:
    """Whether the token is a bot's, nothing else receives its updates, and the owner (if given) can be written to.

    ``topics``: whether a topic per session is wanted.
    """
    try:
        async with TelegramClient(bot_token, base_url, timeouts=_FAST) as client:
            me = await client.call("getMe")
            name = f"@{me['username']}"
            hook = await client.call("getWebhookInfo")
            if hook.get("url"):
                words = f"{name} has a webhook, so its updates go elsewhere"
                mend = "delete the webhook, or make a bot of its own with @BotFather"
                return Check("telegram", False, words, mend, mend, name)
            if owner is not None and (missing := await _unreachable_owner(client, name, owner)):
                return missing
    except LoginRefused:
        mend = "copy the token from @BotFather"
        return Check("telegram", False, "Telegram refuses the bot token", f"{mend} into TELEGRAM_BOT_TOKEN", mend)
    except SurfaceError as error:
        mend = "check the network and TELEGRAM_API_BASE_URL"
        return Check("telegram", False, f"no use of {base_url}: {error}", mend, "check the network")
    words = f"{name} is ready" + (f", owner {owner}" if owner is not None else "")
    if topics:
        words += ", topics are on" if me.get("has_topics_enabled") is True else f", topics are off ({TOPICS_OFF})"
    return Check("telegram", True, words, who=name)


async def _unreachable_owner(client: TelegramClient, name: str, owner: int) -> Check | None:
    """A failed check if the bot may not write to the owner: who never wrote to a bot is unknown to it."""
    try:
        await client.call("getChat", {"chat_id": owner})
    except LoginRefused:
        raise
    except SurfaceError as error:
        start = f"open {name} in Telegram and press Start, or correct"
        words = f"{name} can't write to {owner}: {error}"
        return Check("telegram", False, words, f"{start} TELEGRAM_OWNER_ID", f"{start} the id", name)
    return None


async def slack(
    base_url: str, bot_token: str, app_token: str | None, owner: str | None, *, channels: bool = False
) -> Check:
    """Whether the tokens are an app's, what the bot's may do, and whether the owner (if given) is somebody there.

    Without ``app_token`` the bot's token alone is looked at (HTTP mode). ``channels``: each session has a channel.
    """
    surface = SlackSurface(bot_token, base_url, app_token=app_token or "xapp-none", timeouts=_FAST_SLACK)
    client = SlackClient(bot_token, base_url, app_token=app_token, timeouts=_FAST_SLACK)
    asked, token = "bot token", "SLACK_BOT_TOKEN"
    try:
        async with surface, client:
            identity = await surface.check()
            name = f"@{identity.name} in {identity.team_name}"
            needed = SCOPES.keys() | (CHANNEL_SCOPES.keys() if channels else set())
            if lacks := sorted(needed - identity.scopes) if identity.scopes is not None else []:
                command = "hapi-bridge slack-manifest" + (" --channels" if channels else "")
                mend = f"install the app again with the manifest of `{command}`"
                return Check("slack", False, f"{name} lacks the scopes {', '.join(lacks)}", mend, mend, name)
            if app_token is not None:
                asked, token = "app-level token", "SLACK_APP_TOKEN"
                await client.call("apps.connections.open", app=True)
            if owner is not None and (missing := await _unknown_owner(client, name, owner)):
                return missing
    except LoginRefused as error:
        mend = f"copy the app's {asked}"
        why = str(error).partition(": check ")[0]
        return Check("slack", False, f"Slack refuses the {asked}: {why}", f"{mend} into {token}", mend)
    except SurfaceError as error:
        mend = "check the network and SLACK_API_BASE_URL"
        return Check("slack", False, f"no use of {base_url}: {error}", mend, "check the network")
    return Check("slack", True, f"{name} is ready" + (f", owner {owner}" if owner is not None else ""), who=name)


async def _unknown_owner(client: SlackClient, name: str, owner: str) -> Check | None:
    try:
        await client.call("users.info", {"user": owner})
    except (ChatGone, Rejected) as error:
        look = "it is in your Slack profile, Copy member ID"
        return Check(
            "slack", False, f"{name} can't find {owner}: {error}", f"correct SLACK_OWNER_ID; {look}", look, name
        )
    return None
