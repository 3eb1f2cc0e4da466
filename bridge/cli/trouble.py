"""Errors that are the user's to mend: one line each on standard error, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from bridge.chat.errors import LoginRefused
from bridge.hub.errors import AccessTokenRejected, HubTooNew, NotAHub
from bridge.observe.http import HttpUnusable
from bridge.settings import (
    DEFAULT_FILE,
    FALLBACKS,
    VARIABLES,
    ConfigurationError,
    Settings,
    config_file,
    load,
)
from bridge.store.errors import StoreUnusable

UNUSABLE = 2
"""Exit code for input or configuration that can't be used."""

_USERS = (
    ConfigurationError,
    StoreUnusable,
    HttpUnusable,
    AccessTokenRejected,
    HubTooNew,
    NotAHub,
    LoginRefused,
)


def configuration(config: Path | None) -> Settings:
    """The settings, from the file and the process's environment. Raises `ConfigurationError`."""
    return load(config, os.environ)


def advice(config: Path | None) -> list[str]:
    """What helps who has configured nothing at all; empty for everybody else."""
    given = any(os.environ.get(name, "").strip() for name in (*VARIABLES, *FALLBACKS))
    if given or config_file(config, os.environ) is not None:
        return []
    return [f"Nothing is configured yet: `hapi-bridge init` asks for these and writes {DEFAULT_FILE}."]


def lines(error: BaseException) -> list[str]:
    """What the user has to mend, a line each; empty if nothing in ``error`` (perhaps a group) is theirs."""
    found = (str(leaf).splitlines() for leaf in _leaves(error) if isinstance(leaf, _USERS))
    return list(dict.fromkeys(line for each in found for line in each))


def tell(words: Iterable[str]) -> None:
    """Write lines to standard error, whatever they hold."""
    for line in words:
        print(line.encode("utf-8", "backslashreplace").decode(), file=sys.stderr)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error
