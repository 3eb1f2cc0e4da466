"""`audit`: the log of who decided what, for scripts."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bridge.cli.audit import since_ms
from bridge.store import audit
from bridge.store.engine import Store
from bridge.store.records import AuditEntry
from tests.cli.conftest import Run

ENOUGH = {"HAPI_ACCESS_TOKEN": "hub-token", "TELEGRAM_BOT_TOKEN": "12345:abc-DEF", "TELEGRAM_OWNER_ID": "42"}
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


async def _fill(url: str) -> None:
    store = await Store.open(url)
    async with store.begin() as tx:
        for day in (28, 29):
            at = int(datetime(2026, 11, day, tzinfo=UTC).timestamp() * 1000)
            entry = AuditEntry(at, "slack", "U2", "Bob", "decide", "approved", choice="allow", session_id=f"s{day}")
            await audit.add(tx, entry)
    await store.close()


def test_the_log_is_printed_from_a_time_on_as_json_lines(bridge: Run, tmp_path: Path) -> None:
    asyncio.run(_fill(f"sqlite:///{tmp_path}/bridge.sqlite3"))
    env = ENOUGH | {"BRIDGE_DATA_DIR": str(tmp_path)}
    lines = [json.loads(line) for line in bridge("audit", env=env).stdout.splitlines()]
    assert [line["session_id"] for line in lines] == ["s28", "s29"]
    assert lines[0]["at"] == "2026-11-28T00:00:00.000+00:00"
    assert (lines[0]["person_name"], lines[0]["choice"], lines[0]["outcome"]) == ("Bob", "allow", "approved")
    assert len(bridge("audit", "--since", "2026-11-29", env=env).stdout.splitlines()) == 1
    assert len(bridge("audit", "--session", "s28", env=env).stdout.splitlines()) == 1
    odd = bridge("audit", "--since", "yesterday", env=env)
    assert (odd.returncode, odd.stdout) == (2, "")
    assert "write 24h, 7d, or a date" in odd.stderr


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("90m", datetime(2026, 11, 30, 10, 30, tzinfo=UTC)),
        ("24h", datetime(2026, 11, 29, 12, tzinfo=UTC)),
        ("7d", datetime(2026, 11, 23, 12, tzinfo=UTC)),
        ("2026-11-30", datetime(2026, 11, 30, tzinfo=UTC)),
        ("2026-11-30T09:00+02:00", datetime(2026, 11, 30, 7, tzinfo=UTC)),
    ],
)
def test_times_are_written_as_people_write_them(text: str, then: datetime) -> None:
    assert since_ms(text, NOW) == int(then.timestamp() * 1000)


def test_longer_ago_than_any_date_is_from_the_beginning_on() -> None:
    assert since_ms("999999d", NOW) == 0
