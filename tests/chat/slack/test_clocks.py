"""A clock that is minutes off makes nothing late: when something happened is told in our time."""

import pytest

from bridge.chat.intents import Press, Say
from bridge.chat.slack.clocks import ahead_ms
from bridge.chat.slack.surface import SlackSurface
from bridge.chat.surface import RawUpdate

NOON = 1_796_040_000_000
DATE = "Mon, 30 Nov 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("now", "ahead"), [(NOON, 0), (NOON + 4_000, 0), (NOON + 120_000, 120_000), (NOON - 9_000, -9_000)]
)
def test_the_difference_is_what_an_answers_date_shows(now: int, ahead: int) -> None:
    assert ahead_ms(DATE, now) == ahead


@pytest.mark.parametrize("date", [None, "", "yesterday", "Mon, 99 Nov 2026 99:00:00 GMT"])
def test_an_unreadable_date_says_nothing(date: str | None) -> None:
    assert ahead_ms(date, NOON) == 0


def press(ts: str) -> RawUpdate:
    body = {
        "type": "block_actions",
        "user": {"id": "U1"},
        "container": {"channel_id": "D1", "message_ts": "1.000001"},
        "actions": [{"action_id": "token", "action_ts": ts, "block_id": "b", "type": "button"}],
        "trigger_id": "t",
    }
    return RawUpdate("1", body)


async def test_presses_and_texts_are_told_in_our_time(surface: SlackSurface) -> None:
    """Invariant 4: with our clock two minutes ahead no press would count otherwise."""
    made = surface.intent(press("1796040000.000000"))
    assert isinstance(made, Press)
    surface._client.ahead_ms = 120_000
    later = surface.intent(press("1796040000.000000"))
    assert isinstance(later, Press)
    assert later.sent_at_ms - made.sent_at_ms == 120_000
    event = {
        "type": "message",
        "channel": "D1",
        "channel_type": "im",
        "user": "U1",
        "ts": "1796040000.000000",
        "text": "hi",
    }
    said = surface.intent(RawUpdate("2", {"type": "event_callback", "event": event}))
    assert isinstance(said, Say)
    assert said.sent_at_ms == NOON + 120_000
