"""The command line: `hapi-bridge`.

What it needs is imported late, after signals were provided for: a Ctrl-C in the first second is no error.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

LONG = ("run", "demo", "sandbox")
"""Commands that go on until they are told to stop; being told so before they have begun is no error either."""


def main() -> None:
    """The entry point of ``hapi-bridge``."""
    stops = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup
        stops.append(signal.SIGHUP)
    for stop in stops:
        signal.signal(stop, _leave)
    from bridge.cli.commands import app

    if not _is_long():  # those provide for signals themselves, once there is something to clean up
        for stop in stops:
            signal.signal(stop, signal.default_int_handler if stop == signal.SIGINT else signal.SIG_DFL)
    app()


def _is_long() -> bool:
    return len(sys.argv) > 1 and sys.argv[1] in LONG


def _leave(told: int, _: FrameType | None) -> None:
    """End at once: nothing was begun that would have to be cleaned up."""
    os._exit(0 if _is_long() else 128 + told)
