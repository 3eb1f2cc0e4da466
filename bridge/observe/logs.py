"""Logs: everything, ours and the libraries', goes through one handler, as text or JSON, without secrets."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from typing import IO, Any

import structlog

from bridge.observe.redaction import Redactor
from bridge.settings import LogSettings


def set_up(settings: LogSettings, secrets: Iterable[str], stream: IO[str] | None = None) -> None:
    """Configure logging for the whole process; called once, by the command that runs.

    Our own loggers follow ``settings.level``; libraries speak from ``warning`` on, since httpx and python-telegram-bot
    log addresses with tokens, and the database drivers log values. What is written passes a `Redactor` as finished
    text, so tracebacks and library messages are covered. ``stream``: standard error unless given.
    """
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.UnicodeDecoder(),
    ]
    output = stream or sys.stderr
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = _Handler(output)
    handler.setFormatter(_Formatter(Redactor(secrets), _rendering(settings.format, output), shared))
    root = logging.getLogger()
    for old in [each for each in root.handlers if isinstance(each, _Handler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("bridge").setLevel(settings.level.upper())
    logging.captureWarnings(True)


def _rendering(form: str, output: IO[str]) -> list[structlog.typing.Processor]:
    if form == "json":
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(default=str)]
    # Tracebacks stay plain: the fancy ones print local variables.
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=output.isatty(), exception_formatter=plain, pad_event_to=0)]


class _Handler(logging.StreamHandler[IO[str]]):
    """Ours, so that setting up again replaces it and leaves those of others alone."""


class _Formatter(structlog.stdlib.ProcessorFormatter):
    """Redacts the finished line, and writes what no terminal can encode as escapes."""

    def __init__(
        self,
        redactor: Redactor,
        rendering: list[structlog.typing.Processor],
        shared: list[structlog.typing.Processor],
    ) -> None:
        steps: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering]
        super().__init__(processors=steps, foreign_pre_chain=shared)
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        """The line as it is written."""
        return self._redactor(super().format(record)).encode("utf-8", "backslashreplace").decode()
