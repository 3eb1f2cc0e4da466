"""The second contract: nine content types, four roles, seven turn states, and usage."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from bridge.transcript.blocks import Block
from bridge.transcript.content import ContentType, Role, TurnState, classify, recognise_user_message
from bridge.transcript.fold import Transcript

Message = dict[str, Any]
Build = Callable[..., Message]

PAYLOAD = {
    "type": "user_message",
    "data": {
        "text": "Please help me create a task",
        "scenarios": [{"filepath": "/s/task.md", "title": "Create", "file_content": "# T"}, 5],
        "files": [
            {"fileid": "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6.txt", "mimetype": "text/plain", "extra": {"name": "notes"}},
            {"fileid": "myfile.txt"},
        ],
    },
}


def _only(message: Message) -> Block:
    transcript = Transcript()
    transcript.feed(message)
    (block,) = transcript.blocks
    return block


def test_there_are_nine_types_four_roles_and_seven_states() -> None:
    assert (len(ContentType), len(Role), len(TurnState)) == (9, 4, 7)


def test_a_user_message_is_recognised_after_the_blocks(user: Build) -> None:
    content = classify(_only(user("m1", PAYLOAD)))
    assert (content.role, content.type, content.text) == (
        Role.USER,
        ContentType.USER_MESSAGE,
        "Please help me create a task",
    )
    message = content.user_message
    assert message is not None
    assert [(scenario.title, scenario.content) for scenario in message.scenarios] == [("Create", "# T")]
    assert [(file.name, file.is_valid) for file in message.files] == [("notes", True), ("myfile.txt", False)]


@pytest.mark.parametrize("text", ["hello", "{}", '{"type": "user_message"}', '{"type": {}, "data": 1}', "{broken}"])
def test_other_texts_are_no_user_message(text: str) -> None:
    assert recognise_user_message(text) is None


def test_a_prompt_is_hidden_and_an_error_is_an_error(wire: Build) -> None:
    prompt = classify(_only(wire("m1", {"role": "system", "content": {"type": "prompt", "data": "You are"}})))
    error = classify(_only(wire("m2", {"role": "system", "content": {"type": "error", "data": {"message": "no"}}})))
    assert prompt.is_hidden
    assert (error.type, error.text, error.is_hidden) == (ContentType.ERROR, "no", False)


@pytest.mark.parametrize(
    ("role", "expected"),
    [("system", (Role.SYSTEM, ContentType.TEXT)), ("tool", (Role.TOOL, ContentType.TOOLCALL_OUTPUT))],
)
def test_foreign_roles_have_a_look_of_their_own(wire: Build, role: str, expected: tuple[Role, ContentType]) -> None:
    content = classify(_only(wire("m1", {"role": role, "content": "words"})))
    assert (content.role, content.type, content.text) == (*expected, "words")


def test_every_content_type_is_recognised(wire: Build) -> None:
    found = set()
    for number, kind in enumerate(ContentType):
        payload = PAYLOAD if kind is ContentType.USER_MESSAGE else {"type": kind.value, "data": {"text": "words"}}
        found.add(classify(_only(wire(f"m{number}", {"role": "assistant", "content": payload}))).type)
    assert found == set(ContentType)


def test_our_own_blocks_have_their_place(codex: Build, event: Build) -> None:
    places = [
        classify(_only(message))
        for message in (
            codex("m1", type="message", message="hi"),
            codex("m2", type="reasoning", message="hm"),
            codex("m3", type="tool-call", callId="c", name="Bash"),
            codex("m4", type="tool-call-result", callId="c", output="ok"),
            codex("m5", type="error", message="no"),
            event("m6", type="compact-summary", summary="so far"),
        )
    ]
    assert [place.type for place in places] == [
        ContentType.MARKDOWN,
        ContentType.THINKING,
        ContentType.TOOLCALL_INPUT,
        ContentType.TOOLCALL_OUTPUT,
        ContentType.ERROR,
        ContentType.SUMMARY,
    ]


def test_json_that_a_user_pasted_stays_text(user: Build) -> None:
    pasted = json.dumps({"type": "text", "text": "x"})
    content = classify(_only(user("m1", pasted)))
    assert (content.type, content.text) == (ContentType.TEXT, pasted)
