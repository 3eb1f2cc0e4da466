"""How an agent's words and tools go over the wire, by family of agent: Claude's own records, or the generic ones.

Each function gives ``(family, data)`` as `HubState.say` takes them.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, Protocol

from bridge.sandbox.hub_steps import Agent, Asked, Say, Think, Tool

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
    def todos(self, call: str, items: Sequence[tuple[str, str]]) -> list[Wire]:
        """A to-do list as (words, status): completed, in_progress, pending."""
        ...

    def background_over(self, name: str, command: str, *, failed: bool) -> Wire: ...
    def agent_starts(self, run: str, agent: Agent) -> list[Wire]:
        """A sub-agent begins; ``run`` is what all of it goes by."""
        ...

    def agent_text(self, run: str, step: Think | Say) -> Wire: ...
    def agent_tool_call(self, run: str, call: str, step: Tool) -> Wire: ...
    def agent_tool_result(self, run: str, call: str, step: Tool) -> list[Wire]: ...
    def agent_ends(self, run: str, agent: Agent) -> Wire: ...
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

    def todos(self, call: str, items: Sequence[tuple[str, str]]) -> list[Wire]:
        listed = [{"content": words, "status": status, "activeForm": words} for words, status in items]
        told = "Todos have been modified successfully."
        return [self.tool_call(call, "TodoWrite", {"todos": listed}), self.tool_result(call, told, failed=False)]

    def background_over(self, name: str, command: str, *, failed: bool) -> Wire:
        status, how = ("failed", "failed with exit code 1") if failed else ("completed", "completed (exit code 0)")
        words = f'Background command "{command}" {how}'
        notice = f"<task-id>{name}</task-id>\n<status>{status}</status>\n<summary>{words}</summary>"
        message = {"role": "user", "content": f"<task-notification>\n{notice}\n</task-notification>"}
        return "output", {"type": "user", **_record(), "message": message}

    def agent_starts(self, run: str, agent: Agent) -> list[Wire]:
        given = {"description": agent.description, "prompt": agent.prompt, "subagent_type": agent.type}
        prompt = {"type": "user", **_record(run), "message": {"role": "user", "content": agent.prompt}}
        return [self.tool_call(run, "Task", given), ("output", prompt)]

    def agent_text(self, run: str, step: Think | Say) -> Wire:
        made = self.reasoning(step.text, "") if step.do == "think" else self.text(step.text, "")
        return _beside(made, run)

    def agent_tool_call(self, run: str, call: str, step: Tool) -> Wire:
        return _beside(self.tool_call(call, step.tool, step.input), run)

    def agent_tool_result(self, run: str, call: str, step: Tool) -> list[Wire]:
        return [_beside(self.tool_result(call, step.output, failed=step.failed), run)]

    def agent_ends(self, run: str, agent: Agent) -> Wire:
        return self.tool_result(run, [{"type": "text", "text": agent.report}], failed=agent.failed)

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

    def todos(self, call: str, items: Sequence[tuple[str, str]]) -> list[Wire]:
        plan = [{"step": words, "status": status} for words, status in items]
        return [("codex", {"type": "plan_update", "plan": plan, "id": call})]

    def background_over(self, name: str, command: str, *, failed: bool) -> Wire:
        how = "failed" if failed else "completed"
        return "event", {"type": "message", "message": f'Background command "{command}" {how}'}

    def agent_starts(self, run: str, agent: Agent) -> list[Wire]:
        return [_run("start", run, "running", agent.description)]

    def agent_text(self, run: str, step: Think | Say) -> Wire:
        return _run("update", run, "running", step.text)

    def agent_tool_call(self, run: str, call: str, step: Tool) -> Wire:
        return _run("update", run, "running", f"Running {step.tool}")

    def agent_tool_result(self, run: str, call: str, step: Tool) -> list[Wire]:
        return []

    def agent_ends(self, run: str, agent: Agent) -> Wire:
        return _run("update", run, "failed" if agent.failed else "completed", agent.report)

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


def _record(under: str = "") -> Json:
    """What each of Claude's records has; ``under``: the Task call whose sub-agent wrote it."""
    record: Json = {"uuid": str(uuid.uuid4()), "parentUuid": None, "isSidechain": bool(under)}
    return record | ({"parentToolUseId": under} if under else {})


def _beside(wire: Wire, run: str) -> Wire:
    """One of Claude's records, as a sub-agent's."""
    family, data = wire
    return family, {**data, **_record(run)}


def _run(kind: str, run: str, status: str, words: str) -> Wire:
    about = {"agentId": run, "agentStatus": status, "statusText": status, "summary": words}
    return "codex", {"type": f"agent-run-{kind}", **about}
