"""``FakeCli``: plays the CLI of one HAPI session towards a real hub (``POST /cli/sessions``, then Socket.IO).

The hub's traps it knows: RPC handlers are registered per socket, so again on every connect; an RPC is acknowledged with
a JSON string; the CLI, not the hub, moves a permission request to ``completedRequests``; a session without
``session-alive`` for 30 s turns inactive.
"""

import asyncio
import json
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Any, Self

import aiohttp
import socketio  # type: ignore[import-untyped]
from socketio.exceptions import SocketIOError as NotConnected  # type: ignore[import-untyped]

TOKEN = "test-token-0123456789abcdef"
"""At least 16 characters and no ``:`` (the hub refuses to start on one)."""

__all__ = ["FakeCli", "NotConnected"]

Handler = Callable[[dict[str, Any]], Any]


class FakeCli:
    """One session. ``say`` speaks as the agent, ``ask`` raises a permission request; what the hub asks is recorded in
    ``rpc_log``, what it tells in ``updates``.

    ``auto_consume``: take user messages at once. ``auto_resolve``: carry out permission answers. ``on_user``: called
    with each user message. ``thinking`` goes out with the next ``alive``.
    """

    def __init__(
        self, url: str, token: str = TOKEN, tag: str | None = None, flavor: str = "codex", path: str = "/tmp"
    ) -> None:
        self.url, self.token, self.flavor, self.path = url, token, flavor, path
        self.tag = tag or f"fake-{uuid.uuid4()}"
        self.handlers: dict[str, Handler] = {}
        self.rpc_log: list[tuple[str, dict[str, Any]]] = []
        self.updates: list[dict[str, Any]] = []
        self.errors: list[Any] = []
        self.thinking, self.auto_resolve, self.auto_consume = False, True, True
        self.on_user: Callable[[dict[str, Any]], Awaitable[None]] | None = None
        self.sid = ""
        self.state: dict[str, Any] = {}
        self.meta: dict[str, Any] = {}
        self.state_version = self.meta_version = 0
        self.sio: Any = None
        self.beat: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self.handle("permission", self._on_permission)
        self.handle("abort", lambda params: {})
        self.handle("uploadFile", lambda params: {"success": True, "path": f"/tmp/fake-upload/{params['filename']}"})
        self.handle("deleteUpload", lambda params: {"success": True})
        self.handle("killSession", self._on_kill)

    def handle(self, method: str, handler: Handler) -> None:
        """Answer an RPC of the hub; the handler may be a coroutine function."""
        self.handlers[method] = handler

    async def learn(self, method: str, handler: Handler) -> None:
        """Answer another RPC from now on, while it runs."""
        self.handle(method, handler)
        await self.emit("rpc-register", {"method": f"{self.sid}:{method}"})

    async def start(self) -> Self:
        """Create the session (or find it again by its tag) and connect."""
        meta = {"path": self.path, "host": "fakehost", "flavor": self.flavor, "os": "linux"}
        body = {"tag": self.tag, "metadata": meta, "agentState": {"requests": {}, "completedRequests": {}}}
        headers = {"Authorization": f"Bearer {self.token}"}
        async with (
            aiohttp.ClientSession() as http,
            http.post(self.url + "/cli/sessions", headers=headers, json=body) as answer,
        ):
            if answer.status != 200:
                raise RuntimeError(f"no session: {answer.status} {await answer.text()}")
            session = (await answer.json())["session"]
        self.sid, self.state = session["id"], session["agentState"] or {}
        self.state_version = session["agentStateVersion"]
        self.meta, self.meta_version = session["metadata"], session["metadataVersion"]
        # aiohttp's default of 4 MB per frame breaks big uploads.
        self.sio = socketio.AsyncClient(
            reconnection=True,
            reconnection_delay=0.2,
            reconnection_delay_max=1,
            websocket_extra_options={"max_msg_size": 0},
        )
        for event, handler in (
            ("connect", self._on_connect),
            ("rpc-request", self._on_rpc),
            ("update", self._on_update),
            ("error", self._on_error),
        ):
            self.sio.on(event, handler, namespace="/cli")
        await self.sio.connect(
            self.url,
            namespaces=["/cli"],
            transports=["websocket"],
            auth={"token": self.token, "clientType": "session-scoped", "sessionId": self.sid},
        )
        self.beat = asyncio.create_task(self._keep_alive())
        return self

    async def emit(self, event: str, data: Any) -> None:
        """Send one Socket.IO event, raw."""
        await self.sio.emit(event, data, namespace="/cli")

    async def _on_connect(self) -> None:
        for method in self.handlers:
            await self.emit("rpc-register", {"method": f"{self.sid}:{method}"})
        await self.alive()

    async def _on_error(self, error: Any) -> None:
        self.errors.append(error)

    async def _on_rpc(self, request: dict[str, Any]) -> str:
        method, params = request["method"].split(":", 1)[1], json.loads(request["params"])
        self.rpc_log.append((method, params))
        answer = self.handlers[method](params)
        if asyncio.iscoroutine(answer):
            answer = await answer
        return json.dumps(answer)

    async def _on_update(self, update: dict[str, Any], *_: Any) -> dict[str, Any] | None:
        self.updates.append(update)
        body = update["body"]
        if body["t"] == "new-message" and body["message"]["content"].get("role") == "user":
            message = body["message"]
            if self.auto_consume and message.get("localId"):
                await self.consume([message["localId"]])
            if self.on_user is not None:
                await self.on_user(message)
        return {"removed": True} if body["t"] == "cancel-queued-message" else None

    async def consume(self, local_ids: list[str]) -> None:
        """Take queued user messages, as the agent does."""
        await self.emit("messages-consumed", {"sid": self.sid, "localIds": local_ids})

    async def _on_permission(self, params: dict[str, Any]) -> dict[str, Any]:
        if self.auto_resolve and params["id"] in self.state.get("requests", {}):
            await self.resolve(params)
        return {}

    async def _on_kill(self, _: dict[str, Any]) -> dict[str, Any]:
        async def soon() -> None:
            await asyncio.sleep(0.05)
            await self.end()

        self._ending = asyncio.create_task(soon())
        return {"success": True}

    async def alive(self) -> None:
        """Say that the session lives, and whether it thinks."""
        await self.emit(
            "session-alive",
            {
                "sid": self.sid,
                "time": int(time.time() * 1000),
                "thinking": self.thinking,
                "mode": "remote",
                "permissionMode": "default",
            },
        )

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(2)
            if self.sio.connected:
                try:
                    await self.alive()
                except NotConnected as error:
                    self.errors.append(error)

    async def _versioned(self, event: str, key: str, value: dict[str, Any]) -> dict[str, Any]:
        for _ in range(5):
            version = self.state_version if key == "agentState" else self.meta_version
            message = {"sid": self.sid, "expectedVersion": version, key: value}
            answer: dict[str, Any] = await self.sio.call(event, message, namespace="/cli")
            done = answer["result"] == "success"
            if done or answer["result"] == "version-mismatch":
                if key == "agentState":
                    self.state_version = answer["version"]
                    self.state = value if done else self.state
                else:
                    self.meta_version = answer["version"]
                    self.meta = value if done else self.meta
            if answer["result"] != "version-mismatch":
                return answer
        raise RuntimeError("version conflict")

    async def set_state(self, state: dict[str, Any]) -> dict[str, Any]:
        """Replace ``agentState``."""
        return await self._versioned("update-state", "agentState", state)

    async def set_meta(self, **values: Any) -> dict[str, Any]:
        """Change metadata."""
        return await self._versioned("update-metadata", "metadata", {**self.meta, **values})

    async def ask(self, request_id: str, tool: str, arguments: Any) -> dict[str, Any]:
        """Raise a permission request."""
        request = {"tool": tool, "arguments": arguments, "createdAt": int(time.time() * 1000)}
        return await self.set_state({**self.state, "requests": {**self.state.get("requests", {}), request_id: request}})

    async def resolve(self, params: dict[str, Any]) -> dict[str, Any]:
        """Do with a permission answer what the real CLI does: move the request to ``completedRequests``."""
        requests = dict(self.state.get("requests", {}))
        request = requests.pop(params["id"])
        done = {
            **request,
            "completedAt": int(time.time() * 1000),
            "status": "approved" if params["approved"] else "denied",
            "decision": params.get("decision") or ("approved" if params["approved"] else "denied"),
        }
        done |= {key: params[key] for key in ("mode", "allowTools", "answers") if params.get(key) is not None}
        completed = {**self.state.get("completedRequests", {}), params["id"]: done}
        return await self.set_state({**self.state, "requests": requests, "completedRequests": completed})

    async def say(self, family: str, data: dict[str, Any], **extra: Any) -> None:
        """Speak as the agent; ``family`` is codex, output or event."""
        content = {"role": "agent", "content": {"type": family, "data": data}, "meta": {"sentFrom": "cli"}}
        await self.emit("message", {"sid": self.sid, **extra, "message": content})

    async def end(self, reason: str = "completed") -> None:
        """End the session. From then on it says no more that it lives: a late word of that would wake it again."""
        if self.beat is not None:
            self.beat.cancel()
        await self.emit("session-end", {"sid": self.sid, "time": int(time.time() * 1000), "reason": reason})

    async def close(self) -> None:
        """Go away without a word, as a CLI that was killed."""
        for task in (self.beat, self._ending):
            if task is not None:
                task.cancel()
        await self.sio.disconnect()
