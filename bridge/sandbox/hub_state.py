"""What the sandbox hub remembers, and what agents and clients do to it. Every change is told to the event log.

The agent's side (`say`, `ask`, `settle`, `take` …) is what HAPI's CLI does on a real hub; the client's side (`send`,
`cancel`, `decide` …) is what the REST calls do. Not for more than one event loop.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from bridge.sandbox.hub_events import EventLog
from bridge.sandbox.hub_pages import is_queued
from bridge.sandbox.hub_session import Session, Signal

Json = dict[str, Any]
Trouble = Callable[[str, str, int, float], Awaitable[None]]
"""What is to go wrong, for calls with which path, how often, for how many seconds."""

MOST_UPLOADS = 20


class HubState:
    """Sessions and machines. ``clock``: seconds since the epoch."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.events = EventLog()
        self.sessions: dict[str, Session] = {}
        self.machines: dict[str, Json] = {}
        self.images: dict[str, tuple[bytes, str, str]] = {}
        """Pictures that agents made, by id: bytes, MIME type, file name. Their CLIs hand them out."""
        self.uploads: dict[str, bytes] = {}
        """Files of people on agents' computers, by path: the last ones."""
        self.trouble: Trouble = _no_trouble
        """Makes something go wrong with the hub that this is the state of; set by the hub."""

    def now(self) -> int:
        """Milliseconds since the epoch."""
        return int(self.clock() * 1000)

    # The agent's side

    def add_machine(self, name: str) -> str:
        """A computer that is on; its id."""
        now = self.now()
        machine: Json = {"id": str(uuid.uuid4()), "namespace": "default", "seq": 0, "createdAt": now, "updatedAt": now}
        machine |= {"active": True, "activeAt": now, "metadataVersion": 1, "runnerStateVersion": 1, "health": None}
        machine |= {"metadata": {"host": name, "platform": "linux", "happyCliVersion": "0.30.7"}}
        machine |= {"runnerState": {"status": "running"}}
        self.machines[machine["id"]] = machine
        self._emit("machine-updated", machineId=machine["id"], data=machine)
        return str(machine["id"])

    def add_session(self, *, flavor: str, directory: str, machine: str, name: str | None = None) -> Session:
        """A session that has just become active, without a message yet."""
        now = self.now()
        metadata: Json = {"path": directory, "host": machine, "os": "linux", "flavor": flavor}
        metadata |= {"preferredPermissionMode": "default"} | ({"name": name} if name else {})
        host = next((each for each, about in self.machines.items() if about["metadata"]["host"] == machine), None)
        metadata |= {"machineId": host} if host else {}
        record: Json = {"hasConversationContent": False, "id": str(uuid.uuid4()), "namespace": "default", "seq": 0}
        record |= {"createdAt": now, "updatedAt": now, "pinned": False, "globalPinned": False}
        record |= {"active": False, "activeAt": now, "metadata": metadata, "metadataVersion": 1}
        record |= {"agentState": {"requests": {}, "completedRequests": {}}, "agentStateVersion": 1}
        record |= {"thinking": False, "thinkingAt": 0, "activeTurnStartedAt": None, "backgroundTaskCount": 0}
        record |= {"todosUpdatedAt": 0, "teamStateUpdatedAt": 0}
        record |= dict.fromkeys(("model", "modelReasoningEffort", "effort", "serviceTier"))
        session = Session(record)
        self.sessions[session.id] = session
        self._emit("session-added", session, data=record)
        self.patch(session, active=True, activeAt=now, thinking=False, permissionMode="default")
        return session

    def say(self, session: Session, family: str, data: Json) -> Json:
        """An agent's message of a wire family (``codex``, ``output``, ``event``); its row."""
        content = {"role": "agent", "content": {"type": family, "data": data}, "meta": {"sentFrom": "cli"}}
        return self._add_row(session, content, invoked=True)

    def user_typed(
        self, session: Session, text: str, *, sent_from: str = "cli", files: Sequence[Mapping[str, Any]] = ()
    ) -> Json:
        """A user's message from the terminal or HAPI's page, taken at once. ``files``: name, type, size of each."""
        said: Json = {"type": "text", "text": text} | (
            {"attachments": [_attached(each) for each in files]} if files else {}
        )
        content = {"role": "user", "content": said, "meta": {"sentFrom": sent_from}}
        return self._add_row(session, content, invoked=True)

    def patch(self, session: Session, **fields: Any) -> None:
        """Change flat fields of the record and tell them as a patch."""
        session.record |= fields
        self._emit("session-updated", session, data=fields)

    def think(self, session: Session, thinking: bool) -> None:
        """The agent is at work, or no longer is."""
        now = self.now()
        started = (session.record["activeTurnStartedAt"] or now) if thinking else None
        session.record["thinkingAt"] = now
        self.patch(session, active=True, activeAt=now, thinking=thinking, activeTurnStartedAt=started)

    def todos(self, session: Session, items: list[Json]) -> None:
        """The agent's to-do list changed."""
        version = max(self.now(), session.record["todosUpdatedAt"] + 1)
        session.record |= {"todos": items, "todosUpdatedAt": version, "updatedAt": self.now()}
        told = {"todos": {"version": version, "value": items}, "updatedAt": session.record["updatedAt"]}
        self._emit("session-updated", session, data=told)

    def count_background(self, session: Session, by: int) -> None:
        """So many more (or fewer) tasks run in the background."""
        self.patch(session, backgroundTaskCount=max(0, session.record["backgroundTaskCount"] + by))

    def ask(self, session: Session, request: str, tool: str, arguments: Any, tool_call: str | None = None) -> None:
        """Open a permission request."""
        asked: Json = {"tool": tool, "arguments": arguments, "createdAt": self.now()}
        asked |= {"toolCallId": tool_call} if tool_call else {}
        self._agent_state(session, requests={**session.requests, request: asked})

    def settle(self, session: Session, request: str, status: str, **fields: Any) -> None:
        """Move an open request to the completed ones, as the CLI does. Nothing happens if it is not open."""
        open_ones = session.requests
        if (asked := open_ones.pop(request, None)) is None:
            return
        done = {**asked, "completedAt": self.now(), "status": status, **fields}
        self._agent_state(session, requests=open_ones, completedRequests={**session.completed, request: done})

    def vanish(self, session: Session, request: str) -> None:
        """Remove an open request without a completion: answered in the terminal, or its wait expired."""
        open_ones = session.requests
        if open_ones.pop(request, None) is not None:
            self._agent_state(session, requests=open_ones)

    def take(self, session: Session) -> list[Json]:
        """The agent takes everything that is queued, as one batch."""
        rows, now = session.queued, self.now()
        if rows:
            for row in rows:
                row["invokedAt"] = now
            self._touch(session)
            self._emit("messages-consumed", session, localIds=[row["localId"] for row in rows], invokedAt=now)
        return rows

    def rename(self, session: Session, name: str) -> None:
        """Give the session another name."""
        self.describe(session, name=name)

    def describe(self, session: Session, **metadata: Any) -> None:
        """Change what the session's metadata say."""
        session.record["metadata"] = {**session.record["metadata"], **metadata}
        session.record["metadataVersion"] += 1
        self._emit("session-updated", session, data=session.record)

    def control(self, session: Session, *, by_user: bool) -> None:
        """The terminal takes the session over, or lets it go."""
        self._agent_state(session, controlledByUser=by_user)

    def resume(self, session: Session) -> Session:
        """An ended session goes on; the one that does, which is another one where its agent can't keep the id."""
        if session.resumes == "same":
            self.patch(session, active=True, activeAt=self.now(), thinking=False)
            return session
        metadata = session.record["metadata"]
        names = {"flavor": metadata["flavor"], "directory": metadata["path"], "machine": metadata["host"]}
        fresh = self.add_session(**names, name=metadata.get("name"))
        for row in session.rows:
            fresh.rows.append({**row, "id": str(uuid.uuid4())})
        fresh.last_seq = session.last_seq
        fresh.record["hasConversationContent"] = session.record["hasConversationContent"]
        self.describe(session, supersededBySessionId=fresh.id)
        return fresh

    def end(self, session: Session, reason: str = "completed") -> None:
        """The session's CLI is gone for good."""
        self.patch(session, active=False, thinking=False, activeTurnStartedAt=None, backgroundTaskCount=0)
        session.signals.put_nowait(Signal("end"))
        self._emit("session-ended", session, reason=reason)

    def invalidate(self, session: Session) -> None:
        """History changed under everybody's feet: a new epoch, and all are told to read it anew."""
        session.epoch += 1
        self._emit("messages-invalidated", session)

    # The client's side

    def send(
        self, session: Session, text: str, local_id: str | None, attached: Sequence[Json] = (), at: int | None = None
    ) -> Json:
        """Queue a user's message. The same ``local_id`` again adds no row, but is told again.

        ``at``, epoch ms: the agent gets it then; needs a running loop. Until then the session does not think.
        """
        row = session.row(local_id) if local_id else None
        if row is None:
            said: Json = {"type": "text", "text": text} | ({"attachments": list(attached)} if attached else {})
            content: Json = {"role": "user", "content": said}
            content |= {"meta": {"sentFrom": "webapp", "deliveryMode": "queue"}}
            row = self._add_row(session, content, invoked=False, local_id=local_id or str(uuid.uuid4()), planned=at)
            if at is not None and (ahead := at - self.now()) > 0:
                session.planned.add(row["localId"])
                asyncio.get_running_loop().call_later(ahead / 1000, self.mature, session, row["localId"])
            else:
                session.signals.put_nowait(Signal("message"))
        else:
            self._emit("message-received", session, message=row)
        if row["localId"] in session.planned:
            return row
        now = self.now()
        started = session.record["activeTurnStartedAt"] or now
        self.patch(session, thinking=True, activeTurnStartedAt=started, updatedAt=now)
        return row

    def mature(self, session: Session, local_id: str) -> None:
        """A planned message's time has come. Nothing happens if it was withdrawn."""
        if local_id in session.planned:
            session.planned.remove(local_id)
            self._emit("scheduled-matured", session)
            session.signals.put_nowait(Signal("message"))

    def keep_upload(self, path: str, data: bytes) -> None:
        """An agent's computer keeps a file; the last ones are remembered here."""
        self.uploads[path] = data
        while len(self.uploads) > MOST_UPLOADS:
            del self.uploads[next(iter(self.uploads))]

    def cancel(self, session: Session, message_or_local_id: str) -> Json:
        """Withdraw a queued message; the answer's body."""
        row = session.row(message_or_local_id)
        if row is None:
            return {"status": "cancelled", "localId": None}
        if not is_queued(row):
            return {"status": "invoked", "message": {**row, "sessionId": session.id}}
        session.rows.remove(row)
        session.planned.discard(row["localId"])
        session.epoch += 1
        self._emit("message-cancelled", session, messageId=message_or_local_id, localId=row["localId"])
        return {"status": "cancelled", "localId": row["localId"]}

    def decide(self, session: Session, request: str, *, approved: bool, body: Json) -> None:
        """Pass a decision on to the agent; what becomes of it is the agent's to say (`settle`)."""
        session.signals.put_nowait(Signal("decision", request, approved, body))

    def delete(self, session: Session) -> None:
        """Forget a session."""
        del self.sessions[session.id]
        self._emit("session-removed", session)

    def restart(self) -> None:
        """A new life of the hub: open streams end, old event ids are unknown. Sessions and rows stay, as on disk."""
        for stream in self.events.streams:
            stream.end()
        self.events = EventLog()

    # Within

    def _add_row(
        self, session: Session, content: Json, *, invoked: bool, local_id: str | None = None, planned: int | None = None
    ) -> Json:
        now = self.now()
        session.last_seq += 1
        row: Json = {"id": str(uuid.uuid4()), "seq": session.last_seq, "localId": local_id, "content": content}
        row |= {"createdAt": now, "invokedAt": now if invoked else None, "scheduledAt": planned}
        session.rows.append(row)
        if not session.record["hasConversationContent"]:
            session.record["hasConversationContent"] = True
            self._emit("session-updated", session, data=session.record)
        self._emit("message-received", session, message=row)
        return row

    def _agent_state(self, session: Session, **parts: Json | bool) -> None:
        session.record["agentState"] = {**session.record["agentState"], **parts}
        session.record["agentStateVersion"] += 1
        session.record["updatedAt"] = self.now()
        wrapped = {"version": session.record["agentStateVersion"], "value": session.record["agentState"]}
        self._emit("session-updated", session, data={"agentState": wrapped, "updatedAt": session.record["updatedAt"]})

    def _touch(self, session: Session) -> None:
        self.patch(session, updatedAt=self.now())

    def _emit(self, kind: str, session: Session | None = None, **fields: Any) -> None:
        event: Json = {"type": kind} | ({"sessionId": session.id} if session else {}) | fields
        self.events.emit(event | {"namespace": "default"})


def _attached(file: Mapping[str, Any]) -> Json:
    """A message's attachment, as HAPI's page makes it."""
    name = str(file["name"])
    about: Json = {"id": f"att-{uuid.uuid4().hex[:8]}", "filename": name, "mimeType": file["type"]}
    return about | {"size": file["size"], "path": f"/tmp/hapi-uploads/{name}"}


async def _no_trouble(*_: object) -> None:
    """A state without a hub: nothing can go wrong with it."""
