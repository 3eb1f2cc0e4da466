"""What a workspace has: learnt once, remembered, asked again after some days or when it was made forgotten."""

from bridge.chat.capabilities import Learnt
from bridge.chat.slack.features import ASK_AGAIN_S, STATUS, STREAMS, Features


def test_what_is_unknown_is_tried_and_what_is_refused_is_not() -> None:
    features = Features(lambda: 1000.0)
    assert features.usable(STREAMS)
    assert not features.present(STREAMS)
    features.refused(STREAMS, "unknown_method")
    assert not features.usable(STREAMS)
    features.found(STATUS)
    assert features.present(STATUS)
    assert features.news() == [
        Learnt(STREAMS, "refused", "unknown_method", 1_000_000),
        Learnt(STATUS, "present", "", 1_000_000),
    ]
    assert features.news() == []


def test_what_was_refused_is_asked_again_after_some_days() -> None:
    now = 1000.0
    features = Features(lambda: now)
    features.recall([Learnt(STREAMS, "refused", "no", 1_000_000)])
    now += ASK_AGAIN_S - 1
    assert not features.usable(STREAMS)
    now += 1
    assert features.usable(STREAMS)


def test_what_the_store_forgot_is_tried_again_but_news_are_not_lost() -> None:
    features = Features(lambda: 1000.0)
    features.refused(STREAMS, "no")
    features.recall([])
    assert not features.usable(STREAMS), "the store does not know it yet"
    features.news()
    features.recall([])
    assert features.usable(STREAMS)


def test_what_worked_before_is_no_news() -> None:
    features = Features(lambda: 1000.0)
    features.recall([Learnt(STREAMS, "present", "", 1)])
    features.found(STREAMS)
    assert features.news() == []
    features.found(STREAMS, "without its Stop button")
    assert [one.why for one in features.news()] == ["without its Stop button"]
