"""What all tests share: where the real hub is, and which tests are skipped for want of something, with the reason."""

import asyncio
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
from hypothesis import HealthCheck, settings

from bridge.store.engine import upgrade

ROOT = Path(__file__).resolve().parent.parent
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""For stores with thousands of small durable transactions: in memory, where the machine has that. The store's own tests
are on disk."""

# Property tests look at the same few examples in every run, and at many new ones when asked:
# HYPOTHESIS_PROFILE=thorough make test
# Machines that run them are busy: how long an example took says nothing.
settings.register_profile(
    "usual", max_examples=40, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", max_examples=500, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))


def hapi_binary() -> Path | None:
    """The released HAPI binary: ``$HAPI_BIN``, else what ``.ci/run`` fetched into ``.hapi/``."""
    named = os.environ.get("HAPI_BIN")
    candidates = [Path(named)] if named else sorted(ROOT.glob(".hapi/node_modules/@twsxtd/hapi-*/bin/hapi"))
    return next((path for path in candidates if path.is_file()), None)


def claude_binary() -> Path | None:
    """The released Claude Code: ``$CLAUDE_BIN``, else what ``.ci/run`` fetched into ``.hapi/``."""
    named = os.environ.get("CLAUDE_BIN")
    candidates = [Path(named)] if named else sorted(ROOT.glob(".hapi/node_modules/@anthropic-ai/claude-code-*/claude"))
    return next((path for path in candidates if path.is_file()), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Those that wait for clocks first, so that the others fill the waiting.
    items.sort(key=lambda item: not item.nodeid.startswith(("tests/end_to_end", "tests/cli")))
    if hapi_binary() is None:
        skip = pytest.mark.skip(reason="no HAPI hub here: set HAPI_BIN, or let .ci/run fetch it with npm")
        for item in items:
            if "real_hub" in item.keywords:
                item.add_marker(skip)
    if claude_binary() is None:
        skip = pytest.mark.skip(reason="no Claude Code here: set CLAUDE_BIN, or let .ci/run fetch it with npm")
        for item in items:
            if "real_claude" in item.keywords:
                item.add_marker(skip)


def pytest_collection_finish() -> None:
    """Modules, tests and fixtures stay to the end: the garbage collector need not look through them ever again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test speaks TLS, yet every client, here and in a child process, first reads the certificates it would trust.
    One takes less time than all there are."""
    first, end, _ = certifi.contents().partition("-----END CERTIFICATE-----\n")
    path = tmp_path_factory.mktemp("tls") / "one.pem"
    path.write_text(first + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(path))
        patch.setattr("certifi.where", lambda: str(path))
        yield


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store's file, migrated already: who needs just a store copies it, and is spared the migrations."""
    path = tmp_path_factory.mktemp("store") / "bridge.sqlite3"
    asyncio.run(upgrade(f"sqlite:///{path}"))
    return path
