"""Agent sessions and assistant threads (docs.slack.dev/ai/agent-sessions): status, title, prompts."""

from bridge.sandbox.slack.api import Api
from bridge.sandbox.slack.errors import SlackError, invalid_arguments, stricter
from bridge.sandbox.slack.request import Request
from bridge.sandbox.slack.state import Channel, Json, Session
from bridge.sandbox.slack.world import World

STATUSES = ("active", "processing", "suspended", "closed")
STOPPED = "agent_session_stopped"
NO_STOP = f"missing_{STOPPED}_event_subscription"
MAX_TITLE = 200


def set_session_status(world: Api, call: Request) -> Json:
    """agents.sessions.setStatus: makes the thread's session at need. Title and initiator count only then."""
    channel, thread = _thread(world, call)
    status = call.need("status")
    title = call.get("title", "")
    if len(title) > MAX_TITLE:
        raise invalid_arguments(f"must be less than {MAX_TITLE + 1} characters [json-pointer:/title]")
    initiator = channel.members.get(call.get("initiator_user_id", ""))
    if "initiator_user_id" in call.params and initiator is None:
        raise SlackError("user_not_in_channel")
    _check_status(status)
    call.approve(None)
    session = world.sessions.get((channel.id, thread))
    if session is None:
        session = Session(channel, thread, status, title, initiator, warned=not _subscribed(world))
        world.sessions[channel.id, thread] = session
    set_session(world, session, status)
    shown: Json = {"status": status, "agent_status": status, "title": session.title}
    if not _subscribed(world):
        shown |= {"warning": NO_STOP, "response_metadata": {"warnings": [NO_STOP]}}
    return shown


def begin_session(world: Api, channel: Channel, thread: str | None) -> None:
    """A stream starts in a thread: its session is processing, where the workspace has agents."""
    if "agents" not in world.features:
        return
    session = world.sessions.get((channel.id, thread))
    if session is None:
        session = Session(channel, thread, "processing", "", None, warned=not _subscribed(world))
        world.sessions[channel.id, thread] = session
    elif session.status == "processing":
        return
    set_session(world, session, "processing")


def rename_session(world: Api, call: Request) -> Json:
    """agents.sessions.rename."""
    channel, thread = _thread(world, call)
    title = call.need("title")
    if len(title) > MAX_TITLE:
        raise invalid_arguments(f"must be less than {MAX_TITLE + 1} characters [json-pointer:/title]")
    session = world.sessions.get((channel.id, thread))
    if session is None:
        raise SlackError("session_not_found")
    call.approve(None)
    session.title = title
    world.emit("session", channel, session=session)
    return {"title": title}


def set_session(world: World, session: Session, status: str) -> None:
    """Gives a session a status and notes it. Raises SlackError for one there is not."""
    _check_status(status)
    session.status = status
    session.history.append((world.clock(), status))
    world.emit("session", session.channel, session=session)


def set_status(world: Api, call: Request) -> Json:
    """assistant.threads.setStatus: a line under the thread, gone with an empty status, the app's next message there, or
    after two minutes."""
    channel, thread = _thread(world, call)
    if "status" not in call.params:
        raise invalid_arguments("missing required field: status")
    if len(call.get("loading_messages") or []) > 10:
        raise stricter("more than 10 loading_messages")
    call.approve(None)
    world.set_status_line(channel, thread or "", call.params["status"])
    return {}


def set_title(world: Api, call: Request) -> Json:
    """assistant.threads.setTitle: in DMs."""
    channel, thread = _dm_thread(world, call)
    title = call.need("title")
    call.approve(None)
    channel.titles[thread] = title
    world.emit("status", channel, thread=thread, title=title)
    return {}


def set_suggested_prompts(world: Api, call: Request) -> Json:
    """assistant.threads.setSuggestedPrompts: up to four in a DM's thread."""
    channel, thread = _dm_thread(world, call)
    prompts = call.objects("prompts")
    if not 1 <= len(prompts) <= 4 or not all(one.get("title") and one.get("message") for one in prompts):
        raise invalid_arguments("1 to 4 prompts, each with title and message [json-pointer:/prompts]")
    call.approve(None)
    channel.prompts[thread] = prompts
    world.emit("status", channel, thread=thread, prompts=prompts)
    return {}


def _check_status(status: str) -> None:
    if status not in STATUSES:
        raise invalid_arguments(f"must be one of: {', '.join(STATUSES)} [json-pointer:/status]")


def _subscribed(world: World) -> bool:
    return world.subscriptions is None or STOPPED in world.subscriptions


def _thread(world: World, call: Request) -> tuple[Channel, str | None]:
    channel = world.channel_for_bot(call.need("channel_id", "channel_not_found"), member=True)
    thread = call.need("thread_ts")
    if channel.message(thread) is None:
        raise SlackError("thread_not_found")
    return channel, thread


def _dm_thread(world: World, call: Request) -> tuple[Channel, str]:
    channel, thread = _thread(world, call)
    if not channel.is_im:
        raise SlackError("channel_not_supported")
    return channel, thread or ""
