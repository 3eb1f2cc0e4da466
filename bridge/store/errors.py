"""Why the store can't be opened. Apart from what opens it, so that who tells of it need not load a database."""

from __future__ import annotations


class StoreUnusable(Exception):
    """The store can't be opened. The words are for people and hold no secret (invariant 7)."""


class StoreUnreachable(StoreUnusable):
    """The database gave no answer, or is starting up: another try later makes sense."""
