"""After a long absence: every text once, in order, or all of them in one file; never a flood, never a loss."""

from tests.relay.conftest import Script

HOUR_MS = 3_600_000


def missed(script: Script, count: int, away_ms: int) -> None:
    """``count`` texts that the follower hears of only ``away_ms`` after the first."""
    rows = []
    for number in range(count):
        data = {"type": "message", "message": f"text {number}"}
        rows.append(script.row("agent", {"type": "codex", "data": data}))
        rows.append(script.row("agent", {"type": "event", "data": {"type": "ready"}}))
    script.now = max(script.now, rows[0]["createdAt"] + away_ms)
    script.follower.messages(rows, script.now)
    script.follower.condense(set(), script.now)


def test_up_to_fifty_texts_come_one_by_one_however_long_it_was(script: Script) -> None:
    missed(script, 50, HOUR_MS)
    assert len(script.shown("answer")) == 50


def test_a_short_absence_brings_every_text(script: Script) -> None:
    missed(script, 100, 0)
    assert len(script.shown("answer")) == 100


def test_a_long_absence_with_many_texts_is_one_digest_with_all_of_them_in_its_file(script: Script) -> None:
    """Invariant 2: what does not fit becomes a file."""
    missed(script, 60, HOUR_MS)
    script.ask("r1")
    wishes = script.wishes()
    (digest,) = [wish for wish in wishes if wish.kind == "answer"]
    assert digest.ring
    words = digest.card.files[0].text
    positions = [words.index(f"text {number}") for number in range(60)]
    assert positions == sorted(positions)
    assert [wish.key for wish in wishes if wish.kind == "approval"] == ["s1/approval/r1"], "approvals stay live"
