"""A scripted model behind Anthropic's Messages API, for the real Claude Code: it streams what the prompt says.

The newest message of a person that holds one of these words is the script, one word a line: ``say TEXT``,
``think TEXT``, ``tool NAME {json}`` (ends an answer: the next line is said when its result came), ``sleep SECONDS``
(before what follows), ``recall`` (says what people said earlier in this conversation). Anything else is left alone.
The prompt of a sub-agent is such a script, too. What the API takes and streams is told on
docs.anthropic.com, "Messages" and "Streaming messages".
"""

import asyncio
import json
import re
from itertools import count
from types import TracebackType
from typing import Any, Self

from aiohttp import web

WORDS = ("say", "think", "tool", "sleep", "recall")
MOST_BYTES = 64 * 2**20
LOST = "Could not resolve tool call ID"
"""HAPI's CLI says so on a busy machine, where Claude Code asks for a permission before it has told of the tool. A model
tries again then, and so does this one."""
REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)

Block = dict[str, Any]


class FakeModel:
    """Serves on loopback while it is entered. ``requests``: the bodies it was sent."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._ids = count(1)
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count)
        app.router.add_route("HEAD", "/", self._there)
        self._runner = web.AppRunner(app, shutdown_timeout=1)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    async def _there(self, request: web.Request) -> web.Response:
        return web.Response()

    async def _count(self, request: web.Request) -> web.Response:
        return web.json_response({"input_tokens": 100})

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        blocks = []
        for line in next_lines(body["messages"]):
            word, _, rest = line.partition(" ")
            if word == "sleep":
                await asyncio.sleep(float(rest))
            else:
                blocks.append(self._block(word, rest, body["messages"]))
        usage = {"input_tokens": 100, "output_tokens": 10}
        ends = "tool_use" if any(one["type"] == "tool_use" for one in blocks) else "end_turn"
        head = {"id": f"msg_{next(self._ids)}", "type": "message", "role": "assistant", "model": body["model"]}
        if not body.get("stream"):
            whole = {**head, "content": blocks, "stop_reason": ends, "stop_sequence": None, "usage": usage}
            return web.json_response(whole)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)

        async def send(kind: str, **fields: Any) -> None:
            await response.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode())

        begun = {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        await send("message_start", message=begun)
        for index, block in enumerate(blocks):
            empty, deltas = in_pieces(block)
            await send("content_block_start", index=index, content_block=empty)
            for delta in deltas:
                await send("content_block_delta", index=index, delta=delta)
            await send("content_block_stop", index=index)
        await send("message_delta", delta={"stop_reason": ends, "stop_sequence": None}, usage={"output_tokens": 10})
        await send("message_stop")
        return response

    def _block(self, word: str, rest: str, messages: list[dict[str, Any]]) -> Block:
        match word:
            case "say":
                return {"type": "text", "text": rest}
            case "recall":
                earlier = [text for text in map(said, messages) if text][:-1]
                return {"type": "text", "text": f"You said: {' | '.join(earlier)}"}
            case "think":
                return {"type": "thinking", "thinking": rest, "signature": "c2lnbmVk"}
        name, _, argument = rest.partition(" ")
        return {"type": "tool_use", "id": f"toolu_{next(self._ids)}", "name": name, "input": json.loads(argument)}


def said(message: dict[str, Any]) -> str:
    """What a person said in a message, without what Claude Code put around it."""
    content = message["content"]
    if message["role"] != "user":
        return ""
    texts = [content] if isinstance(content, str) else [one["text"] for one in content if one["type"] == "text"]
    return REMINDER.sub("", "\n".join(texts)).strip()


def next_lines(messages: list[dict[str, Any]]) -> list[str]:
    """What the model says now: the script's lines up to its next tool, after those that it has said already."""
    script: list[str] = []
    answered = 0
    for message in messages:
        if message["role"] == "assistant":
            answered += 1
        elif LOST in json.dumps(message["content"]):
            answered -= 1
        lines = [line for line in said(message).splitlines() if line.split(" ")[0] in WORDS]
        if lines:
            script, answered = lines, 0
    for _ in range(answered):
        tools = [at for at, line in enumerate(script) if line.startswith("tool ")]
        script = script[tools[0] + 1 :] if tools else []
    ends = next((at for at, line in enumerate(script) if line.startswith("tool ")), len(script))
    return script[: ends + 1] or ["say done."]


def in_pieces(block: Block) -> tuple[Block, list[Block]]:
    """A block as it is streamed: empty first, then what is added to it."""
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]
        case "thinking":
            thought = {"type": "thinking_delta", "thinking": block["thinking"]}
            signed = {"type": "signature_delta", "signature": block["signature"]}
            return {"type": "thinking", "thinking": "", "signature": ""}, [thought, signed]
    argument = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return {**block, "input": {}}, [argument]


def tool(name: str, **arguments: Any) -> str:
    """A script's line: the model uses a tool."""
    return f"tool {name} {json.dumps(arguments)}"
