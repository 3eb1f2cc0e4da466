"""The buttons of approval cards: what each grants, and where a second tap stands."""

from typing import Any

import pytest

from bridge.cards.model import Act, Card, Code, Text
from bridge.cards.request.approval import ApprovalView, GrantView, ModeView, SureView, argument_hash, present_approval

MODES = (
    ModeView("acceptEdits", "Accept Edits"),
    ModeView("bypassPermissions", "Yolo", reckless=True),
    ModeView("auto", "Auto"),
)


def view(tool: str = "Bash", arguments: Any = None, **more: Any) -> ApprovalView:
    arguments = {"command": "git push origin main"} if arguments is None else arguments
    facts = {"session_title": "Fix pagination", "project": "/repo", "machine": "laptop", "flavor": "claude", **more}
    return ApprovalView("s1", "r1", tool, arguments, argument_hash(tool, arguments), mode="Default", **facts)


def labels(card: Card) -> list[list[str]]:
    return [[button.label for button in row] for row in card.buttons]


def act(card: Card, label: str) -> Act:
    found = next(button.act for row in card.buttons for button in row if button.label == label)
    assert found is not None
    return found


def place(card: Card, wanted: Act) -> tuple[int, int]:
    at = next(at for at, row in enumerate(card.buttons) if any(button.act == wanted for button in row))
    return at, len(card.buttons) - 1 - at


def text(card: Card) -> str:
    lines = [line for piece in card.pieces if isinstance(piece, Text) for line in piece.lines]
    return "\n".join("".join(span.text for span in line) for line in lines)


@pytest.mark.parametrize("tool", ["Bash", "Read", "ExitPlanMode", "Odd"])
def test_where_it_would_run_is_always_on_the_card_in_one_line(tool: str) -> None:
    assert "Fix pagination · /repo · laptop · claude · mode Default" in text(present_approval(view(tool)))


def test_wider_grants_are_folded_away_until_asked_for_and_each_names_its_scope() -> None:
    """Invariant 10."""
    grants: dict[str, Any] = {"grant": GrantView("Bash(ls)"), "modes": MODES, "tools": "Bash(git push:*)"}
    card = present_approval(view(**grants))
    assert labels(card) == [["Allow", "Deny", "Deny…"], ["Allow for session: Bash(ls)"], ["More…", "Stop the turn"]]
    assert act(card, "More…").do == "unfold"
    unfolded = present_approval(view(**grants, unfolded=True))
    assert labels(unfolded) == [
        ["Allow", "Deny", "Deny…"],
        ["Allow for session: Bash(ls)"],
        ["Less", "Stop the turn"],
        ["Allow for session: Bash(git push:*)"],
        ["Allow, then Accept Edits"],
        ["Allow, then Auto"],
        ["⚠️ Allow, then Yolo"],
    ]
    assert "Bash(git push:*) allows, in this session, every command that begins with these words" in text(unfolded)
    tools, mode = act(unfolded, "Allow for session: Bash(git push:*)"), act(unfolded, "Allow, then Auto")
    assert (tools.choice, tools.data) == ("allow_tools", {"tools": ["Bash(git push:*)"]})
    assert (mode.choice, mode.data) == ("allow_mode", {"mode": "auto"})


def test_a_dangerous_request_offers_nothing_wider_even_where_there_is_something() -> None:
    """Invariant 10."""
    danger = "Deletes for good (rm -rf)"
    card = present_approval(view(danger=danger, grant=GrantView("x"), modes=MODES, tools="Bash(rm:*)", unfolded=True))
    assert labels(card) == [["Allow", "Deny", "Deny…"], ["Stop the turn"], ["⚠️ Allow needs a second tap, here"]]
    assert card.buttons[2][0].act is None
    assert "⚠️ Careful: Deletes for good (rm -rf)" in text(card)


