"""The Slack app's manifest: exactly what the bridge uses, and why each scope is needed (also told in docs/slack.md)."""

from __future__ import annotations

from bridge.chat.slack.payload import PATH, SEND_SHORTCUT, STOP_ANYWHERE, STOP_SHORTCUT, Json

SCOPES: dict[str, str] = {
    "app_mentions:read": "hear when somebody writes @bot in a channel or a group conversation",
    "channels:history": "read replies in a session's thread in a public channel, and look a message up after a send"
    " whose answer was lost, before it would be posted twice",
    "channels:read": "hear when a public channel is archived or renamed, or the bot is removed from it",
    "chat:write": "post, stream, edit and delete its own messages, answer a press visibly to the presser alone, show"
    " below a thread how its session stands",
    "commands": "the command /hapi and the shortcuts Send to agent, Stop and Stop a session",
    "files:read": "fetch the files you send, to pass them on to the agent",
    "files:write": "post long outputs and answers as files",
    "groups:history": "the same as channels:history, in private channels the bot was invited to",
    "groups:read": "the same as channels:read, in private channels the bot was invited to",
    "im:history": "read what you write to the bot in its direct messages",
    "im:write": "open the direct messages with you, where sessions appear",
    "pins:write": "pin the post that tells what waits and what runs, in your direct messages with the bot",
    "reactions:write": "mark your messages: 👀 queued, 👌 taken",
    "users:read": "know your name, and tell members from guests and from people of other workspaces",
}
"""Every scope the bot's token needs, and what for."""

AGENT_SCOPES: dict[str, str] = {
    "assistant:write": "be an agent to Slack: a thread shows by itself that its session is at work, waits or is done,"
    " with Slack's own Stop button",
}
"""What an app that is declared an agent needs besides. Without it all else works."""

CHANNEL_SCOPES: dict[str, str] = {
    "groups:write": 'with layout = "channel" alone: make a private channel for each session, invite you, name and'
    " describe it",
}
"""What it needs besides where each session has a channel of its own."""

EVENTS: tuple[str, ...] = (
    "agent_session_stopped",
    "app_home_opened",
    "app_mention",
    "channel_archive",
    "channel_deleted",
    "channel_left",
    "channel_rename",
    "channel_unarchive",
    "group_archive",
    "group_deleted",
    "group_left",
    "group_rename",
    "group_unarchive",
    "member_joined_channel",
    "member_left_channel",
    "message.channels",
    "message.groups",
    "message.im",
)


AGENT = "Your coding agents, each session a thread: it shows what they do, asks you, and passes on what you write."


def slack_manifest(request_url: str | None = None, *, agent: bool = True, channels: bool = False) -> Json:
    """The manifest as Slack's app settings take it, as JSON. ``request_url``: HTTP mode, the public address that leads
    to the bridge's HTTP server (the path is added); without it Socket Mode. ``agent``: the app is declared an agent,
    which not every workspace takes. ``channels``: each session has a channel of its own."""
    scopes = [*SCOPES, *(AGENT_SCOPES if agent else ()), *(CHANNEL_SCOPES if channels else ())]
    events = [event for event in EVENTS if agent or event != "agent_session_stopped"]
    address = None if request_url is None else request_url.rstrip("/").removesuffix(PATH) + PATH
    at: Json = {} if address is None else {"request_url": address}
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": "HAPI Bridge",
            "description": "Your coding-agent sessions in Slack: read, answer, approve.",
            "background_color": "#1d1c1d",
        },
        "features": {
            "bot_user": {"display_name": "HAPI Bridge", "always_online": True},
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            **({"agent_view": {"agent_description": AGENT}} if agent else {}),
            "slash_commands": [
                {
                    "command": "/hapi",
                    "description": "Sessions, status, stop, attach, help",
                    "usage_hint": "help",
                    "should_escape": True,
                    **({} if address is None else {"url": address}),
                }
            ],
            "shortcuts": [
                {
                    "name": "Send to agent",
                    "type": "message",
                    "callback_id": SEND_SHORTCUT,
                    "description": "Send this message's text to one of your sessions",
                },
                {
                    "name": "Stop",
                    "type": "message",
                    "callback_id": STOP_SHORTCUT,
                    "description": "Stop the session of this thread",
                },
                {
                    "name": "Stop a session",
                    "type": "global",
                    "callback_id": STOP_ANYWHERE,
                    "description": "Stop the session that is at work",
                },
            ],
        },
        "oauth_config": {"scopes": {"bot": sorted(scopes)}},
        "settings": {
            "event_subscriptions": {**at, "bot_events": events},
            "interactivity": {"is_enabled": True, **at},
            "org_deploy_enabled": False,
            "socket_mode_enabled": address is None,
            "token_rotation_enabled": False,
        },
    }
