"""What all tests share: where the real hub is, and which tests are skipped for want of something, with the reason."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

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
