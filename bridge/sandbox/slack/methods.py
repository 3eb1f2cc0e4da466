"""The methods this server plays, with their scopes, tiers and arguments. All others are ``unknown_method``."""

from collections.abc import Callable
from dataclasses import dataclass

from bridge.sandbox.slack import account, agents, conversations, files, messages, streams, views
from bridge.sandbox.slack.api import Api
from bridge.sandbox.slack.request import Kind, Request
from bridge.sandbox.slack.state import Json

Handler = Callable[[Api, Request], Json]


@dataclass(slots=True, frozen=True)
class Method:
    """``scopes``: the token needs one of them; none: the handler asks by kind of channel, or it needs none.

    ``tier`` as documented (calls a minute: 1, 20, 50, 100 for tiers 1 to 4), None for posting, which has its own rate.
    ``feature``: what the workspace must have for the method to exist. ``app``: it wants the app-level token.
    """

    name: str
    handler: Handler
    kinds: dict[str, Kind]
    scopes: tuple[str, ...] = ()
    tier: int | None = 3
    feature: str = ""
    app: bool = False


STR, INT, BOOL, OBJECT, ARRAY, IDS = Kind.STR, Kind.INT, Kind.BOOL, Kind.OBJECT, Kind.ARRAY, Kind.IDS
CHANNEL = {"channel": STR}
PAGE = {"cursor": STR, "limit": INT}
LOOK = {"username": STR, "icon_emoji": STR, "icon_url": STR}
CONTENT = {"text": STR, "blocks": ARRAY, "attachments": ARRAY, "markdown_text": STR, "parse": STR, "link_names": BOOL}
POST = (
    CHANNEL
    | CONTENT
    | LOOK
    | {"thread_ts": STR, "metadata": OBJECT, "mrkdwn": BOOL, "reply_broadcast": BOOL, "as_user": BOOL}
    | {"unfurl_links": BOOL, "unfurl_media": BOOL, "client_msg_id": STR}
)
UPDATE = CHANNEL | CONTENT | {"ts": STR, "metadata": OBJECT, "as_user": BOOL, "file_ids": ARRAY}
EPHEMERAL = CHANNEL | CONTENT | LOOK | {"user": STR, "thread_ts": STR, "as_user": BOOL}
READ = CHANNEL | PAGE | {"latest": STR, "oldest": STR, "inclusive": BOOL, "include_all_metadata": BOOL}
GROWTH = {"markdown_text": STR, "chunks": ARRAY, "metadata": OBJECT}
START = (
    CHANNEL
    | GROWTH
    | LOOK
    | {"thread_ts": STR, "recipient_user_id": STR, "recipient_team_id": STR, "task_display_mode": STR}
)
STOP = CHANNEL | GROWTH | {"ts": STR, "blocks": ARRAY, "session_status": STR}
THREAD = {"channel_id": STR, "thread_ts": STR}
ITEM = CHANNEL | {"timestamp": STR}
COMPLETE = {
    "files": ARRAY,
    "channel_id": STR,
    "channels": IDS,
    "initial_comment": STR,
    "thread_ts": STR,
    "blocks": ARRAY,
    "highlight_type": STR,
}
UPLOAD = {"filename": STR, "length": INT, "alt_txt": STR, "snippet_type": STR}
OPEN_VIEW = {"trigger_id": STR, "view": OBJECT}
WRITE = ("chat:write",)

