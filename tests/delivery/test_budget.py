"""Budgets, on a clock of plain numbers."""

from bridge.chat.surface import Rates
from bridge.delivery import budget
from bridge.delivery.budget import Budget

RATES = Rates(chat_interval_s=1, chat_burst=3, bot_per_s=5)


def spend(it: Budget, chats: list[str], until: float) -> list[tuple[float, str]]:
    """Call as early as the budget lets, chats in turn."""
    now, calls = 0.0, []
    while now < until:
        ready = [chat for chat in chats if it.ready_at(chat, now) <= now]
        if not ready:
            now = min(it.ready_at(chat, now) for chat in chats)
            continue
        it.take(ready[0], now)
        calls.append((now, ready[0]))
        chats = [chat for chat in chats if chat != ready[0]] + [ready[0]]
    return calls


def test_a_chat_gets_its_burst_and_then_one_call_per_interval() -> None:
    calls = spend(Budget(RATES, 0), ["a"], 5)
    assert [round(at, 6) for at, _ in calls] == [0, 0, 0, 1, 2, 3, 4]


def test_many_chats_share_the_bots_rate() -> None:
    calls = spend(Budget(RATES, 0), [f"c{n}" for n in range(30)], 10)
    assert len([at for at, _ in calls if at == 0]) == 5
    for second in range(1, 9):
        assert len([at for at, _ in calls if second <= at < second + 1]) in (5, 6)


def test_a_closed_chat_waits_and_the_others_go_on() -> None:
    it = Budget(RATES, 0)
    it.close("a", 60)
    it.close("a", 30)
    assert it.ready_at("a", 0) == 60
    assert it.ready_at("b", 0) == 0
    assert it.ready_at("a", 61) == 61


def test_a_closed_bot_waits_altogether() -> None:
    it = Budget(RATES, 0)
    it.close_all(7)
    assert it.ready_at("a", 0) == 7
    assert it.ready_at("b", 2) == 7
    assert it.ready_at("b", 8) == 8


def test_debt_is_paid_back_and_an_unused_token_too() -> None:
    it = Budget(RATES, 0)
    for _ in range(5):
        it.take("a", 0)
    assert it.ready_at("a", 0) == 3
    it.give_back("a", 0)
    assert it.ready_at("a", 0) == 2


def test_rested_chats_are_forgotten() -> None:
    """Invariant 8: every queue has a bound."""
    it = Budget(Rates(chat_interval_s=1, chat_burst=3, bot_per_s=1e9), 0)
    for number in range(3 * budget.IDLE_CHATS):
        it.take(str(number), number / 10)
    assert len(it._chats) <= budget.IDLE_CHATS


def test_a_group_has_a_rate_of_its_own_beside_the_chats() -> None:
    """At most twenty calls to a group in any minute; a chat of one person next to it is not slowed."""
    rates = Rates(group_interval_s=3.75, group_burst=4)
    calls = spend(Budget(rates, 0, lambda chat: chat.startswith("-")), ["-100", "7"], 180)
    group = [at for at, chat in calls if chat == "-100"]
    assert max(sum(start <= at < start + 60 for at in group) for start in group) in (19, 20)
    assert len([1 for at, chat in calls if chat == "7"]) > 170
    assert rates.faster(20).group_interval_s == 3.75 / 20
