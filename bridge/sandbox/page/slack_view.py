"""The sandbox Slack as the page draws it: Slack's own JSON, and beside it what only a client shows."""

from __future__ import annotations

from bridge.sandbox.slack import Channel, Message, Session, SlackServer, User, View
from bridge.sandbox.slack.state import Json
from bridge.sandbox.slack.wire import message_json, user_json, view_json


def state(server: SlackServer, me: User, shortcuts: list[Json]) -> Json:
    """The workspace as ``me`` sees it, in full."""
    return {
        "team": {"id": server.team.id, "name": server.team.name},
        "bot": user_json(server.bot),
        "me": user_json(me),
        "users": [user_json(user) for user in server.users.values()],
        "channels": [
            channel_json(server, channel) | {"messages": _messages(server, channel, me)}
            for channel in server.channels.values()
            if me.id in channel.members
        ],
        "views": views(server, me),
        "home": home(server, me),
        "sessions": sessions(server),
        "commands": list(server.commands),
        "shortcuts": shortcuts,
    }


def channel_json(server: SlackServer, channel: Channel) -> Json:
    """A channel without its messages."""
    return {
        "id": channel.id,
        "name": server.bot.real_name if channel.is_im else channel.name,
        "kind": channel.kind,
        "archived": channel.archived,
        "topic": channel.topic,
        "pinned": list(channel.pinned),
        "status": {
            thread: line
            for thread in dict.fromkeys(ts for _, ts, _ in channel.statuses)
            if (line := status_json(server, channel, thread))["text"]
        },
    }


def status_json(server: SlackServer, channel: Channel, thread: str) -> Json:
    """The line below a thread as it stands now, and when it goes by itself."""
    return {"text": channel.status(thread, server.clock()), "until": channel.status_until(thread)}


def seen(server: SlackServer, message: Message) -> Json:
    """A message as it stands now."""
    # What chat.update replaced a stream by is a message as any other.
    stream = None if message.stream is None or message.stream.replaced else message.stream
    how = "" if stream is None else server.stream_state(message)
    tasks = [] if stream is None else stream.tasks.values()
    return message_json(message, server.origin, metadata=True) | {
        "_ephemeral_to": message.ephemeral_to and message.ephemeral_to.id,
        "_streaming": how == "streaming",
        "_stream": how,
        "_plan": "" if stream is None else stream.plan,
        "_tasks": [
            {"id": task.id, "title": task.title, "status": task.status, "details": task.details, "output": task.output}
            for task in tasks
        ],
        "_edits": len(message.edits),
        "_from_bot": message.from_bot,
        "_deleted": message.deleted,
    }


def views(server: SlackServer, me: User) -> list[Json]:
    """The modals that are open, the one on top last."""
    return [_view(server, view) for view in server.modals.get(me.id, [])]


def home(server: SlackServer, me: User) -> Json | None:
    """The app's Home tab, once it was published."""
    view = server.home(me)
    return None if view is None else _view(server, view)


def sessions(server: SlackServer) -> list[Json]:
    """The agent sessions of all threads; ``stoppable`` where Slack shows its Stop button."""
    return [_session(session) for session in server.sessions.values()]


def _session(session: Session) -> Json:
    return {
        "channel": session.channel.id,
        "thread_ts": session.thread_ts,
        "status": session.status,
        "title": session.title,
        "stoppable": session.status == "processing" and not session.warned,
    }


def _view(server: SlackServer, view: View) -> Json:
    return view_json(view, server.team.id, server.bot) | {"_errors": dict(view.errors)}


def _messages(server: SlackServer, channel: Channel, me: User) -> list[Json]:
    return [seen(server, message) for message in channel.messages if visible(message, me)]


def visible(message: Message, me: User) -> bool:
    """Whether ``me`` sees it: deleted ones and what is for others alone is hidden."""
    return not message.deleted and message.ephemeral_to in (None, me)
