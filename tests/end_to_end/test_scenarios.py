"""Each scenario, from a person's side: what both chats show in the end, against the sandbox hub's own record.

The sandbox hub plays the agents; the bridge, the client libraries and the strict chat servers are the other tests'.
"""

import pytest

from bridge.sandbox.slack import Message as SlackMessage
from bridge.sandbox.telegram import Message as TelegramMessage
from tests.end_to_end.scenario_stage import ScenarioStage, letters
from tests.end_to_end.slack_stage import words


async def cards(scene: ScenarioStage, text: str) -> tuple[SlackMessage, TelegramMessage]:
    """The message with a text, in Slack and on Telegram."""
    return await scene.message(text), await scene.on_telegram(text)


async def asked(scene: ScenarioStage, text: str) -> tuple[SlackMessage, TelegramMessage]:
    """The card that asks, with a text, in Slack and on Telegram. The turn's own post holds the text, too, and may come
    first; its one button is Stop."""

    def in_slack() -> SlackMessage | None:
        found = (one for one in reversed(scene.dm.from_bot) if text in words(one))
        return next((one for one in found if {each.label for each in one.buttons} - {"Stop"}), None)

    def on_telegram() -> TelegramMessage | None:
        found = (one for one in reversed(scene.chat.from_bot) if text in one.text)
        return next((one for one in found if {each.text for each in one.buttons} - {"Stop"}), None)

    await scene.see(in_slack, f"a card with {text!r} in Slack")
    await scene.telegram.wait_for(on_telegram, 15, what=f"a card with {text!r} on Telegram")
    slack, telegram = in_slack(), on_telegram()
    assert slack is not None
    assert telegram is not None
    return slack, telegram


async def resolved(scene: ScenarioStage, on_slack: SlackMessage, on_telegram: TelegramMessage, outcome: str) -> None:
    """Wait until a request is resolved on both, with the same words, and no button of it acts any more."""
    await scene.see(lambda: outcome in words(on_slack), f"{outcome} in Slack")
    await scene.telegram.wait_for(lambda: outcome in on_telegram.text, 15, what=f"{outcome} on Telegram")
    assert {one.data for one in on_telegram.buttons} == {"-"}
    assert all(one.action_id.startswith("-") for one in on_slack.buttons)


async def test_a_bug_fix_with_approvals_on_either_chat(scene: ScenarioStage) -> None:
    """Invariants 3 and 4."""
    player = scene.begin("bugfix")
    await scene.turn("ask")
    on_slack, on_telegram = await asked(scene, "pytest tests/test_cart.py -q")
    await scene.press(on_slack, "Allow")
    await resolved(scene, on_slack, on_telegram, "Allowed by ada · Slack")
    await scene.turn("ask")
    on_slack, on_telegram = await asked(scene, "ROUND_HALF_UP")
    await scene.press_on_telegram(on_telegram, "Allow")
    await resolved(scene, on_slack, on_telegram, "Allowed by Ada · Telegram")
    await scene.turn("ask")
    on_slack, on_telegram = await asked(scene, "Run all tests")
    await scene.press(on_slack, "Allow")
    reply = await scene.turn("reply")
    answer = await scene.on_telegram("Shall I commit it?")
    scene.telegram.say(scene.chat, scene.telegram_ada, reply.visitor, thread=answer.thread)
    await scene.turn("ask")
    on_slack, on_telegram = await asked(scene, "git commit")
    await scene.press_on_telegram(on_telegram, "Allow")
    await scene.over(player)

    scene.check(player.session)
    assert [line.split(":")[0] for line in scene.rang()] == [
        *["🟢 Allowed"] * 3,
        "The test passes again, and so do the other 71.",
        "🟢 Allowed",
        "Committed as 3f2a91c",
    ]
    assert (await scene.message(reply.visitor)).text.startswith("You · Telegram"), "the other chat is shown it"


async def test_a_denied_step_ends_the_turn_on_both(scene: ScenarioStage) -> None:
    """Invariant 4; Claude's turn ends with a Deny."""
    player = scene.begin("bugfix")
    await scene.turn("ask")
    on_slack, on_telegram = await asked(scene, "pytest tests/test_cart.py -q")
    await scene.press_on_telegram(on_telegram, "Deny")
    await resolved(scene, on_slack, on_telegram, "Denied by Ada · Telegram")
    (request,) = player.session.completed.values()
    assert request["status"] == "denied"


