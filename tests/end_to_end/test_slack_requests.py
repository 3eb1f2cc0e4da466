"""A real hub's requests decided from Slack's buttons: nothing is approved unseen, twice, or by the wrong person."""

import asyncio
import pkgutil
from typing import Any

import pytest

from tests.end_to_end.bridge_stage import answers, decisions_of, told, until
from tests.end_to_end.conftest import AtSlack
from tests.end_to_end.slack_stage import SlackStage, words

pytestmark = pytest.mark.real_hub


@pytest.mark.parametrize(("button", "approved", "word"), [("Allow", True, "Allowed"), ("Deny", False, "Denied")])
async def test_a_request_is_decided_from_its_button_and_the_agent_goes_on(
    at_slack: AtSlack, button: str, approved: bool, word: str
) -> None:
    """Invariant 4: the card shows what the hub says, and the hub hears exactly one decision."""
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "make build", "description": "build it"})
    card = await stage.message("make build")
    assert card in stage.rings()
    await stage.press(card, button)
    await stage.see(lambda: f"{word} by ada · Slack" in words(card), "the outcome on the card")
    assert "make build" in words(card), "a decided card keeps what it showed"
    assert [params["approved"] for params in decisions_of(cli)] == [approved]
    assert all(one.action_id.startswith("-") for one in card.buttons), "its buttons are inert"
    assert [words(one) for one in stage.dm.ephemeral(stage.ada)] == []
    await answers(cli, "went on")
    await stage.answer("went on")


async def test_a_double_press_acts_once(at_slack: AtSlack) -> None:
    """Invariant 4."""
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    await stage.steady(card)
    for _ in range(3):
        stage.slack.press(card, "Allow", stage.ada)
    await stage.see(lambda: "Allowed by ada" in words(card), "the outcome")
    await stage.refusal(count=2)
    assert len(decisions_of(cli)) == 1


async def test_a_press_on_a_card_that_was_decided_elsewhere_is_refused_in_words(at_slack: AtSlack) -> None:
    """Invariant 4: a stale button resolves nothing, least of all another request."""
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    await stage.steady(card)
    allow = card.element("Allow").action_id
    await cli.resolve({"id": "req1", "approved": True})
    await stage.see(lambda: "Allowed" in words(card), "decided elsewhere")
    await cli.ask("req2", "Bash", {"command": "rm -rf /"})
    await stage.message("rm -rf /")
    stage.slack.press(card, allow, stage.ada, stale=True)
    assert (await stage.refusal()).startswith("Allowed already, ")
    assert stage.dm.ephemeral(stage.ada)[0].thread_ts == card.thread_ts, "where the button stood"
    assert not decisions_of(cli)


async def test_a_press_on_a_card_that_has_just_appeared_is_not_taken(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    stage.slack.press(card, "Allow", stage.ada)
    assert await stage.refusal() == "The card has just changed. Look at it, then press again."
    assert not decisions_of(cli)


async def test_changed_arguments_make_a_new_card_and_the_old_one_is_dead(at_slack: AtSlack) -> None:
    """Invariant 4: nothing but what was on the card is ever approved."""
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "echo harmless"})
    old = await stage.message("echo harmless")
    allow = old.element("Allow").action_id
    await cli.ask("req1", "Bash", {"command": "echo other"})
    new = await stage.message("echo other")
    assert new is not old
    await stage.see(lambda: all(one.action_id.startswith("-") for one in old.buttons), "the old card's end")
    stage.slack.press(old, allow, stage.ada, stale=True)
    await stage.refusal()
    assert not decisions_of(cli)
    await stage.press(new, "Allow")
    await stage.see(lambda: "Allowed by ada" in words(new), "the new one counts")
    assert "Allowed" not in words(old)


async def test_an_argument_that_does_not_fit_is_a_file_before_the_buttons_appear(at_slack: AtSlack) -> None:
    """Invariants 2 and 4: nothing can be approved unseen."""
    stage, cli = at_slack
    script = "\n".join(f"echo line {number}" for number in range(2000))
    await cli.ask("req1", "Bash", {"command": script})
    card = await stage.message("Approval needed")
    (sent,) = [one for one in stage.dm.from_bot if one.files]
    assert sent.files[0].data is not None
    assert script in sent.files[0].data.decode()
    assert float(sent.ts) < float(card.ts)
    assert sent.thread_ts == card.thread_ts
    assert sent not in stage.rings()
    assert card in stage.rings()
    assert card.buttons[0].label == "Allow"


