"""Opening, migrating, transactions, crashes."""

import asyncio
import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import traceback
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from hatchling.builders.wheel import WheelBuilder
from sqlalchemy import Connection, text

from bridge.store import cursors, people
from bridge.store.engine import Store, StoreUnreachable, StoreUnusable, is_behind, upgrade
from bridge.store.tables import metadata


async def test_an_empty_database_is_migrated_and_a_second_time_changes_nothing(url: str) -> None:
    await upgrade(url)
    store = await Store.open(url)
    async with store.begin() as tx:
        await cursors.put(tx, "hub", "7")
    await store.close()
    await upgrade(url)
    store = await Store.open(url)
    async with store.read() as tx:
        assert await cursors.get(tx, "hub") == "7"
    await store.close()


async def test_the_migrations_make_exactly_the_tables_the_code_knows(store: Store) -> None:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    async with store.read() as tx:
        assert await tx.run_sync(differences) == []


async def test_two_bridges_that_start_at_once_migrate_once(url: str) -> None:
    stores = await asyncio.gather(*(Store.open(url) for _ in range(4)))
    for store in stores:
        await store.close()


async def test_a_schema_from_a_newer_version_is_refused_in_words(url: str) -> None:
    store = await Store.open(url)
    async with store.begin() as tx:
        await tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    await store.close()
    with pytest.raises(StoreUnusable, match="newer version of HAPI Bridge"):
        await Store.open(url)


async def test_looking_tells_how_old_the_schema_is_and_changes_nothing(url: str) -> None:
    await upgrade(url)
    assert await is_behind(url) is False
    store = await Store.open(url)
    async with store.begin() as tx:
        await tx.execute(text("DELETE FROM alembic_version"))
        await tx.execute(text("ALTER TABLE posts RENAME TO others"))
    assert await is_behind(url) is True, "also while the store is open"
    async with store.begin() as tx:
        assert (await tx.execute(text("SELECT count(*) FROM alembic_version"))).scalar_one() == 0
        await tx.execute(text("INSERT INTO alembic_version (version_num) VALUES ('9999')"))
    await store.close()
    with pytest.raises(StoreUnusable, match="newer version of HAPI Bridge"):
        await is_behind(url)


async def test_a_database_that_is_not_there_is_told_from_one_that_refuses(tmp_path: Path) -> None:
    for ask in (Store.open, is_behind):
        with pytest.raises(StoreUnreachable):
            await ask("postgresql://me@127.0.0.1:1/db")
        with pytest.raises(StoreUnusable) as refused:
            await ask(f"sqlite:///{tmp_path}")
        assert type(refused.value) is StoreUnusable


@pytest.mark.postgres
async def test_a_postgres_without_that_database_is_a_mistake_and_not_away(postgres_server: str) -> None:
    for ask in (Store.open, is_behind):
        with pytest.raises(StoreUnusable) as refused:
            await ask(postgres_server.replace("/postgres?", "/nobodys?"))
        assert type(refused.value) is StoreUnusable


async def test_a_database_of_something_else_is_left_alone(url: str) -> None:
    store = await Store.open(url)
    async with store.begin() as tx:
        await tx.execute(text("DROP TABLE alembic_version"))
    await store.close()
    with pytest.raises(StoreUnusable, match="not HAPI Bridge's"):
        await Store.open(url)


async def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("shopping list\n" * 100)
    with pytest.raises(StoreUnusable, match="is not a database"):
        await Store.open(f"sqlite:///{path}")
    assert path.read_text() == "shopping list\n" * 100


async def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable, match="can't be written at"):
        await Store.open(f"sqlite:///{tmp_path}/file/bridge.sqlite3")
    with pytest.raises(StoreUnusable, match="is a directory"):
        await Store.open(f"sqlite:///{tmp_path}")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://me:geheim@host/db", "SQLite or PostgreSQL, not mysql"),
        ("what is this geheim", "can't be read"),
        ("sqlite://", "must be a file"),
        ("postgresql://me:geheim@127.0.0.1:1/db", "PostgreSQL at 127.0.0.1:1 can't be used"),
    ],
)
async def test_a_bad_url_is_refused_without_its_password(url: str, words: str) -> None:
    """Invariant 7."""
    with pytest.raises(StoreUnusable) as caught:
        await Store.open(url)
    assert words in str(caught.value)
    assert "geheim" not in str(caught.value)
    assert "geheim" not in "".join(traceback.format_exception(caught.value))


async def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path}/data/bridge.sqlite3")
    async with store.begin() as tx:
        await cursors.put(tx, "hub", "1")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data").iterdir()}
    await store.close()
    assert modes
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


