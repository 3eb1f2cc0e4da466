"""State as Slack shows it: users, channels, messages, files, views in JSON."""

from bridge.sandbox.slack.state import Channel, File, Json, Message, User, View

CHANNEL_TYPES = {"im": "im", "mpim": "mpim", "public": "channel", "private": "group"}


def user_json(user: User) -> Json:
    """A user as users.info shows it."""
    shown: Json = {
        "id": user.id,
        "team_id": user.team_id,
        "name": user.name,
        "deleted": user.deleted,
        "real_name": user.real_name,
        "tz": user.tz,
        "profile": {"real_name": user.real_name, "display_name": user.name, "team": user.team_id},
        "is_admin": user.is_owner,
        "is_owner": user.is_owner,
        "is_primary_owner": user.is_owner,
        "is_restricted": user.is_restricted or user.is_ultra_restricted,
        "is_ultra_restricted": user.is_ultra_restricted,
        "is_bot": user.is_bot,
        "is_app_user": False,
    }
    if user.is_stranger:
        shown["is_stranger"] = True
    if user.is_bot:
        shown["profile"] |= {"bot_id": user.bot_id, "api_app_id": user.app_id}
    return shown


def channel_json(channel: Channel, bot: User) -> Json:
    """A conversation as conversations.info shows it to the bot."""
    shown: Json = {"id": channel.id, "created": int(channel.created), "is_archived": channel.archived}
    if channel.is_im:
        return shown | {"is_im": True, "user": channel.person.id, "is_org_shared": False}
    return shown | {
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": channel.kind == "public",
        "is_group": channel.kind == "private",
        "is_mpim": channel.kind == "mpim",
        "is_im": False,
        "is_private": channel.kind != "public",
        "is_member": bot.id in channel.members,
        "is_general": False,
        "is_shared": channel.is_ext_shared,
        "is_ext_shared": channel.is_ext_shared,
        "is_org_shared": False,
        "creator": channel.creator.id,
        "topic": {"value": channel.topic, "creator": channel.creator.id, "last_set": 0},
        "purpose": {"value": channel.purpose, "creator": channel.creator.id, "last_set": 0},
        "num_members": len(channel.members),
    }


def file_json(file: File, origin: str) -> Json:
    """A file object; its private address is on this server."""
    kind = file.name.rsplit(".", 1)[-1].lower() if "." in file.name else "text"
    private = f"{origin}/files-pri/{file.id}/{file.name}"
    return {
        "id": file.id,
        "created": int(file.created),
        "name": file.name,
        "title": file.title or file.name,
        "mimetype": file.mime,
        "filetype": kind,
        "pretty_type": kind.upper(),
        "user": file.user.id,
        "size": file.size,
        "mode": "hosted" if file.snippet_type is None else "snippet",
        "is_external": False,
        "is_public": False,
        "url_private": private,
        "url_private_download": f"{origin}/files-pri/{file.id}/download/{file.name}",
        "permalink": f"{origin}/files/{file.user.id}/{file.id}/{file.name}",
    }


def message_json(message: Message, origin: str, *, metadata: bool = False, parent: bool = True) -> Json:
    """A message as history and events show it, ``metadata`` and (``parent``) its thread's counts with it."""
    shown: Json = {"type": "message", "ts": message.ts, "text": message.text, "team": message.user.team_id}
    if message.subtype is not None:
        shown["subtype"] = message.subtype
    shown |= _author_json(message)
    for name in ("blocks", "attachments"):
        if getattr(message, name):
            shown[name] = getattr(message, name)
    if message.stream is not None:
        shown["streaming_state"] = "in_progress" if message.stream.state == "streaming" else "completed"
    if message.thread_ts is not None:
        shown["thread_ts"] = message.thread_ts
    if message.is_reply:
        above = message.channel.message(message.thread_ts or "")
        shown |= {} if above is None else {"parent_user_id": above.user.id}
    elif parent:
        shown |= _thread_json(message)
    if message.files:
        shown["files"] = [file_json(file, origin) for file in message.files]
    if message.edited_at is not None:
        shown["edited"] = {"user": message.user.id, "ts": f"{message.edited_at:.6f}"}
    if message.reactions:
        shown["reactions"] = reactions_json(message)
    if metadata and message.metadata is not None:
        shown["metadata"] = message.metadata
    return shown | message.extra


def reactions_json(message: Message) -> list[Json]:
    """The reactions with their users."""
    return [{"name": name, "users": users, "count": len(users)} for name, users in message.reactions.items()]


def view_json(view: View, team: str, bot: User) -> Json:
    """A view as the API answers and interactions carry it, with the state of its inputs."""
    fields = ("blocks", "title", "submit", "close", "callback_id", "private_metadata", "external_id", "clear_on_close")
    shown: Json = {name: view.raw[name] for name in fields if name in view.raw}
    return {
        "id": view.id,
        "team_id": team,
        "type": view.type,
        "private_metadata": "",
        "callback_id": "",
        "external_id": "",
        "title": None,
        "close": None,
        "submit": None,
        "clear_on_close": False,
        "notify_on_close": view.raw.get("notify_on_close", False),
        "state": {"values": view.values},
        "hash": view.hash,
        "root_view_id": view.root_id,
        "previous_view_id": view.previous_id,
        "app_id": bot.app_id,
        "app_installed_team_id": team,
        "bot_id": bot.bot_id,
    } | shown


def _author_json(message: Message) -> Json:
    user = message.user
    if not user.is_bot:
        return {"user": user.id}
    shown: Json = {"bot_id": user.bot_id, "app_id": user.app_id}
    if message.subtype == "bot_message":  # posts under a name of their own carry no user
        return (
            shown | {"username": message.username or user.real_name} | ({"icons": message.icon} if message.icon else {})
        )
    profile = {"id": user.bot_id, "app_id": user.app_id, "name": user.real_name, "deleted": False}
    return shown | {"user": user.id, "bot_profile": profile | {"team_id": user.team_id}}


def _thread_json(message: Message) -> Json:
    replies = [m for m in message.channel.thread(message) if m.is_reply]
    if not replies:
        return {}
    users = list(dict.fromkeys(m.user.id for m in replies))
    return {
        "thread_ts": message.ts,
        "reply_count": len(replies),
        "reply_users_count": len(users),
        "latest_reply": replies[-1].ts,
        "reply_users": users[:5],
        "is_locked": False,
        "subscribed": any(m.user.is_bot for m in [message, *replies]),
    }
