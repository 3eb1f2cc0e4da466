"""The sandbox hub's REST calls: what a client may ask, and the answers, with the real hub's codes and shapes."""

from __future__ import annotations

from aiohttp import web

from bridge.hub.flavors import PERMISSION_MODES
from bridge.sandbox.hub_answers import Refused, body_of, ok
from bridge.sandbox.hub_auth import Tokens
from bridge.sandbox.hub_pages import BadQuery, is_queued, page
from bridge.sandbox.hub_planned import planned_at
from bridge.sandbox.hub_session import Session, Signal
from bridge.sandbox.hub_state import HubState, Json
from bridge.sandbox.hub_uploads import attachments_of

_QUESTIONS = {"AskUserQuestion", "ask_user_question", "request_user_input"}
_DECISIONS = ("approved", "approved_for_session", "denied", "abort")
"""What both calls take, whichever of them it is."""


_NOTHING_TO_RESUME = (
    "Resume session ID unavailable. Start a new session in this directory, or retry after the agent has initialized."
)


class HubApi:
    """Handlers over a `HubState`."""

    def __init__(self, state: HubState, tokens: Tokens) -> None:
        self._state = state
        self._tokens = tokens

    def routes(self) -> list[web.RouteDef]:
        """Every REST call the sandbox knows; anything else is 404."""
        at = "/api/sessions/{session}"
        return [
            web.get("/health", self.health),
            web.post("/api/auth", self.auth),
            web.get("/api/sessions", self.sessions),
            web.get(at, self.session),
            web.patch(at, self.rename),
            web.delete(at, self.delete),
            web.get(at + "/messages", self.messages),
            web.post(at + "/messages", self.send),
            web.post(at + "/messages/queued-state", self.queued_state),
            web.delete(at + "/messages/{message}", self.cancel),
            web.post(at + "/messages/{message}/retry", self.retry),
            web.post(at + "/messages/{message}/steer", self.steer),
            web.post(at + "/permissions/{request}/approve", self.approve),
            web.post(at + "/permissions/{request}/deny", self.deny),
            web.get(at + "/generated-images/{image}", self.generated_image),
            web.post(at + "/abort", self.abort),
            web.post(at + "/archive", self.archive),
            web.post(at + "/resume", self.resume),
            web.post(at + "/reopen", self.reopen),
        ]

    async def health(self, _: web.Request) -> web.Response:
        capabilities = {"workGraph": True, "titleSuggestion": False}
        return web.json_response({"status": "ok", "protocolVersion": 1, "capabilities": capabilities})

    async def auth(self, request: web.Request) -> web.Response:
        body = await body_of(request)
        if not isinstance(body.get("accessToken"), str):
            raise Refused(400, "Invalid body")
        token = self._tokens.exchange(body["accessToken"])
        if token is None:
            raise Refused(401, "Invalid access token")
        return web.json_response({"token": token, "user": {"id": 1, "firstName": "Web User"}})

    async def sessions(self, request: web.Request) -> web.Response:
        sessions = list(self._state.sessions.values())
        if request.query.get("order") == "updatedAt":
            sessions.sort(key=lambda each: -each.record["updatedAt"])
        limit = request.query.get("limit")
        if limit is not None:
            sessions = sessions[: int(limit)]
        return web.json_response({"sessions": [_summary(each) for each in sessions]})

    async def session(self, request: web.Request) -> web.Response:
        return web.json_response({"session": self._session(request).record})

    async def rename(self, request: web.Request) -> web.Response:
        session, body = self._session(request), await body_of(request)
        if not isinstance(body.get("name"), str) or not 1 <= len(body["name"]) <= 255:
            raise Refused(400, "Invalid body")
        self._state.rename(session, body["name"])
        return ok()

    async def delete(self, request: web.Request) -> web.Response:
        session = self._session(request)
        if session.record["active"]:
            raise Refused(409, "Cannot delete active session. Archive it first.")
        self._state.delete(session)
        return ok()

    async def messages(self, request: web.Request) -> web.Response:
        session = self._session(request)
        try:
            return web.json_response(page(session.rows, request.query, session.epoch))
        except BadQuery as error:
            fields = {name: [words] for name, words in error.fields.items()}
            raise Refused(400, "Invalid query", issues={"formErrors": [], "fieldErrors": fields}) from None

    async def send(self, request: web.Request) -> web.Response:
        session, body = self._session(request), await body_of(request)
        text, local_id = body.get("text"), body.get("localId")
        if not isinstance(text, str) or not isinstance(local_id, str | None):
            words = "Invalid input: expected string, received undefined"
            raise Refused(400, "Invalid body", issues={"formErrors": [], "fieldErrors": {"text": [words]}})
        if not text and not body.get("attachments"):
            raise Refused(400, "Message requires text or attachments")
        attached = attachments_of(body)
        planned = planned_at(body, self._state.now())
        self._active(session)
        self._state.send(session, text, local_id, attached, planned)
        return ok()

    async def queued_state(self, request: web.Request) -> web.Response:
        session, body = self._session(request), await body_of(request)
        asked = body.get("localIds")
        if not isinstance(asked, list) or len(asked) > 1000:
            raise Refused(400, "Invalid body")
        rows = [row for row in session.rows if row["localId"] is not None and row["localId"] in asked]
        taken = [{"localId": row["localId"], "invokedAt": row["invokedAt"]} for row in rows if not is_queued(row)]
        queued = [row["localId"] for row in rows if is_queued(row)]
        answer = {"queuedLocalIds": queued, "indeterminateLocalIds": [], "invokedLocalMessages": taken}
        return web.json_response(answer)

    async def cancel(self, request: web.Request) -> web.Response:
        return web.json_response(self._state.cancel(self._session(request), request.match_info["message"]))

    async def retry(self, request: web.Request) -> web.Response:
        row = self._session(request).row(request.match_info["message"])
        if row is None:
            return web.json_response({"status": "not-found"})
        answer = (
            {"status": "already-queued", "localId": row["localId"]}
            if is_queued(row)
            else {"status": "invoked", "message": row}
        )
        return web.json_response(answer)

    async def steer(self, request: web.Request) -> web.Response:
        self._session(request)
        words = "Steering is only supported for Pi, Codex, and Cursor ACP sessions"
        return web.json_response({"status": "failed", "error": words, "localId": None})

    async def approve(self, request: web.Request) -> web.Response:
        session, name, body = await self._asked(request)
        mode = body.get("mode")
        every_mode = {each.mode for modes in PERMISSION_MODES.values() for each in modes}
        if body.get("decision", "approved") not in _DECISIONS or (mode is not None and mode not in every_mode):
            raise Refused(400, "Invalid body")
        if mode is not None and mode not in self._modes(session):
            raise Refused(400, "Invalid permission mode for session flavor")
        self._state.decide(session, name, approved=True, body=body)
        return ok()

    async def deny(self, request: web.Request) -> web.Response:
        session, name, body = await self._asked(request)
        if body.get("decision", "denied") not in _DECISIONS:
            raise Refused(400, "Invalid body")
        self._state.decide(session, name, approved=False, body=body)
        return ok()

    async def generated_image(self, request: web.Request) -> web.Response:
        """The CLI of the session hands its pictures out; the hub passes its refusal on."""
        session, image = self._session(request), request.match_info["image"]
        if not session.reachable:
            words = f"RPC handler not registered: {session.id}:readGeneratedImage"
            return web.json_response({"success": False, "error": words}, status=404)
        if image not in self._state.images:
            return web.json_response({"success": False, "error": "Generated image not found"}, status=404)
        data, media_type, name = self._state.images[image]
        about = {"Content-Disposition": f'inline; filename="{name}"', "ETag": f'"{image}"'}
        about |= {"Cache-Control": "private, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
        return web.Response(body=data, content_type=media_type, headers=about)

    async def abort(self, request: web.Request) -> web.Response:
        session = self._session(request)
        self._active(session)
        self._reachable(session)
        session.signals.put_nowait(Signal("abort"))
        return ok()

    async def archive(self, request: web.Request) -> web.Response:
        session = self._session(request)
        if not session.record["active"]:
            raise Refused(409, "Session is inactive")
        self._state.end(session)
        return ok()

    async def resume(self, request: web.Request) -> web.Response:
        session, _ = self._carry_on(request)
        return web.json_response({"type": "success", "sessionId": session.id})

    async def reopen(self, request: web.Request) -> web.Response:
        session, resumed = self._carry_on(request)
        return web.json_response({"ok": True, "sessionId": session.id, "resumed": resumed})

    # Within

    def _session(self, request: web.Request) -> Session:
        session = self._state.sessions.get(request.match_info["session"])
        if session is None:
            raise Refused(404, "Session not found")
        return session

    def _carry_on(self, request: web.Request) -> tuple[Session, bool]:
        """The session that goes on with a conversation, and whether it had to be started again for that."""
        session = self._session(request)
        if session.record["active"]:
            return session, False
        if session.resumes == "never":
            raise Refused(409, _NOTHING_TO_RESUME, code="resume_unavailable")
        if not any(each["active"] for each in self._state.machines.values()):
            raise Refused(503, "No machine online", code="no_machine_online")
        return self._state.resume(session), True

    def _active(self, session: Session) -> None:
        if not session.record["active"]:
            raise Refused(409, "Session is inactive", code="session_inactive")

    def _reachable(self, session: Session) -> None:
        if not session.reachable:
            raise Refused(500, "Internal Server Error", plain=True)

    def _modes(self, session: Session) -> set[str]:
        return {each.mode for each in PERMISSION_MODES.get(session.record["metadata"]["flavor"], ())}

    async def _asked(self, request: web.Request) -> tuple[Session, str, Json]:
        session, name = self._session(request), request.match_info["request"]
        body = await body_of(request)
        self._active(session)
        if name not in session.requests:
            raise Refused(404, "Request not found")
        self._reachable(session)
        return session, name, body


def _summary(session: Session) -> Json:
    """A session as the list gives it."""
    record, metadata = session.record, session.record["metadata"]
    kept = ("hasConversationContent", "id", "active", "thinking", "activeAt", "updatedAt", "pinned", "globalPinned")
    summary = {key: record[key] for key in kept}
    shown = ("path", "flavor", "name", "machineId")
    summary["metadata"] = {key: metadata[key] for key in shown if key in metadata}
    summary |= {key: record[key] for key in ("metadataVersion", "agentStateVersion", "todosUpdatedAt")}
    pending = [
        {
            "id": name,
            "kind": "input" if asked["tool"] in _QUESTIONS else "permission",
            "tool": asked["tool"],
            "since": asked["createdAt"],
        }
        for name, asked in session.requests.items()
    ]
    summary |= {"todoProgress": _progress(record), "pendingRequestsCount": len(pending), "pendingRequests": pending[:5]}
    summary |= {"pendingRequestKinds": sorted({str(each["kind"]) for each in pending})}
    planned = [row["scheduledAt"] for row in session.rows if row["localId"] in session.planned]
    summary |= {
        "backgroundTaskCount": record["backgroundTaskCount"],
        "futureScheduledMessageCount": len(planned),
        "nextScheduledAt": min(planned, default=None),
    }
    return summary | dict.fromkeys(("model", "modelReasoningEffort", "effort"))


def _progress(record: Json) -> Json | None:
    """How far the session's to-do list has come."""
    todos = record.get("todos")
    return {"completed": sum(each["status"] == "completed" for each in todos), "total": len(todos)} if todos else None
