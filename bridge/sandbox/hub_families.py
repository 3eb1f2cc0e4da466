"""How an agent's words and tools go over the wire, by family of agent: Claude's own records, or the generic ones.

Each function gives ``(family, data)`` as `HubState.say` takes them.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, Protocol

from bridge.sandbox.hub_scenario import Asked

Json = dict[str, Any]
Wire = tuple[str, Json]


class Family(Protocol):
    """One family's way to say things."""

    question_tool: str
    plan_tool: str
    snapshots: bool
    """Whether texts may come in growing snapshots under one stream id."""
    denial_ends_turn: bool
    """Whether a Deny ends the turn, without a ``ready``."""

    def text(self, text: str, stream: str) -> Wire: ...
    def reasoning(self, text: str, stream: str) -> Wire: ...
    def tool_call(self, call: str, name: str, arguments: Json) -> Wire: ...
    def tool_result(self, call: str, output: Any, *, failed: bool) -> Wire: ...
    def recap(self, text: str) -> Wire: ...
    def questions(self, asked: Sequence[Asked]) -> Json: ...
    def answered(self, asked: Sequence[Asked], answers: Json) -> list[list[str]]:
        """The answers as lists of labels, one list per question, from the call's own form."""
        ...


class Claude:
    """Claude's records, passed on as they are (``output``)."""

    question_tool = "AskUserQuestion"
    plan_tool = "ExitPlanMode"
    snapshots = False
    denial_ends_turn = True

    def __init__(self) -> None:
        self._context = 18_000

    def text(self, text: str, stream: str) -> Wire:
        return self._assistant({"type": "text", "text": text})

    def reasoning(self, text: str, stream: str) -> Wire:
        return self._assistant({"type": "thinking", "thinking": text, "signature": "sandbox"})

    def tool_call(self, call: str, name: str, arguments: Json) -> Wire:
        return self._assistant({"type": "tool_use", "id": call, "name": name, "input": arguments})

    def tool_result(self, call: str, output: Any, *, failed: bool) -> Wire:
        block = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed}
        return "output", {"type": "user", **_record(), "message": {"role": "user", "content": [block]}}

    def recap(self, text: str) -> Wire:
        return "output", {"type": "system", "subtype": "away_summary", "uuid": str(uuid.uuid4()), "content": text}

    def questions(self, asked: Sequence[Asked]) -> Json:
        return {
            "questions": [
                {
                    "question": each.question,
                    "header": each.header,
                    "multiSelect": each.several,
                    "options": [option.model_dump() for option in each.options],
                }
                for each in asked
            ]
        }

    def answered(self, asked: Sequence[Asked], answers: Json) -> list[list[str]]:
        return [list(answers.get(str(index), [])) for index in range(len(asked))]

    def _assistant(self, block: Json) -> Wire:
        self._context += 900
        usage = {"input_tokens": 1_800, "output_tokens": 140, "cache_read_input_tokens": self._context}
        message = {"role": "assistant", "model": "sandbox-model", "content": [block]}
        return "output", {"type": "assistant", **_record(), "message": {**message, "usage": usage}}


class Generic:
    """The records of all other kinds of agent (``codex``)."""

    question_tool = "request_user_input"
    plan_tool = "exit_plan_mode"
    snapshots = True
    denial_ends_turn = False

    def text(self, text: str, stream: str) -> Wire:
        return "codex", {"type": "message", "message": text, "id": stream}

    def reasoning(self, text: str, stream: str) -> Wire:
        return "codex", {"type": "reasoning", "message": text, "id": stream}

    def tool_call(self, call: str, name: str, arguments: Json) -> Wire:
        return "codex", {"type": "tool-call", "callId": call, "name": name, "input": arguments, "id": str(uuid.uuid4())}

    def tool_result(self, call: str, output: Any, *, failed: bool) -> Wire:
        data = {"type": "tool-call-result", "callId": call, "output": output, "is_error": failed}
        return "codex", {**data, "id": str(uuid.uuid4())}

    def recap(self, text: str) -> Wire:
        return "event", {"type": "recap", "text": text}

    def questions(self, asked: Sequence[Asked]) -> Json:
        return {
            "questions": [
                {
                    "id": f"q{index}",
                    "question": each.question,
                    "multiple": each.several,
                    "required": True,
                    "options": [option.model_dump() for option in each.options],
                }
                for index, each in enumerate(asked)
            ]
        }

    def answered(self, asked: Sequence[Asked], answers: Json) -> list[list[str]]:
        return [list((answers.get(f"q{index}") or {}).get("answers", [])) for index in range(len(asked))]


def family_of(flavor: str) -> Family:
    """The family a flavor speaks."""
    return Claude() if flavor == "claude" else Generic()


def _record() -> Json:
    return {"uuid": str(uuid.uuid4()), "parentUuid": None, "isSidechain": False}
