"""Invariant 7: secrets appear in no log, whoever writes it and however it is spelled."""

import io
import json
import logging
from collections.abc import Iterator

import httpx
import pytest
import structlog

from bridge.observe import logs
from bridge.observe.redaction import HIDDEN, Redactor
from bridge.settings import LogSettings

TOKEN = '7421:AAE-x"y/ü&z'


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Logging is the process's; leave it as it was."""
    root, ours = logging.getLogger(), logging.getLogger("bridge")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    logging.captureWarnings(False)
    structlog.reset_defaults()


@pytest.mark.parametrize(
    "text",
    [
        f"token is {TOKEN} here",
        f"https://api.telegram.org/bot{TOKEN}/getMe",
        "https://hub/?token=7421%3AAAE-x%22y%2F%C3%BC%26z",
        json.dumps({"token": TOKEN}),
        json.dumps({"token": TOKEN}, ensure_ascii=False),
        repr([TOKEN]),
    ],
)
def test_a_configured_secret_is_hidden_in_every_spelling(text: str) -> None:
    redacted = Redactor([TOKEN])(text)
    assert HIDDEN in redacted
    assert "AAE-x" not in redacted


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("POST https://api.telegram.org/bot123456:ABC-def/getMe", "POST https://api.telegram.org/bot[hidden]/getMe"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer [hidden]"),
        ("got eyJhbGciOi.eyJ1aWQi.sig-1_2 back", "got [hidden] back"),
        ("xoxb-12-ab and xapp-1-A2", "[hidden] and [hidden]"),
        ("postgresql://bridge:secret@db/name", "postgresql://[hidden]@db/name"),
    ],
)
def test_what_looks_like_a_token_is_hidden_even_where_it_is_not_ours(text: str, left: str) -> None:
    assert Redactor()(text) == left


@pytest.mark.parametrize("text", ["at 12:30 in http://127.0.0.1:3006/api", "robot 5", "a1b2:c3", "user@host:22"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert Redactor(["longer-secret", "x"])(text) == text


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_log_line_holds_a_secret(form: str) -> None:
    """Own events, bound values, tracebacks, and the standard library's loggers."""
    out = io.StringIO()
    logs.set_up(LogSettings.model_validate({"format": form, "level": "debug"}), [TOKEN], out)
    log = structlog.get_logger("bridge.test").bind(bound=TOKEN)
    log.info("said", url=f"https://x/bot{TOKEN}/y", nested={"deep": [TOKEN]})
    try:
        raise ValueError(f"failed with {TOKEN}")
    except ValueError:
        log.exception("broken")
        logging.getLogger("telegram.ext").exception("broken %s", TOKEN)
    logging.getLogger("bridge.other").warning("plain %s", TOKEN)
    written = out.getvalue()
    assert written.count("broken") == 2
    assert "AAE-x" not in written
    assert "ValueError" in written


def test_json_lines_are_json_with_the_usual_keys() -> None:
    out = io.StringIO()
    logs.set_up(LogSettings(format="json"), [], out)
    structlog.get_logger("bridge.test").warning("odd thing", count=3, text="\ud800")
    line = json.loads(out.getvalue())
    assert (line["event"], line["level"], line["logger"], line["count"]) == ("odd thing", "warning", "bridge.test", 3)
    assert line["timestamp"].endswith("Z")


def test_levels_hold_for_ours_and_libraries_speak_from_warning_on() -> None:
    out = io.StringIO()
    logs.set_up(LogSettings(level="info"), [], out)
    structlog.get_logger("bridge.test").debug("too quiet")
    structlog.get_logger("bridge.test").info("loud enough")
    with httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200))) as client:
        client.get("https://api.telegram.org/bot1:2/getMe")
    logging.getLogger("aiosqlite").debug("values")
    assert "loud enough" in out.getvalue()
    assert "too quiet" not in out.getvalue()
    assert "getMe" not in out.getvalue()
    assert "values" not in out.getvalue()


def test_setting_up_twice_writes_each_line_once() -> None:
    out = io.StringIO()
    for _ in range(2):
        logs.set_up(LogSettings(), [], out)
    structlog.get_logger("bridge.test").warning("once")
    assert out.getvalue().count("once") == 1
