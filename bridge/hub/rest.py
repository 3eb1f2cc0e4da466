"""The hub's REST calls the bridge uses, one method each. Answers are plain JSON objects unless said otherwise.

All methods raise the classes of ``errors``. Reads are tried again with backoff. Calls that change something are sent
once: ``HubUnreachable`` means not done, ``OutcomeUnknown`` means perhaps done. Safe to repeat after ``OutcomeUnknown``:
``send_message`` (the ``localId`` makes a repeat add no row), ``cancel_message``, ``queued_state``, ``archive``,
``rename``, ``configure``, ``pin``. Not safe: ``approve`` and ``deny`` (look at ``agentState`` instead),
``retry_message``, ``steer_message``, ``spawn`` (look for a new session instead), ``upload``.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from bridge.hub.caller import HubCaller, path
from bridge.hub.errors import ComputerUnreachable, HubFailed, MalformedAnswer, NotFound, NotPending, NotStarted
from bridge.hub.wire import Json, Page, PageRequest, is_message, read_page
from bridge.language import N_

Decision = Literal["approved", "approved_for_session", "denied", "abort"]

#: What ``configure`` can set, and the key its value travels under.
SETTINGS: Mapping[str, str] = {
    "permission-mode": "mode",
    "model": "model",
    "effort": "effort",
    "model-reasoning-effort": "modelReasoningEffort",
    "service-tier": "serviceTier",
    "collaboration-mode": "mode",
    "copilot-agent-mode": "mode",
}

#: What ``look`` can read from the computer that runs a session.
VIEWS = frozenset(
    {"git-status", "git-diff-numstat", "git-diff-file", "file", "files", "directory", "slash-commands", "skills"}
)

_UPLOAD_S = 180.0
_SPAWN_S = 120.0


class HubApi:
    """Endpoints over one ``HubCaller``."""

    def __init__(self, caller: HubCaller) -> None:
        self._caller = caller
        self.counts = caller.counts

    # Sessions

    async def sessions(self, *, limit: int | None = None) -> list[Json]:
        """The session summaries, most recent first if ``limit`` (1–500) is given, else in the hub's own order."""
        query: dict[str, str | int] = {} if limit is None else {"limit": limit, "order": "updatedAt"}
        return self._list(await self._caller.get(path("sessions"), query), "sessions")

    async def session(self, session_id: str) -> Json:
        """The whole session record. ``NotFound`` if it is gone."""
        body = await self._caller.get(path("sessions", session_id))
        session = body.get("session") if isinstance(body, dict) else None
        if not isinstance(session, dict) or not is_message(session):
            raise MalformedAnswer(N_("The hub sent a session that can't be read."))
        return dict(session)

    async def resume(self, session_id: str, *, permission_mode: str | None = None) -> str:
        """Resume; returns the id of the session that carries on, which may be another one: follow it."""
        body = {} if permission_mode is None else {"permissionMode": permission_mode}
        return self._followed(session_id, await self._post("sessions", session_id, "resume", body=body))

    async def reopen(self, session_id: str) -> str:
        """Reopen an inactive session; returns the id of the session that carries on, as ``resume``."""
        return self._followed(session_id, await self._post("sessions", session_id, "reopen"))

    async def abort(self, session_id: str) -> None:
        """Stop what the agent is doing. ``ComputerUnreachable`` if its CLI is gone, ``SessionInactive`` if it ended."""
        await self._post("sessions", session_id, "abort")

    async def archive(self, session_id: str) -> None:
        """End the session and put it away."""
        await self._post("sessions", session_id, "archive")

    async def switch(self, session_id: str) -> None:
        """Take a session that the terminal controls over to remote control."""
        await self._post("sessions", session_id, "switch")

    async def rename(self, session_id: str, name: str) -> None:
        """Give the session another name (1–255 characters)."""
        await self._caller.change("PATCH", path("sessions", session_id), {"name": name})

    async def delete_session(self, session_id: str) -> None:
        """Delete an inactive session for good; ``Conflict`` while it runs."""
        await self._caller.change("DELETE", path("sessions", session_id))

    async def pin(self, session_id: str, mode: Literal["none", "project", "global"]) -> None:
        """Pin or unpin the session in HAPI's own list."""
        await self._caller.change("PUT", path("sessions", session_id, "pin"), {"mode": mode})

    async def configure(self, session_id: str, setting: str, value: Any) -> None:
        """Set one of ``SETTINGS`` (``ValueError`` for another). ``BadRequest`` if this flavor lacks it."""
        if setting not in SETTINGS:
            raise ValueError(f"unknown setting {setting!r}")
        await self._post("sessions", session_id, setting, body={SETTINGS[setting]: value})

    # Messages

    async def messages(self, session_id: str, request: PageRequest | None = None) -> Page:
        """One page; without a request the latest 200 plus all queued rows. Looping is ``sync``'s work."""
        query: dict[str, str | int] = dict((request or PageRequest()).query())
        page = read_page(await self._caller.get(path("sessions", session_id, "messages"), query))
        self.counts.skipped_elements += page.skipped
        return page

    async def send_message(
        self,
        session_id: str,
        text: str,
        local_id: str,
        sent_from: str,
        *,
        scheduled_at: int | None = None,
        delivery_mode: Literal["queue", "steer"] | None = None,
        attachments: Sequence[Json] = (),
    ) -> None:
        """Send a user message. Safe to repeat with the same ``local_id``: that adds no second row.

        ``local_id`` should start with ``sent_from`` ("telegram-bot", "slack-bot"): the hub drops ``sentFrom`` but
        echoes the id everywhere. ``scheduled_at`` is epoch ms, at most 7 days ahead; no attachments, no ``steer`` then.
        """
        body: Json = {"text": text, "localId": local_id, "sentFrom": sent_from}
        if scheduled_at is not None:
            body["scheduledAt"] = scheduled_at
        if delivery_mode is not None:
            body["deliveryMode"] = delivery_mode
        if attachments:
            body["attachments"] = list(attachments)
        await self._post("sessions", session_id, "messages", body=body)

    async def cancel_message(self, session_id: str, message_or_local_id: str) -> Json:
        """Withdraw a queued message: ``{status: "cancelled"}``, ``{status: "invoked", message}`` (too late) or
        ``{status: "busy"}`` (unresolved: ask ``queued_state`` later)."""
        url = path("sessions", session_id, "messages", message_or_local_id)
        return self._record(await self._caller.change("DELETE", url))

    async def retry_message(self, session_id: str, message_id: str) -> Json:
        """Put a message of unknown delivery back into the queue, only because a person asked for it.

        ``status`` is retried, already-queued, retry-unavailable, invoked (with ``message``) or not-found.
        """
        return await self._post("sessions", session_id, "messages", message_id, "retry")

    async def steer_message(self, session_id: str, message_id: str) -> Json:
        """Push a queued message into the running turn: ``status`` is steered, invoked or failed."""
        return await self._post("sessions", session_id, "messages", message_id, "steer")

    async def queued_state(self, session_id: str, local_ids: Sequence[str]) -> Json:
        """What became of up to 1,000 local ids: ``queuedLocalIds``, ``indeterminateLocalIds``, ``invokedLocalMessages``
        (each ``{localId, invokedAt}``). An id in none of the three was deleted."""
        return await self._post("sessions", session_id, "messages", "queued-state", body={"localIds": list(local_ids)})

    # Permissions

    async def approve(
        self,
        session_id: str,
        request_id: str,
        *,
        mode: str | None = None,
        allow_tools: Sequence[str] | None = None,
        decision: Literal["approved", "approved_for_session"] | None = None,
        answers: Mapping[str, Any] | None = None,
    ) -> None:
        """Approve a pending request, by its request id. Returning means only that the CLI took the call.

        ``answers``: ``{"0": ["Label"]}`` (AskUserQuestion) or ``{"id": {"answers": ["…"]}}`` (request_user_input).
        Raises ``NotPending``, ``SessionInactive``, ``BadRequest`` (a mode the flavor lacks), ``ComputerUnreachable``.
        """
        given = {"mode": mode, "allowTools": allow_tools, "decision": decision, "answers": answers}
        body = {key: value for key, value in given.items() if value is not None}
        await self._decide(session_id, request_id, "approve", body)

    async def deny(
        self, session_id: str, request_id: str, *, decision: Literal["denied", "abort"] | None = None
    ) -> None:
        """Deny a pending request. The hub drops any reason: send it as a message afterwards. Raises as ``approve``."""
        await self._decide(session_id, request_id, "deny", {} if decision is None else {"decision": decision})

    async def _decide(self, session_id: str, request_id: str, verb: str, body: Json) -> None:
        try:
            await self._post("sessions", session_id, "permissions", request_id, verb, body=body)
        except NotFound as error:
            raise NotPending(N_("This request is no longer open."), status=404, code=error.code) from error

    # What the session's computer can show

    async def look(self, session_id: str, view: str, **query: str) -> Json:
        """Read one of ``VIEWS`` (``ValueError`` for another), e.g. ``look(id, "file", path="a.py")`` (base64)."""
        if view not in VIEWS:
            raise ValueError(f"unknown view {view!r}")
        return self._record(await self._caller.get(path("sessions", session_id, view), dict(query)))

    async def catalogue(self, session_id: str, name: str) -> Json:
        """A list that a running session's agent knows itself, such as ``codex-models`` (see ``session_settings``)."""
        return self._record(await self._caller.get(path("sessions", session_id, name)))

    async def generated_image(self, session_id: str, image_id: str) -> tuple[bytes, str]:
        """An image the agent made: its bytes and MIME type."""
        return await self._caller.get_bytes(path("sessions", session_id, "generated-images", image_id))

    async def upload(self, session_id: str, filename: str, content: bytes, mime_type: str) -> str:
        """Put a file (1 byte to 50 MiB, else ``TooLarge``) on the session's computer, where it stays as long as the
        agent's process; returns its path there. Repeating it makes another copy. ``HubFailed`` if that computer could
        not keep it."""
        body = {"filename": filename, "content": base64.b64encode(content).decode("ascii"), "mimeType": mime_type}
        url = path("sessions", session_id, "upload")
        try:
            answer = self._record(await self._caller.change("POST", url, body, timeout_s=_UPLOAD_S))
        except ComputerUnreachable as error:
            if error.status != 200:
                raise
            raise HubFailed(
                N_("The session's computer could not keep the file."), status=200, detail=error.detail
            ) from error
        if not isinstance(answer.get("path"), str):
            raise MalformedAnswer(N_("The hub did not say where the file went."))
        return str(answer["path"])

    # Machines and the rest

    async def machines(self) -> list[Json]:
        """The computers that are online."""
        return self._list(await self._caller.get(path("machines")), "machines")

    async def spawn(self, machine_id: str, directory: str, **options: Any) -> str:
        """Start a session on a computer; options are the hub's own (agent, model, permissionMode, sessionType,
        worktreeName, …). Returns the session id; ``NotStarted`` with the computer's words if it refused."""
        body = {"directory": directory, **options}
        answer = self._record(
            await self._caller.change("POST", path("machines", machine_id, "spawn"), body, timeout_s=_SPAWN_S)
        )
        if answer.get("type") == "success" and isinstance(answer.get("sessionId"), str):
            return str(answer["sessionId"])
        reason, code = answer.get("message"), answer.get("code")
        raise NotStarted(
            N_("The session could not be started."),
            status=200,
            code=code if isinstance(code, str) else None,
            detail=reason if isinstance(reason, str) else "",
        )

    async def agents(self, machine_id: str) -> Json:
        """Which agents a computer can start: ``{agents: [{agent, available, reason?}]}``."""
        return self._record(await self._caller.get(path("machines", machine_id, "agent-availability")))

    async def machine_catalogue(self, machine_id: str, name: str, **query: str) -> Json:
        """A list that a computer knows before a session runs, such as ``codex-models``."""
        return self._record(await self._caller.get(path("machines", machine_id, name), dict(query)))

    async def list_directory(self, machine_id: str, directory: str) -> Json:
        """The entries of a directory on a computer."""
        return await self._post("machines", machine_id, "list-directory", body={"path": directory})

    async def paths_exist(self, machine_id: str, paths: Sequence[str]) -> Json:
        """Which of up to 1,000 paths exist on a computer: ``{exists: {path: bool}}``."""
        return await self._post("machines", machine_id, "paths", "exists", body={"paths": list(paths)})

    async def usage(self, days: int = 7) -> Json:
        """Usage figures of the last days; ``Forbidden`` unless the access token is the hub owner's."""
        return self._record(await self._caller.get(path("usage", "summary"), {"range": f"{days}d"}))

    async def _post(self, *parts: str, body: Mapping[str, Any] | None = None) -> Json:
        return self._record(await self._caller.change("POST", path(*parts), body))

    @staticmethod
    def _record(body: Any) -> Json:
        if not isinstance(body, dict):
            raise MalformedAnswer(N_("The hub's answer can't be read."))
        return body

    def _list(self, body: Any, key: str) -> list[Json]:
        items = body.get(key) if isinstance(body, dict) else None
        if not isinstance(items, list):
            raise MalformedAnswer(N_("The hub sent a list that can't be read."))
        kept = [item for item in items if is_message(item)]
        self.counts.skipped_elements += len(items) - len(kept)
        return kept

    @staticmethod
    def _followed(session_id: str, answer: Json) -> str:
        followed = answer.get("sessionId")
        return followed if isinstance(followed, str) and followed else session_id