async def test_questions_with_several_choices_and_own_words(scene: ScenarioStage) -> None:
    player = scene.begin("questions")
    await scene.turn("question")
    on_slack, on_telegram = await asked(scene, "How often shall it go out?")
    await scene.press_on_telegram(on_telegram, "Weekly")
    await scene.see(lambda: "What belongs into it?" in words(on_slack), "the second question in Slack, too")
    await scene.pick(on_slack, "New teas")
    await scene.pick(on_slack, "Recipes")
    await scene.press(on_slack, "Submit")
    await resolved(scene, on_slack, on_telegram, "Answered by ada · Slack")
    own = await scene.turn("question")
    on_slack, on_telegram = await asked(scene, "Which address does it come from?")
    scene.telegram.say(scene.chat, scene.telegram_ada, own.visitor, thread=on_telegram.thread, reply_to=on_telegram)
    await resolved(scene, on_slack, on_telegram, "Answered by Ada · Telegram")
    await scene.over(player)

    scene.check(player.session)
    given = [request["answers"] for request in player.session.completed.values()]
    assert given == [{"0": ["Weekly"], "1": ["New teas", "Recipes"]}, {"0": ["tea@example.org"]}]
    assert scene.rang()[-1] == (
        "The newsletter is set up and comes from tea@example.org. The first one is a draft: nothing was sent."
    )


@pytest.mark.parametrize(
    ("button", "outcome", "last"),
    [
        ("Approve", "Approved by ada · Slack", "Step 1 is in shop/session_store.py. Nothing uses it yet."),
        ("Keep planning", "by ada · Slack", None),
    ],
)
async def test_a_plan_is_approved_or_sent_back(
    scene: ScenarioStage, button: str, outcome: str, last: str | None
) -> None:
    player = scene.begin("plan")
    await scene.turn("plan")
    on_slack, on_telegram = await asked(scene, "Roll back at any step")
    await scene.press(on_slack, button)
    await resolved(scene, on_slack, on_telegram, outcome)
    if last is None:
        assert [request["status"] for request in player.session.completed.values()] == ["denied"]
        return
    await scene.over(player)
    scene.check(player.session)
    assert scene.rang() == ["🟢 Approved", last]


async def test_a_question_a_permission_and_streamed_texts_of_another_kind_of_agent(scene: ScenarioStage) -> None:
    player = scene.begin("deploy")
    await scene.turn("question")
    on_slack, on_telegram = await asked(scene, "Where shall 2.4 go first?")
    await scene.press(on_slack, next(one.label for one in on_slack.buttons if one.label.endswith("staging")))
    await resolved(scene, on_slack, on_telegram, "Answered by ada · Slack")
    await scene.turn("ask")
    on_slack, on_telegram = await asked(scene, "make deploy TARGET=staging")
    await scene.press_on_telegram(on_telegram, "Allow")
    await resolved(scene, on_slack, on_telegram, "Allowed by Ada · Telegram")
    await scene.over(player)
    scene.check(player.session)
    assert [line.split(":")[0] for line in scene.rang()] == [
        "🟢 Answered",
        "🟢 Allowed",
        "Version 2.4 runs on staging.",
    ]


async def test_a_long_run_shows_its_list_its_sub_agents_and_its_background_task(scene: ScenarioStage) -> None:
    """One post for the to-do list, changed in place and silent; sub-agents under their tasks; nothing of them rings."""
    player = scene.begin("agents")
    await scene.over(player)
    scene.check(player.session)
    assert scene.rang() == ["The shop runs on Python 3.14."]

    steps = ["Find out what breaks", "Replace what is gone", "Raise the version", "Run all tests"]
    todos = "\n".join(["To do: 4 of 4", *(f"🟢 {step}" for step in steps)])
    assert todos in [line.text for line in scene.on_telegram_now()]
    for lines in (scene.on_telegram_now(), scene.on_slack_now()):
        (posted,) = [line for line in lines if line.letters.startswith("todo")]
        assert posted.letters == letters(todos)
        (work,) = [line.letters for line in lines if line.letters.startswith("done")]
        for task, inside, report in (
            ("Search the code", "Grep get_event_loop", "Two places use"),
            ("Check the libraries", "Bash uv pip compile", "All 48 have one"),
            ("Read the pipeline", "Grep 3", "In two files"),
        ):
            folded = work[work.index("subagents") :]
            assert folded.index(letters(task)) < folded.index(letters(inside)) < folded.index(letters(report))
        assert letters("Bash make image PYTHON=3.14 · in the background") in work
        (over,) = [line for line in lines if letters("Background command") in line.letters]
        assert over.text.startswith("🟢")
        assert not over.rings


