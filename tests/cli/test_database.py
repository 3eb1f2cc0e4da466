"""`db upgrade`: makes and migrates the store, and says in one line why it can't."""

from pathlib import Path

from tests.cli.conftest import Run

ENOUGH = {"HAPI_ACCESS_TOKEN": "hub-token", "TELEGRAM_BOT_TOKEN": "12345:abc-DEF", "TELEGRAM_OWNER_ID": "42"}


def test_the_store_is_made_and_a_second_time_nothing_is_to_be_done(bridge: Run, tmp_path: Path) -> None:
    env = ENOUGH | {"BRIDGE_DATA_DIR": str(tmp_path / "data")}
    for _ in range(2):
        done = bridge("db", "upgrade", env=env)
        assert (done.returncode, done.stdout) == (0, "the store is up to date\n")
    assert (tmp_path / "data" / "bridge.sqlite3").stat().st_mode & 0o777 == 0o600


def test_what_is_no_database_is_one_line(bridge: Run, tmp_path: Path) -> None:
    (tmp_path / "bridge.sqlite3").write_text("a shopping list, and a long one at that\n" * 100)
    done = bridge("db", "upgrade", env=ENOUGH | {"BRIDGE_DATA_DIR": str(tmp_path)})
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "is not a database" in done.stderr