DATABASE = {
    "question": "Which database?",
    "header": "DB",
    "multiSelect": False,
    "options": [{"label": "SQLite", "description": "a file"}, {"label": "Postgres", "description": "a server"}],
}


async def test_a_question_is_answered_with_a_button(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await cli.ask("q1", "AskUserQuestion", {"questions": [DATABASE]})
    card = await stage.message("Which database?")
    await stage.press(card, "Postgres")
    await stage.see(lambda: "Answered by ada" in words(card), "the answer on the card")
    assert cli.rpc_log[-1] == ("permission", {"id": "q1", "approved": True, "answers": {"0": ["Postgres"]}})


async def test_several_choices_and_several_questions_are_collected_until_the_last(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    parts: dict[str, Any] = {"question": "Which parts?", "multiSelect": True}
    parts["options"] = [{"label": name} for name in ("Alpha", "Beta", "Gamma")]
    sure = {"question": "Sure?", "multiSelect": False, "options": [{"label": "Yes"}, {"label": "No"}]}
    await cli.ask("q1", "AskUserQuestion", {"questions": [parts, sure]})
    card = await stage.message("Which parts?")
    for label in ("Alpha", "Gamma"):
        await stage.pick(card, label)
    await stage.press(card, next(one.label for one in card.buttons if one.label in ("Next", "Submit")))
    await stage.see(lambda: "Sure?" in words(card), "the second question")
    await stage.press(card, "Yes")
    await stage.see(lambda: "Answered by ada" in words(card), "the answer on the card")
    assert cli.rpc_log[-1][1]["answers"] == {"0": ["Alpha", "Gamma"], "1": ["Yes"]}


SHARDS = {"id": "db", "question": "Which database?", "options": [{"label": "SQLite"}]}


async def test_words_in_the_thread_answer_the_one_question_that_waits(at_slack: AtSlack) -> None:
    """A thread has no replies to one card: where nothing else waits, what is written there is the answer."""
    stage, cli = at_slack
    await cli.ask("q1", "request_user_input", {"questions": [SHARDS]})
    card = await stage.message("Which database?")
    assert "Or in your own words: press Other…, or reply." in words(card)
    await stage.steady(card)
    stage.say("DuckDB, please", card)
    await stage.see(lambda: "Answered by ada" in words(card), "the answer on the card")
    assert cli.rpc_log[-1][1]["answers"] == {"db": {"answers": ["DuckDB, please"]}}
    await stage.message("Your answer: DuckDB, please")
    assert not told(cli), "it is no message to the agent"


async def test_words_are_asked_about_where_more_than_a_question_waits(at_slack: AtSlack) -> None:
    """Invariant 10: free text never approves, and nothing is guessed."""
    stage, cli = at_slack
    await cli.ask("b1", "Bash", {"command": "make it"})
    await stage.message("make it")
    await cli.ask("q1", "request_user_input", {"questions": [SHARDS]})
    card = await stage.message("Which database?")
    stage.say("DuckDB, please", card)
    offer = await stage.message("What is your message?")
    assert [one.label for one in offer.buttons] == ["Use as answer", "Skip and send", "Keep queued"]
    assert not decisions_of(cli)
    await stage.press(offer, "Use as answer")
    await stage.see(lambda: "Answered by ada" in words(card), "the answer on the card")
    assert cli.rpc_log[-1][1]["answers"] == {"db": {"answers": ["DuckDB, please"]}}
    await stage.see(lambda: "Used as the answer." in words(offer), "the offer says what became of it")
    assert not told(cli), "it is no message to the agent"


async def test_a_plan_is_readable_and_approved(at_slack: AtSlack) -> None:
    stage, cli = at_slack
    await cli.ask("p1", "ExitPlanMode", {"plan": "# Plan\n\n1. **Read**\n2. Write"})
    card = await stage.message("Plan")
    assert "Read" in words(card)
    assert [one.label for one in card.buttons][:1] == ["Approve"]
    await stage.press(card, "Approve")
    await stage.see(lambda: "Approved by ada" in words(card), "approved")
    assert cli.rpc_log[-1] == ("permission", {"id": "p1", "approved": True})


async def test_text_while_a_request_waits_is_offered_and_never_approves(at_slack: AtSlack) -> None:
    """Invariant 10."""
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    said = stage.say("yes, do it", card)
    offer = await stage.message("What is your message?")
    assert [one.label for one in offer.buttons] == ["Deny and send", "Keep queued"]
    assert not cli.rpc_log
    assert not told(cli)
    await stage.press(offer, "Deny and send")
    await stage.see(lambda: "Denied by ada" in words(card), "denied")
    await until(lambda: told(cli), "the text with the agent")
    assert [params["approved"] for params in decisions_of(cli)] == [False]
    await stage.see(lambda: "ok_hand" in stage.reactions(said), "taken")


async def test_members_guests_and_strangers_are_refused_and_reach_nothing(at_slack: AtSlack) -> None:
    """Invariant 4: the right is asked for at the moment of the press, whoever sees the card."""
    stage, cli = at_slack
    slack = stage.slack
    stage.refusals.add("user_not_in_channel")  # nobody but the owner sees their DM, whatever a payload says
    others = [
        slack.add_user("eve"),
        slack.add_user("gus", guest=True),
        slack.add_user("kim", single_channel_guest=True),
        slack.add_user("sam", stranger=True),
    ]
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    await stage.steady(card)
    for person in others:
        slack.press(card, "Allow", person)
        theirs = slack.dm(person)
        slack.say(theirs, person, "hello?")
        slack.say(theirs, person, f"{slack.mention()} stop")
        slack.slash_command(theirs, person, "/hapi", "stop")
        await slack.wait_for(lambda theirs=theirs: theirs.from_bot, 10, "a refusal")  # type: ignore[misc]
    await stage.press(card, "Deny")
    await stage.see(lambda: "Denied by ada" in words(card), "the owner's press, after all the others")
    for person in others:
        said = [
            one.params["text"] for one in slack.calls if one.params.get("user") == person.id and "text" in one.params
        ]
        assert said == ["This bot works for its owner and the people they invited."], "in words, to the presser alone"
        assert len(slack.dm(person).from_bot) == 1, "once, however often they write"
    assert [params["approved"] for params in decisions_of(cli)] == [False]
    assert "abort" not in [method for method, _ in cli.rpc_log]
    assert not told(cli)


async def test_slow_reads_of_the_store_carry_nothing_out_twice(
    slack: SlackStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 4: what came to its end while the rows were being read, looks in them as if it had not begun."""
    stage = slack
    _slow(monkeypatch, "bridge.store.inbox.next", after_s=0.3)
    _slow(monkeypatch, "bridge.chat.slack.surface.SlackSurface.acknowledge_press", before_s=0.1)
    _slow(monkeypatch, "bridge.store.decisions.unfinished", after_s=0.9)
    _slow(monkeypatch, "bridge.hub.rest.HubApi.session", after_s=0.8)
    await stage.start()
    cli = await stage.session(flavor="claude", path="/home/ada/parser")
    cli.auto_resolve = False
    await cli.ask("req1", "Bash", {"command": "make one"})
    await cli.ask("req2", "Bash", {"command": "make two"})
    first, second = await stage.message("make one"), await stage.message("make two")
    await stage.steady(second)
    stage.slack.press(first, "Allow", stage.ada)
    await stage.see(lambda: "Sending" in words(first), "the first decision, on its way")
    await asyncio.sleep(0.8)
    stage.slack.press(second, "Allow", stage.ada)
    await until(lambda: len(decisions_of(cli)) >= 2, "the second decision")
    await asyncio.sleep(1)
    # Which comes first is nobody's promise: what waits when the rows are read goes out side by side.
    assert sorted(params["id"] for params in decisions_of(cli)) == ["req1", "req2"]
    assert [words(one) for one in stage.dm.ephemeral(stage.ada)] == []


def _slow(monkeypatch: pytest.MonkeyPatch, what: str, *, before_s: float = 0.0, after_s: float = 0.0) -> None:
    """Let a coroutine function take its time, before or after it does its work."""
    holder, _, name = what.rpartition(".")
    real = getattr(pkgutil.resolve_name(holder), name)

    async def slow(*args: Any, **options: Any) -> Any:
        await asyncio.sleep(before_s)
        result = await real(*args, **options)
        await asyncio.sleep(after_s)
        return result

    monkeypatch.setattr(what, slow)


async def test_what_is_no_button_of_ours_is_refused_in_words(at_slack: AtSlack) -> None:
    """A press with a token nobody gave out, as a forged payload would carry, acts on nothing."""
    stage, cli = at_slack
    await cli.ask("req1", "Bash", {"command": "ls"})
    card = await stage.message("ls")
    await answers(cli, "beside it")
    other = await stage.message("beside it")
    await stage.steady(card)
    element = next(block for block in card.blocks if block["type"] == "actions")
    other.blocks.append(element)
    stage.slack.press(other, "Allow", stage.ada)
    assert await stage.refusal()
    assert not decisions_of(cli), "the button of one card counts on no other"
