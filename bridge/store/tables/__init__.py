"""The tables. Times are epoch milliseconds given by the caller; the store has no clock of its own.

Whoever imports one has them all in ``metadata``.
"""

from bridge.store.tables.columns import metadata
from bridge.store.tables.people import audit, decisions, inbox, pairing_tries, pairings, people, roles, says, starts
from bridge.store.tables.shown import (
    aliases,
    bindings,
    buttons,
    conversations,
    cursors,
    deliveries,
    follows,
    learnt,
    parts,
    pictures,
    posts,
)

__all__ = [
    "aliases",
    "audit",
    "bindings",
    "buttons",
    "conversations",
    "cursors",
    "decisions",
    "deliveries",
    "follows",
    "inbox",
    "learnt",
    "metadata",
    "pairing_tries",
    "pairings",
    "parts",
    "people",
    "pictures",
    "posts",
    "roles",
    "says",
    "starts",
]
