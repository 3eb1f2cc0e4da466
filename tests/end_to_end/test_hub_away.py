"""A decision while the hub is away: carried out once for exactly its request, or said not to count; never lost."""

import asyncio
from dataclasses import dataclass

import pytest

from bridge.sandbox.hub_session import Session
from tests.end_to_end.bridge_stage import until
from tests.end_to_end.steering import Card, Chatting

MINUTE_MS = 60_000
ASKED = {"command": "make deploy"}


@dataclass
class Time:
    """The bridge's clock, which may be put forward. Ask for it before the bridge starts."""

    ahead_ms: int = 0

    def forward(self, minutes: float) -> None:
        self.ahead_ms += int(minutes * MINUTE_MS)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    from bridge import app

    made, real = Time(), app._now_ms
    monkeypatch.setattr(app, "_now_ms", lambda: real() + made.ahead_ms)
    return made


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub is given up sooner than really."""
    monkeypatch.setattr("bridge.relay.people.requests.claims.TRIES_S", (0.05, 0.05))
    monkeypatch.setattr("bridge.hub.caller.RestTiming.attempts", 1)


async def asked(chatting: Chatting, *, flavor: str = "claude") -> tuple[Session, Card]:
    """A session whose agent asks for something, and its card."""
    session = chatting.stage.played("shop", flavor=flavor)
    chatting.stage.state.ask(session, "r1", "Bash", ASKED)
    return session, await chatting.see("make deploy")


async def test_a_decision_that_could_not_be_brought_to_the_hub_says_so_and_rings(
    chatting: Chatting, soon: None
) -> None:
    stage = chatting.stage
    session, card = await asked(chatting)
    await stage.sandbox.stop()
    await chatting.press(card, "Allow")
    said = await chatting.see("What", "decided did not count")
    if chatting.name == "telegram":
        assert not next(one for one in stage.chat.from_bot if one is said).silent, (
            "who pressed may look elsewhere by now"
        )
    await stage.sandbox.start()
    await until(lambda: "Allow" in str(chatting.labels(card)), "the buttons are back")
    assert stage.calls("POST", "/approve") == 0
    assert list(session.requests) == ["r1"]
    await until(lambda: any(path.endswith("/api/sessions") for _, path, _ in stage.sandbox.calls), "the hub is heard")
    await chatting.press(card, "Allow")
    await until(lambda: stage.calls("POST", "/approve") == 1, "the decision")
    stage.state.settle(session, "r1", "approved")
    await until(lambda: "Allowed by" in chatting.text(card), "the outcome")
    assert stage.calls("POST", "/approve") == 1


async def test_time_that_the_hub_took_to_be_reached_is_not_taken_from_the_agents(
    clock: Time, chatting: Chatting
) -> None:
    """The buttons came back at once after a decision that had waited for the hub: a second one would be doubled."""
    stage = chatting.stage
    session, card = await asked(chatting)
    stage.sandbox.faults.slow(f"/sessions/{session.id}", seconds=1.0)
    await chatting.press(card, "Allow")
    await until(lambda: stage.sandbox.faults.hits, "the bridge asks what the session says now")
    clock.forward(3)
    await until(lambda: stage.calls("POST", "/approve") == 1, "the decision")
    await asyncio.sleep(2.5)  # more than two of the looks after what was sent
    assert "The agent has not answered" not in chatting.text(card)
    stage.state.settle(session, "r1", "approved")
    await until(lambda: "Allowed by" in chatting.text(card), "the outcome")
    assert stage.calls("POST", "/approve") == 1


async def test_a_decision_whose_answer_was_lost_waits_for_the_hub_to_be_back_and_say(
    clock: Time, chatting: Chatting
) -> None:
    """Invariant 4: the outcome is what the hub says; while it is away nobody knows, and nobody is asked again."""
    stage = chatting.stage
    session, card = await asked(chatting)
    stage.sandbox.faults.lose_answer("/approve")
    await chatting.press(card, "Allow")
    await until(lambda: stage.sandbox.faults.hits, "the decision goes out")
    await stage.sandbox.stop()
    clock.forward(3)
    await asyncio.sleep(2.5)
    assert "The agent has not answered" not in chatting.text(card)
    stage.state.settle(session, "r1", "approved")
    await stage.sandbox.start()
    await until(lambda: "Allowed by" in chatting.text(card), "the outcome", 30)
    assert stage.calls("POST", "/approve") == 1, "none was made after the lost one"


async def test_a_decision_the_agent_never_answers_can_be_made_again(clock: Time, chatting: Chatting) -> None:
    stage = chatting.stage
    session, card = await asked(chatting)
    await chatting.press(card, "Allow")
    await until(lambda: stage.calls("POST", "/approve") == 1, "the decision")

    def given_up() -> bool:
        clock.forward(2)
        return "The agent has not answered" in chatting.text(card)

    await until(given_up, "that it did not count")
    clock.ahead_ms = 0  # or the press would come from long ago
    await chatting.press(card, "Allow")
    await until(lambda: stage.calls("POST", "/approve") == 2, "the second one")
    stage.state.settle(session, "r1", "approved")
    await until(lambda: "Allowed by" in chatting.text(card), "the outcome")


async def test_a_request_that_changed_while_the_hub_was_away_is_not_decided(
    chatting: Chatting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 4: by as little as a character that nobody sees."""
    stage = chatting.stage
    session, card = await asked(chatting)
    monkeypatch.setattr("bridge.relay.people.requests.claims.TRIES_S", (0.05,) * 100)
    monkeypatch.setattr("bridge.hub.caller.RestTiming.attempts", 1)
    await stage.sandbox.stop()
    await chatting.press(card, "Allow")
    await until(lambda: "ending" in chatting.text(card) or not chatting.labels(card)[0], "it is on its way")
    session.requests["r1"]["arguments"] = {"command": "make deploy\u200b"}
    await stage.sandbox.start()
    await chatting.see("make deploy⟨U+200B⟩")
    await asyncio.sleep(1)
    assert stage.calls("POST", "/approve") == 0