async def test_an_exception_takes_everything_back(store: Store) -> None:
    async def half() -> None:
        async with store.begin() as tx:
            await cursors.put(tx, "hub", "1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await half()
    async with store.read() as tx:
        assert await cursors.get(tx, "hub") is None


async def test_a_hundred_writers_wait_for_one_another(store: Store) -> None:
    async def count() -> None:
        async with store.begin() as tx:
            now = await tx.execute(text("SELECT value FROM cursors WHERE name = 'n' FOR UPDATE" if postgres else QUERY))
            await asyncio.sleep(0)
            await cursors.put(tx, "n", str(int(now.scalar_one()) + 1))

    QUERY = "SELECT value FROM cursors WHERE name = 'n'"
    async with store.begin() as tx:
        postgres = tx.dialect.name == "postgresql"
        await cursors.put(tx, "n", "0")
    await asyncio.gather(*(count() for _ in range(100)))
    async with store.read() as tx:
        assert await cursors.get(tx, "n") == "100"


async def test_two_stores_on_one_file_never_see_it_locked(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/bridge.sqlite3"
    stores = [await Store.open(url), await Store.open(url)]

    async def write(store: Store, name: str) -> None:
        for number in range(40):
            async with store.begin() as tx:
                await cursors.put(tx, name, str(number))

    await asyncio.gather(*(write(store, f"{id(store)}-{n}") for store in stores for n in range(3)))
    for store in stores:
        await store.close()


async def test_cancelled_transactions_leave_no_trace_and_no_lock(store: Store) -> None:
    """A task cancelled anywhere in a transaction: either all of it is there or nothing, and others go on."""

    async def pair(name: str) -> None:
        async with store.begin() as tx:
            await cursors.put(tx, f"{name}-a", "1")
            await cursors.put(tx, f"{name}-b", "1")

    async def look(name: str) -> None:
        async with store.read() as tx:
            await cursors.get(tx, name)

    seeded = random.Random(7)
    for number in range(120):
        task = asyncio.create_task(pair(str(number)) if number % 3 else look(str(number)))
        for _ in range(seeded.randrange(25)):
            await asyncio.sleep(0 if seeded.random() < 0.7 else 0.0005)
        task.cancel()
        await asyncio.wait([task])
    async with asyncio.timeout(10):
        await pair("last")
    async with store.read() as tx:
        names = set((await tx.execute(text("SELECT name FROM cursors"))).scalars())
    assert {name[:-2] for name in names if name.endswith("-a")} == {name[:-2] for name in names if name.endswith("-b")}
    assert {"last-a", "last-b"} <= names


WRITER = """
import asyncio, sys
from bridge.store import cursors
from bridge.store.engine import Store

async def main():
    store = await Store.open(sys.argv[1])
    number = 0
    while True:
        number += 1
        async with store.begin() as tx:
            await cursors.put(tx, f"row-{number}", "x")
            await cursors.put(tx, "count", str(number))
        print(number, flush=True)

asyncio.run(main())
"""


async def test_kill_9_between_two_writes_loses_nothing_that_was_committed(url: str) -> None:
    """Invariant 1: what was acknowledged after a commit is there after a crash, and no transaction is there by half."""
    process = subprocess.Popen(  # noqa: ASYNC220 - started once, read in a thread
        [sys.executable, "-c", WRITER, url], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    seen = 0

    def read_until(number: int) -> int:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= number:
                return int(line)
        raise AssertionError("the writer ended by itself")

    try:
        seen = await asyncio.to_thread(read_until, 30)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        rest = process.stdout.read().split()
        process.stdout.close()
        process.wait(10)
    acknowledged = max([seen, *map(int, rest)])
    store = await Store.open(url)
    async with store.read() as tx:
        count = int(await cursors.get(tx, "count") or 0)
        rows = (await tx.execute(text("SELECT count(*) FROM cursors WHERE name LIKE 'row-%'"))).scalar_one()
    await store.close()
    assert count >= acknowledged
    assert rows == count


async def test_sqlite_is_durable_and_keeps_its_references(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path}/bridge.sqlite3")
    async with store.begin() as tx:
        found = [
            (await tx.execute(text(f"PRAGMA {name}"))).scalar()
            for name in ("journal_mode", "foreign_keys", "synchronous")
        ]
    await store.close()
    assert found == ["wal", 1, 2]
    with closing(sqlite3.connect(tmp_path / "bridge.sqlite3")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_an_installed_wheel_brings_its_migrations(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    wheel = next(iter(WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])))
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    code = (
        "import asyncio, sys, bridge.store.engine as e; assert e.__file__.startswith(sys.argv[2]), e.__file__; "
        "asyncio.run(e.upgrade(sys.argv[1]))"
    )
    site = str(tmp_path / "site")
    command = [sys.executable, "-c", code, f"sqlite:///{tmp_path}/x.sqlite3", site]
    subprocess.run(command, check=True, timeout=50, cwd=tmp_path, env={**os.environ, "PYTHONPATH": site})
    with closing(sqlite3.connect(tmp_path / "x.sqlite3")) as connection:
        assert connection.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)


async def test_a_version_grows_with_what_is_committed_to_its_tables_alone(store: Store) -> None:
    def versions() -> tuple[int, int]:
        return store.version("people", "roles"), store.version("cursors")

    before = versions()
    async with store.begin() as tx:
        await people.put(tx, "telegram", "2", "Bob", "viewer")
    after = versions()
    assert after[0] > before[0]
    assert after[1] == before[1]

    async def fails() -> None:
        async with store.begin() as tx:
            await people.remove(tx, "telegram", "2")
            raise RuntimeError("rolled back")

    with pytest.raises(RuntimeError, match="rolled back"):
        await fails()
    async with store.read() as tx:
        assert await people.role(tx, "telegram", "2") == "viewer"
    assert versions() == after