@pytest.mark.parametrize(
    ("first", "more"),
    [
        ("Allow", {"danger": "Deletes for good (rm -rf)"}),
        ("⚠️ Allow, then Yolo", {"modes": MODES, "unfolded": True}),
        ("⚠️ Allow, then Yolo", {"modes": MODES, "unfolded": True, "tools": "Bash(ls:*)", "grant": GrantView("x")}),
        ("⚠️ Allow, then Yolo", {"modes": MODES[1:2], "unfolded": True}),
        ("⚠️ Approve, then Yolo", {"modes": MODES, "tool": "ExitPlanMode", "arguments": {"plan": "Go"}}),
        ("⚠️ Approve, then Yolo", {"modes": MODES[1:2], "tool": "ExitPlanMode", "arguments": {"plan": "Go"}}),
        ("⚠️ Approve, then Yolo", {"modes": MODES[:2], "tool": "ExitPlanMode", "arguments": {"plan": "Go"}}),
        ("⚠️ Allow, then Yolo", {"modes": MODES, "unfolded": True, "tool": "Read", "arguments": {"file_path": "a"}}),
    ],
)
def test_the_second_tap_is_never_where_the_first_one_was_and_names_the_effect(first: str, more: dict[str, Any]) -> None:
    """A thumb that taps twice in one place confirms nothing, whether a chat keeps the top or the bottom in place."""
    before = present_approval(view(**more))
    tapped = act(before, first)
    assert tapped.choice is not None
    after = present_approval(view(**more, sure=SureView(tapped.choice, tapped.data, "Ada")))
    yes = next(one for one in after.acts() if one.do == "sure")
    assert (yes.choice, yes.data, yes.argument_hash) == (tapped.choice, tapped.data, tapped.argument_hash)
    (top, bottom), (yes_top, yes_bottom) = place(before, tapped), place(after, yes)
    assert top != yes_top
    assert bottom != yes_bottom
    label = next(button.label for row in after.buttons for button in row if button.act == yes)
    assert label in ("⚠️ Yes: Deletes for good (rm -rf)", "⚠️ Yes: Nothing is asked any more in mode Yolo")
    assert after.buttons[0][0].label == "Not now"
    assert not [one for one in after.acts() if one.do == "decide" and one.choice not in ("deny", "abort")]
    assert "Ada wants to allow this: once more, below?" in text(after)


def test_what_somebody_else_must_confirm_says_so() -> None:
    sure = SureView("allow", {}, "Ada", another=True)
    card = present_approval(view(danger="Deletes for good (rm -rf)", sure=sure))
    assert "Ada has allowed this. Somebody else who may decide must confirm it below." in text(card)


def test_reading_has_a_small_card_and_offers_the_session_after_three_alike() -> None:
    grant = GrantView("every use of Read")
    small = present_approval(view("Read", {"file_path": "/repo/a.py", "limit": 5}, grant=grant, alike=2))
    assert text(small) == (
        "🟠 Approval needed: Read\n"
        "file_path: /repo/a.py · limit: 5\n"
        "Fix pagination · /repo · laptop · claude · mode Default"
    )
    assert labels(small) == [["Allow", "Deny", "More…"]]
    offered = present_approval(view("Read", {"file_path": "/repo/a.py"}, grant=grant, alike=3))
    assert labels(offered) == [["Allow", "Deny", "More…"], ["Allow for session: every use of Read"]]
    unfolded = present_approval(view("Read", {"file_path": "/repo/a.py"}, grant=grant, unfolded=True))
    assert labels(unfolded) == [
        ["Allow", "Deny", "Less"],
        ["Allow for session: every use of Read"],
        ["Deny…", "Stop the turn"],
    ]


@pytest.mark.parametrize(
    "arguments", [{}, {"file_path": "a\nb"}, {"file_path": "x" * 400}, {"file_path": " a"}, ["a"], "a", {"a": {"b": 1}}]
)
def test_what_does_not_fit_one_line_is_shown_whole_in_the_ordinary_way(arguments: Any) -> None:
    """Invariant 4."""
    card = present_approval(view("Read", arguments))
    assert any(isinstance(piece, Code) for piece in card.pieces)


def test_what_leaves_the_computer_is_not_taken_for_reading() -> None:
    for tool in ("WebFetch", "WebSearch", "mcp__files__read", "Bash"):
        assert len(labels(present_approval(view(tool, {"url": "https://x.example"})))) > 1


def test_odd_spaces_and_hidden_characters_are_named_on_small_cards_too() -> None:
    """Invariant 4: a path can't look like another one."""
    card = present_approval(view("Read", {"file_path": "/a\u00a0b\u202egnp\u2003\u200b"}))
    assert "file_path: /a⟨U+00A0⟩b⟨U+202E⟩gnp⟨U+2003⟩⟨U+200B⟩" in text(card)


def test_the_directory_hides_nothing_either() -> None:
    card = present_approval(view(project="/home/\u202eada"))
    assert "/home/⟨U+202E⟩ada" in text(card)


def test_a_plan_is_approved_into_a_mode() -> None:
    card = present_approval(view("ExitPlanMode", {"plan": "Go"}, modes=MODES))
    assert labels(card) == [
        ["Approve", "Keep planning", "Keep planning…"],
        ["Approve, then Accept Edits"],
        ["Approve, then Auto"],
        ["⚠️ Approve, then Yolo"],
        ["Stop the turn"],
    ]


def test_what_was_granted_besides_is_said_in_the_end() -> None:
    card = present_approval(view(state="approved", granted_mode="Accept Edits", granted_tools=("Bash(git push:*)",)))
    assert text(card).endswith(
        "From now on in mode Accept Edits.\nAllowed from now on, in this session: Bash(git push:*)"
    )
