"""What can be set on a session from the chat, and the agent's own commands. On both platforms."""

from tests.end_to_end.bridge_stage import until
from tests.end_to_end.steering import Chatting


async def test_the_settings_card_offers_what_this_agent_has_and_marks_what_is_set(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser", flavor="codex")
    chatting.type("/settings")
    card = await chatting.see("Settings of “parser”")
    for words in ("Permission mode: Default", "Service tier: Standard", "Collaboration mode: Default"):
        assert words in chatting.text(card)
    await chatting.press(card, "Permission mode…")
    await until(lambda: "✓ Default" in str(chatting.labels(card)), "the modes, the present one marked")
    assert "Plan Mode" not in str(chatting.labels(card)), "another agent's"
    await chatting.press(card, "Read Only")
    await until(lambda: "Permission mode: Read Only from now on." in chatting.text(card), "the answer")
    assert session.record["permissionMode"] == "read-only"
    await chatting.press(card, "Service tier…")
    await until(lambda: "Fast" in str(chatting.labels(card)), "the tiers")
    await chatting.press(card, "Fast")
    await until(lambda: session.record["serviceTier"] == "fast", "the tier")


async def test_a_mode_in_which_nothing_is_asked_is_asked_about_in_another_place(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    chatting.type("/mode")
    card = await chatting.see("Permission mode of “parser”")
    await chatting.press(card, "Yolo")
    await until(lambda: "the agent asks for nothing" in chatting.text(card), "the question")
    assert session.record["permissionMode"] == "default", "nothing is set by the first tap"
    labels = [label for row in chatting.labels(card) for label in row]
    assert labels[-1] == "Yes, switch to Yolo"
    assert set(labels[:-1]) == {"Leave it as it is"}, "where all modes stood"
    await chatting.press(card, "Yes, switch to Yolo")
    await until(lambda: session.record["permissionMode"] == "bypassPermissions", "the mode")


async def test_commands_set_with_a_word_and_show_without_one(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    chatting.type("/mode plan")
    await chatting.see("Permission mode: Plan Mode from now on.")
    assert session.record["permissionMode"] == "plan"
    chatting.type("/effort high")
    await chatting.see("Effort: High from now on.")
    chatting.type("/model sonnet")
    await chatting.see("Model: Sonnet from now on.")
    assert (session.record["effort"], session.record["model"]) == ("high", "sonnet")
    chatting.type("/model my-own-model")
    await chatting.see("Model: my-own-model from now on.")
    chatting.type("/mode yolo")
    await chatting.see("Switch “parser” to Yolo?")
    chatting.type("/tier fast")
    await chatting.see("claude has no such setting.")
    chatting.type("/mode nonsense")
    await chatting.see("Permission mode of “parser”")


async def test_models_are_those_the_agent_lists_and_others_can_be_typed(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser", flavor="codex")
    session.knows["codex-models"] = [{"modelId": "gpt-9", "name": "GPT 9"}, {"modelId": "gpt-9-mini"}]
    chatting.type("/model")
    card = await chatting.see("Model of “parser”")
    assert "gpt-9-mini" in str(chatting.labels(card))
    await chatting.press(card, "GPT 9")
    await until(lambda: "Model: GPT 9 from now on." in chatting.text(card), "the model")
    assert session.record["model"] == "gpt-9"
    chatting.type("/model")
    card = await chatting.see("Model of “parser”")
    await chatting.fill(card, "Another one…", "gpt-10")
    await until(lambda: session.record["model"] == "gpt-10", "the typed one")


async def test_what_the_agent_refuses_is_said_with_its_reason(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    session.refuses = "The agent is busy compacting"
    chatting.type("/mode plan")
    await chatting.see("HAPI says: The agent is busy compacting")
    assert session.record["permissionMode"] == "default"


async def test_an_agent_without_settings_says_so(chatting: Chatting) -> None:
    chatting.stage.played("harness", flavor="dsh")
    chatting.type("/settings")
    await chatting.see("This kind of agent has none.")
    chatting.type("/mode plan")
    await chatting.see("dsh has no such setting.")


async def test_the_agents_own_commands_are_tapped_and_nothing_is_sent_by_the_first_tap(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    session.knows["slash-commands"] = [{"name": "compact", "description": "keep a summary only", "source": "builtin"}]
    session.knows["skills"] = [{"name": "review", "description": "look at the changes"}]
    chatting.type("/commands")
    card = await chatting.see("Commands of “parser”")
    assert "/compact · keep a summary only" in chatting.text(card)
    await chatting.press(card, "/compact")
    await until(lambda: "Send /compact" in str(chatting.labels(card)), "the command")
    assert session.rows == []
    await chatting.press(card, "Send /compact")
    await until(lambda: any("'/compact'" in str(row) for row in session.rows), "it in the session")
    await until(lambda: "Sent to “parser”: /compact" in chatting.text(card), "the card says so")
    chatting.type("/commands")
    card = await chatting.see("Commands of “parser”")
    await chatting.press(card, "/review")
    await until(lambda: "With words…" in str(chatting.labels(card)), "the skill")
    await chatting.fill(card, "With words…", "the last commit")
    await until(lambda: any("'/review the last commit'" in str(row) for row in session.rows), "it with its words")


async def test_a_command_that_was_begun_is_completed(chatting: Chatting) -> None:
    stage = chatting.stage
    session = stage.played("parser")
    session.knows["slash-commands"] = [
        {"name": name, "description": does, "source": "builtin"}
        for name, does in (("compact", "keep a summary"), ("pr-review", "of a pull request"), ("usage", "what it cost"))
    ]
    session.knows["skills"] = [
        {"name": "Review", "description": "look at the changes"},
        {"name": "fix", "description": ""},
    ]
    chatting.type("/commands rev")
    card = await chatting.see("Commands of “parser” like “rev”")
    assert [label for row in chatting.labels(card) for label in row] == ["/Review", "/pr-review"]
    await chatting.press(card, "/Review")
    await until(lambda: "‹ Commands" in str(chatting.labels(card)), "the command")
    await chatting.press(card, "‹ Commands")
    await until(lambda: "like “rev”" in chatting.text(card), "the same ones")
    chatting.type("/commands summary")
    await chatting.see("Commands of “parser” like “summary”", "/compact")
    chatting.type("/commands nonsense")
    card = await chatting.see("No command of “parser” is like “nonsense”.")
    await chatting.press(card, "All commands")
    await until(lambda: "/usage" in str(chatting.labels(card)), "all of them")