ALL = [
    Method("auth.test", account.auth_test, {}, tier=4),
    Method("apps.connections.open", account.open_connection, {}, ("connections:write",), 1, app=True),
    Method("users.info", account.users_info, {"user": STR, "include_locale": BOOL}, ("users:read",), 4),
    Method("users.list", account.users_list, PAGE | {"include_locale": BOOL}, ("users:read",), 2),
    Method("team.info", account.team_info, {"team": STR, "domain": STR}, ("team:read",)),
    Method("bots.info", account.bots_info, {"bot": STR, "team_id": STR}, ("users:read",)),
    Method("chat.postMessage", messages.post_message, POST, WRITE, None),
    Method("chat.update", messages.update, UPDATE, WRITE),
    Method("chat.delete", messages.delete, CHANNEL | {"ts": STR, "as_user": BOOL}, WRITE),
    Method("chat.postEphemeral", messages.post_ephemeral, EPHEMERAL, WRITE, 4),
    Method("chat.getPermalink", messages.get_permalink, CHANNEL | {"message_ts": STR}, (), 4),
    Method("chat.startStream", streams.start_stream, START, WRITE, 2, "streams"),
    Method("chat.appendStream", streams.append_stream, CHANNEL | GROWTH | {"ts": STR}, WRITE, 4, "streams"),
    Method("chat.stopStream", streams.stop_stream, STOP, WRITE, 2, "streams"),
    Method(
        "conversations.open",
        conversations.open_dm,
        CHANNEL | {"users": IDS, "return_im": BOOL, "prevent_creation": BOOL},
        ("im:write", "mpim:write"),
    ),
    Method("conversations.info", conversations.info, CHANNEL | {"include_locale": BOOL, "include_num_members": BOOL}),
    Method(
        "conversations.list",
        conversations.list_channels,
        PAGE | {"types": IDS, "exclude_archived": BOOL, "team_id": STR},
        tier=2,
    ),
    Method("conversations.history", conversations.history, READ),
    Method("conversations.replies", conversations.replies, READ | {"ts": STR}),
    Method("conversations.create", conversations.create, {"name": STR, "is_private": BOOL, "team_id": STR}, tier=2),
    Method("conversations.invite", conversations.invite, CHANNEL | {"users": IDS, "force": BOOL}),
    Method("conversations.join", conversations.join, CHANNEL, ("channels:join",)),
    Method("conversations.archive", conversations.archive, CHANNEL, tier=2),
    Method("conversations.members", conversations.members, CHANNEL | PAGE, tier=4),
    Method("conversations.rename", conversations.rename, CHANNEL | {"name": STR}, tier=2),
    Method("conversations.setTopic", conversations.set_topic, CHANNEL | {"topic": STR}, tier=2),
    Method("conversations.setPurpose", conversations.set_purpose, CHANNEL | {"purpose": STR}, tier=2),
    Method(
        "users.conversations",
        conversations.own_channels,
        PAGE | {"types": IDS, "exclude_archived": BOOL, "team_id": STR},
    ),
    Method("reactions.add", account.add_reaction, ITEM | {"name": STR}, ("reactions:write",)),
    Method("reactions.remove", account.remove_reaction, ITEM | {"name": STR}, ("reactions:write",), 2),
    Method("reactions.get", account.get_reactions, ITEM | {"full": BOOL}, ("reactions:read",)),
    Method("pins.add", account.add_pin, ITEM, ("pins:write",), 2),
    Method("pins.remove", account.remove_pin, ITEM, ("pins:write",), 2),
    Method("files.getUploadURLExternal", files.get_upload_url, UPLOAD, ("files:write",), 4),
    Method("files.completeUploadExternal", files.complete_upload, COMPLETE, ("files:write",), 4),
    Method("files.info", files.info, PAGE | {"file": STR, "count": INT, "page": INT}, ("files:read",), 4),
    Method("views.open", views.open_view, OPEN_VIEW, tier=4),
    Method("views.push", views.push_view, OPEN_VIEW, tier=4),
    Method(
        "views.update",
        views.update_view,
        {"view": OBJECT, "view_id": STR, "external_id": STR, "hash": STR},
        tier=4,
    ),
    Method("views.publish", views.publish, {"view": OBJECT, "user_id": STR, "hash": STR}, tier=4),
    Method(
        "assistant.threads.setStatus",
        agents.set_status,
        THREAD | LOOK | {"status": STR, "loading_messages": ARRAY},
        ("assistant:write", "chat:write"),
        feature="assistant",
    ),
    Method(
        "assistant.threads.setTitle",
        agents.set_title,
        THREAD | {"title": STR},
        ("assistant:write",),
        feature="assistant",
    ),
    Method(
        "assistant.threads.setSuggestedPrompts",
        agents.set_suggested_prompts,
        THREAD | {"title": STR, "prompts": ARRAY},
        ("assistant:write",),
        feature="assistant",
    ),
    Method(
        "agents.sessions.setStatus",
        agents.set_session_status,
        THREAD | LOOK | {"status": STR, "title": STR, "initiator_user_id": STR},
        WRITE,
        feature="agents",
    ),
    Method("agents.sessions.rename", agents.rename_session, THREAD | {"title": STR}, WRITE, feature="agents"),
]
METHODS = {method.name: method for method in ALL}
FEATURES = frozenset(method.feature for method in ALL if method.feature)
# Everything a token may be granted here; the bridge's own manifest has fewer.
SCOPES = frozenset(
    {scope for method in ALL if not method.app for scope in method.scopes}
    | {f"{kind}:{right}" for kind in ("channels", "groups", "im", "mpim") for right in ("read", "history")}
    | {"chat:write.public", "chat:write.customize", "channels:manage", "groups:write", "channels:write.invites"}
    | {"channels:write.topic", "groups:write.invites", "groups:write.topic", "app_mentions:read", "commands"}
)
