"""Records sessions of a real hub into `fixtures/recordings/`: `python -m tests.transcript.record_sessions`.

A stand-in CLI plays one session per family. Kept are the hub's page of messages, the session's `agentState`, and the
event frames as they came. Needs the released hub (HAPI_BIN); run it again when a new release changes the wire.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.rig.hapi_peer import FakeCli, HubClient, HubProc

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "recordings"

Play = Callable[[FakeCli, HubClient], Awaitable[None]]


async def play_generic(cli: FakeCli, client: HubClient) -> None:
    """A turn of the generic family: snapshots, a tool that is asked for, a plan, usage, ready."""
    await _user_says(client, cli.sid, "Count the tests.", "telegram-bot-1")
    await cli.say("codex", {"type": "reasoning", "id": "r1", "message": "Where are"})
    await cli.say("codex", {"type": "reasoning", "id": "r1", "message": "Where are the tests?"})
    call = {"type": "tool-call", "callId": "call-1", "name": "CodexBash", "input": {"command": ["ls", "tests"]}}
    await cli.say("codex", call)
    await cli.ask("call-1", "CodexBash", {"command": ["ls", "tests"]})
    await client.wait(lambda event: "call-1" in json.dumps(event.get("data")))
    status, answer = await client.call(
        "POST", f"/api/sessions/{cli.sid}/permissions/call-1/approve", {"decision": "approved_for_session"}
    )
    if status != 200:
        raise RuntimeError(f"approve: {status} {answer}")
    await client.wait(lambda event: "approved_for_session" in json.dumps(event.get("data")))
    result = {"type": "tool-call-result", "callId": "call-1", "output": {"exit_code": 0, "stdout": "a.py\nb.py"}}
    await cli.say("codex", result)
    steps = [{"step": "Count", "status": "completed"}, {"step": "Report", "status": "in_progress"}]
    await cli.say("codex", {"type": "plan_update", "plan": steps})
    await cli.say("codex", {"type": "message", "id": "s1", "message": "There are"})
    await cli.say("codex", {"type": "message", "id": "s1", "message": "There are **two** test files."})
    usage = {"input_tokens": 1200, "output_tokens": 40}
    await cli.say("codex", {"type": "token_count", "info": {"last": usage, "modelContextWindow": 200000}})
    await cli.say("event", {"type": "ready"})


async def play_claude(cli: FakeCli, client: HubClient) -> None:
    """A turn of Claude's: thinking, a title, a sub-agent with a tool of its own, an error that passes."""
    await _user_says(client, cli.sid, "Find the retry logic.", "slack-bot-1")
    thinking = {"type": "thinking", "thinking": "A sub-agent can look."}
    title = {"type": "tool_use", "id": "title-1", "name": "mcp__hapi__change_title", "input": {"title": "Retry logic"}}
    task = {"type": "tool_use", "id": "task-1", "name": "Task", "input": {"prompt": "Find withRetry."}}
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 900}
    await cli.say("output", _assistant("a1", [thinking, title, task], usage=usage))
    await cli.say("output", _answer("a2", "title-1", "Successfully changed chat title"))
    under = {"isSidechain": True, "parentToolUseId": "task-1"}
    prompt = {"type": "user", "uuid": "s1", "message": {"content": "Find withRetry."}, **under}
    await cli.say("output", prompt)
    grep = {"type": "tool_use", "id": "grep-1", "name": "Grep", "input": {"pattern": "withRetry"}}
    await cli.say("output", {**_assistant("s2", [grep]), **under})
    await cli.say("output", {**_answer("s3", "grep-1", "upload.ts:88"), **under})
    error = {"type": "system", "subtype": "api_error", "retryAttempt": 1, "maxRetries": 10, "error": {"status": 529}}
    await cli.say("output", {**error, "uuid": "a3"})
    await cli.say("output", {**error, "uuid": "a4", "retryAttempt": 2})
    await cli.say("output", _answer("a5", "task-1", "In upload.ts"))
    await cli.say("output", _assistant("a6", [{"type": "text", "text": "It is in `upload.ts`."}]))
    await cli.say("event", {"type": "ready"})


async def play_agy(cli: FakeCli, client: HubClient) -> None:
    """A turn of agy's: prose and a tool that is over when it is told."""
    await _user_says(client, cli.sid, "Which Gradle?", "web-1")
    await cli.say("output", {"type": "agy_message", "content": "Looking.", "model": "Gemini 3 Pro"})
    action = {
        "type": "agy_tool_action",
        "name": "RUN_COMMAND",
        "toolName": "run_command",
        "toolUseId": "step:1",
        "input": {"CommandLine": "./gradlew --version", "Cwd": "/repo", "Blocking": True},
        "content": "Created At: 1\nCompleted At: 2\nGradle 8.7",
    }
    await cli.say("output", action)
    await cli.say("output", {"type": "agy_message", "content": "Gradle 8.7."})
    await cli.say("event", {"type": "ready"})


SESSIONS: dict[str, tuple[str, Play]] = {
    "generic": ("codex", play_generic),
    "claude": ("claude", play_claude),
    "agy": ("agy", play_agy),
}


async def record(folder: Path) -> dict[str, dict[str, Any]]:
    """Play every session on a hub of its own in `folder`; the recordings by name."""
    recordings: dict[str, dict[str, Any]] = {}
    async with HubProc(folder / "hub") as hub, HubClient(hub.url) as client:
        await client.open_sse()
        for name, (flavor, play) in SESSIONS.items():
            since = len(client.frames)
            cli = await FakeCli(hub.url, flavor=flavor).start()
            try:
                await play(cli, client)
                await client.wait(lambda event: _is_ready(event), since=since)
                _, page = await client.call("GET", f"/api/sessions/{cli.sid}/messages?limit=200")
                _, session = await client.call("GET", f"/api/sessions/{cli.sid}")
            finally:
                await cli.close()
            frames = [event for _, _, event in client.frames[since:] if event.get("sessionId") == cli.sid]
            state = session.get("session", session)["agentState"]
            recordings[name] = {"messages": page["messages"], "agentState": state, "frames": frames}
    return recordings


def _is_ready(event: dict[str, Any]) -> bool:
    return event["type"] == "message-received" and '"ready"' in json.dumps(event["message"])


async def _user_says(client: HubClient, session: str, words: str, local_id: str) -> None:
    since = len(client.frames)
    await client.call("POST", f"/api/sessions/{session}/messages", {"text": words, "localId": local_id})
    await client.wait(lambda event: event["type"] == "messages-consumed", since=since)


def _assistant(uuid: str, content: list[dict[str, Any]], usage: Any = None) -> dict[str, Any]:
    message = {"role": "assistant", "content": content} | ({"usage": usage} if usage else {})
    return {"type": "assistant", "uuid": uuid, "message": message}


def _answer(uuid: str, call: str, words: str) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": call, "content": words, "is_error": False}
    return {"type": "user", "uuid": uuid, "message": {"role": "user", "content": [result]}}


def main() -> int:
    """Record, and write one file per session."""
    with tempfile.TemporaryDirectory() as folder:
        recordings = asyncio.run(record(Path(folder)))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, recording in recordings.items():
        (FOLDER / f"{name}.json").write_text(
            json.dumps(recording, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
