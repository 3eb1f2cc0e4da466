"""A follower without a hub: wire messages go in, wishes come out."""

from typing import Any

import pytest

from bridge.relay.counts import RelayCounts
from bridge.relay.follow.follower import Follower
from bridge.relay.follow.sessions import SessionView
from bridge.store.records import Follow, Wish

Json = dict[str, Any]
START = 1_796_000_000_000


class Script:
    """Plays one session's part for a follower, one message a second."""

    def __init__(self) -> None:
        self.now = START
        self.seq = 0
        self.record: Json = {
            "id": "s1",
            "active": True,
            "thinking": False,
            "agentState": {"requests": {}, "completedRequests": {}},
            "metadata": {"path": "/home/ada/parser", "host": "laptop", "flavor": "claude"},
        }
        self.follower = self.begin(Follow("s1", "s1", since_at=START, since_seq=0))
        self.rows: list[Json] = []

    def begin(self, follow: Follow) -> Follower:
        """A follower as a start makes it."""
        return Follower(follow, SessionView(self.record), ("telegram-bot-",), RelayCounts())

    def row(self, role: str, content: Json, **fields: Any) -> Json:
        """The next wire message."""
        self.seq += 1
        self.now += 1_000
        meta = fields.pop("meta", {"sentFrom": "cli"})
        message = {
            "id": f"m{self.seq}",
            "seq": self.seq,
            "localId": None,
            "createdAt": self.now,
            "invokedAt": self.now,
            "content": {"role": role, "content": content, "meta": meta},
            **fields,
        }
        self.rows.append(message)
        return message

    def feed(self, message: Json) -> None:
        self.follower.messages([message], self.now)

    def say(self, text: str, stream: str | None = None) -> None:
        data = {"type": "message", "message": text} | ({"id": stream} if stream else {})
        self.feed(self.row("agent", {"type": "codex", "data": data}))

    def think(self, text: str) -> None:
        self.feed(self.row("agent", {"type": "codex", "data": {"type": "reasoning", "message": text, "id": text}}))

    def call(self, call_id: str, command: str = "ls") -> None:
        data = {"type": "tool-call", "callId": call_id, "name": "Bash", "input": {"command": command}}
        self.feed(self.row("agent", {"type": "codex", "data": data}))

    def result(self, call_id: str, output: str = "ok") -> None:
        data = {"type": "tool-call-result", "callId": call_id, "output": output}
        self.feed(self.row("agent", {"type": "codex", "data": data}))

    def event(self, kind: str, **fields: Any) -> None:
        self.feed(self.row("agent", {"type": "event", "data": {"type": kind, **fields}}))

    def user(self, text: str, **fields: Any) -> None:
        self.feed(self.row("user", {"type": "text", "text": text}, **fields))

    def ask(self, request_id: str, tool: str = "Bash", arguments: Any = None) -> None:
        self.record["agentState"]["requests"][request_id] = {"tool": tool, "arguments": arguments or {"command": "ls"}}
        self.update()

    def complete(self, request_id: str, status: str, **fields: Any) -> None:
        entry = self.record["agentState"]["requests"].pop(request_id)
        self.record["agentState"]["completedRequests"][request_id] = {**entry, "status": status, **fields}
        self.update()

    def vanish(self, request_id: str) -> None:
        del self.record["agentState"]["requests"][request_id]
        self.update()

    def update(self, **fields: Any) -> None:
        self.record.update(fields)
        self.follower.session_changed(SessionView(self.record), self.now)

    def wait(self, seconds: float) -> None:
        """Let time pass, a tick a second."""
        for _ in range(int(seconds)):
            self.now += 1_000
            self.follower.tick(self.now)

    def wishes(self) -> list[Wish]:
        """The wishes since the last look, the newest per post only."""
        newest = {wish.key: wish for wish in self.follower.wishes(self.now)}
        self.follower.saved()
        return list(newest.values())

    def shown(self, kind: str) -> list[Wish]:
        return [wish for wish in self.wishes() if wish.kind == kind]


@pytest.fixture
def script() -> Script:
    return Script()


def text_of(wish: Wish) -> str:
    """Everything a card says, for a look inside."""
    return wish.card.model_dump_json()