async def test_a_reason_is_not_sent_when_its_denial_did_not_count_but_asked_about_again(
    chatting: Chatting, soon: None
) -> None:
    stage = chatting.stage
    session, card = await asked(chatting)
    await stage.sandbox.stop()
    await chatting.fill(card, "Deny…", "Not on a Friday")
    offered = await chatting.see("What is your message?", "Not on a Friday")
    await chatting.see("Nothing was denied after all", "Not on a Friday")
    await stage.sandbox.start()
    stage.state.settle(session, "r1", "approved")
    await until(lambda: "Shall your message still go?" in chatting.text(offered), "it is asked about anew", 30)
    assert session.queued == []


async def test_a_text_that_denies_goes_after_the_denial_or_not_at_all(chatting: Chatting, soon: None) -> None:
    stage = chatting.stage
    session, card = await asked(chatting)
    chatting.type("Not on a Friday", at=card)
    offered = await chatting.see("What is your message?", "Not on a Friday")
    await stage.sandbox.stop()
    await chatting.press(offered, "Deny and send")
    await chatting.see("decided did not count")
    await until(lambda: "What is your message?" in chatting.text(offered), "it is asked about again")
    await stage.sandbox.start()
    assert session.queued == []
    await chatting.press(offered, "Deny and send")
    await until(lambda: stage.calls("POST", "/deny") == 1, "the denial", 30)
    await until(lambda: len(session.queued) == 1, "the text")


@pytest.mark.parametrize(
    ("label", "call", "hangs", "status", "said"),
    [
        ("Allow, then Read Only", "/approve", "/permission-mode", "approved", "the mode was not switched"),
        ("Stop the turn", "/deny", "/abort", "denied", "the turn was not stopped"),
    ],
)
async def test_the_second_half_of_a_decision_that_a_restart_cut_off_is_said(
    chatting: Chatting, label: str, call: str, hangs: str, status: str, said: str
) -> None:
    """Invariant 2: who pressed thinks that it was done; and late it is not made up for."""
    stage = chatting.stage
    session, card = await asked(chatting, flavor="codex")  # switched by a call of its own
    stage.state.think(session, True)
    if "mode" in said:
        await chatting.press(card, "More…")
        await until(lambda: label in str(chatting.labels(card)), "the wider grants")
    stage.sandbox.faults.slow(hangs, seconds=3600, times=100)
    await chatting.press(card, label)
    await until(lambda: any(hangs in path for _, path in stage.sandbox.faults.hits), "the second half")
    await stage.stop()
    stage.state.settle(session, "r1", status)
    await stage.start()
    await chatting.see(said, "the bridge was restarted in between")
    assert stage.calls("POST", call) == 1