async def test_a_restart_of_the_bridge_in_the_middle_of_a_long_run_doubles_nothing(scene: ScenarioStage) -> None:
    """Invariant 3, for all that is changed in place: activity, to-do list, sub-agents, background task."""
    player = scene.begin("agents")
    await scene.on_telegram("Look for what breaks first")
    await scene.stop()
    await scene.start()
    await scene.over(player)
    scene.check(player.session)
    assert scene.rang() == ["The shop runs on Python 3.14."]
    for lines in (scene.on_telegram_now(), scene.on_slack_now()):
        begun = [line.letters[:4] for line in lines]
        assert begun.count("todo") == begun.count("done") == 1
        assert sum(letters("Background command") in line.letters for line in lines) == 1


async def test_a_limit_is_told_when_near_and_when_reached_and_the_work_goes_on_after_it(scene: ScenarioStage) -> None:
    player = scene.begin("limit")
    near, reached = await cards(scene, "90 % of the usage limit used · 5 hours · resets")
    assert reached.silent
    assert near not in scene.rings()
    await cards(scene, "Usage limit reached · 5 hours · resets")
    reply = await scene.turn("reply")
    over, there = await cards(scene, "🟢 The usage limit is over: the agent can go on.")
    assert there.silent
    scene.say(reply.visitor, over)
    await scene.over(player)
    scene.check(player.session)
    assert scene.rang() == [
        "🔴 The turn failed: usage limit reached",
        "Both pages are in French now: Commandes and Retours.",
    ], "a turn that a limit ended is not called done"


async def test_pictures_come_back_as_pictures_and_files_are_named(scene: ScenarioStage) -> None:
    """Invariant 3: each picture once, in its place, byte for byte as the hub hands it out."""
    player = scene.begin("pictures")
    await scene.over(player)
    scene.check(player.session)
    made = {name: data for data, _, name in scene.sandbox.state.images.values()}
    assert list(made) == ["sales-2026.png", "sales-by-quarter.png"]
    for lines in (scene.on_telegram_now(), scene.on_slack_now()):
        assert [name for line in lines for name in line.files] == list(made)
        assert "sales.csv · text/csv · 18.4 kB" in " ".join(lines[0].text.split())
        assert lines[-1].text.startswith("Both charts are above"), "the pictures stand above the answer"
    photos = [one.file for one in scene.chat.from_bot if one.file]
    assert [(file.name, file.data) for file in photos] == list(made.items())
    assert [file.data for one in scene.dm.from_bot for file in one.files] == list(made.values())


async def test_a_recap_comes_first_and_silently(scene: ScenarioStage) -> None:
    player = scene.begin("recap")
    await scene.over(player)
    scene.check(player.session)
    for lines in (scene.on_telegram_now(), scene.on_slack_now()):
        assert lines[0].text.startswith("Recap")
        assert "coupon2" in lines[0].text
        assert not lines[0].rings
    assert len(scene.rang()) == 1


async def test_a_failing_hub_costs_nothing_and_doubles_nothing(scene: ScenarioStage) -> None:
    """Invariants 3 and 4: events twice, calls that fail, answers that are lost, broken streams, two restarts."""
    player = scene.begin("trouble")
    await scene.turn("ask")
    on_slack, on_telegram = await asked(scene, "make rotate KEY=signing-2024.pem")
    await scene.press(on_slack, "Allow")
    await resolved(scene, on_slack, on_telegram, "Allowed by ada · Slack")
    reply = await scene.turn("reply")
    answer = await scene.on_telegram("The old key is out of use")
    scene.telegram.say(scene.chat, scene.telegram_ada, reply.visitor, thread=answer.thread)
    await scene.over(player)
    scene.check(player.session)
    hits = {kind for kind, _ in scene.sandbox.faults.hits}
    assert "lost-answer" in hits, "the decision's answer was lost on its way"
    assert len(player.session.completed) == 1
    mine = [row for row in player.session.rows if row["localId"] is not None]
    assert len(mine) == 1, "what was written once is in the hub once"
