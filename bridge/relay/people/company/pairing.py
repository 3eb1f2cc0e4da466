"""Pairing: the owner makes a code, the other person says it to the bot in private, and has a role from then on.

A code is used once, holds for a quarter of an hour or what is configured, and is void after :data:`MOST_MISSES` wrong
tries at it. Wrong tries are counted by person and in all, so that nobody finds one by trying. Only a hash is kept.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Final, Literal

from bridge.store import pairing
from bridge.store.engine import Tx
from bridge.store.records import Pairing

ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Without what looks like something else."""
ID_LETTERS: Final = 4
SECRET_LETTERS: Final = 8
MOST_MISSES: Final = 3
"""Wrong tries at one code; then it is void."""
WINDOW_MS: Final = 3_600_000
MOST_OF_ONE: Final = 5
"""Wrong tries of one person within an hour."""
MOST_OF_ALL: Final = 30
"""Wrong tries of everybody on a surface within an hour."""

Verdict = Literal["wrong", "too_often", "silent"]


@dataclass(frozen=True, slots=True)
class Code:
    """A code as it is shown, once."""

    id: str
    secret: str

    @property
    def shown(self) -> str:
        half = SECRET_LETTERS // 2
        return f"{self.id}-{self.secret[:half]}-{self.secret[half:]}"


async def make(
    tx: Tx, surface: str, role: str, conversation_id: int | None, note_key: str, now_ms: int, life_ms: int
) -> Code:
    """A new code that gives a role, in one conversation or everywhere."""
    while True:
        code = Code(_letters(ID_LETTERS), _letters(SECRET_LETTERS))
        salt = secrets.token_hex(16)
        digest = _digest(salt, code.secret)
        row = Pairing(code.id, surface, salt, digest, role, conversation_id, note_key, now_ms + life_ms)
        if await pairing.add(tx, row):
            return code


async def use(tx: Tx, surface: str, platform_id: str, typed: str, now_ms: int) -> Pairing | Verdict:
    """Somebody said a code. The pairing, which is used up by that; or why not: ``wrong``, ``too_often`` for what is
    not even looked at, and ``silent`` where that was said before."""
    since = now_ms - WINDOW_MS
    mine = await pairing.tries(tx, surface, since, platform_id)
    if mine > MOST_OF_ONE:
        return "silent"
    if mine == MOST_OF_ONE or await pairing.tries(tx, surface, since) >= MOST_OF_ALL:
        await pairing.tried(tx, surface, platform_id, now_ms)
        return "too_often"
    id, secret = _parts(typed)
    found = await pairing.get(tx, id)
    # Compared also where there is nothing to compare with: how long it takes tells nothing.
    right = hmac.compare_digest(
        _digest(found.salt if found else "", secret), found.digest if found else _digest("", "?")
    )
    if found is None or not right or found.surface != surface or found.expires_ms < now_ms:
        await pairing.tried(tx, surface, platform_id, now_ms)
        if found is not None:
            await pairing.missed(tx, id)
            if found.tries + 1 >= MOST_MISSES:
                await pairing.forget(tx, id)
        return "wrong"
    await pairing.forget(tx, id)
    return found


async def void(tx: Tx, typed: str) -> bool:
    """A code was said where others could read it: it is good no more. Whether there was such a code."""
    id, _ = _parts(typed)
    found = await pairing.get(tx, id)
    await pairing.forget(tx, id)
    return found is not None


def _letters(count: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(count))


def _parts(typed: str) -> tuple[str, str]:
    letters = "".join(letter for letter in typed.upper() if letter in ALPHABET)
    return letters[:ID_LETTERS], letters[ID_LETTERS:]


def _digest(salt: str, secret: str) -> str:
    return hashlib.sha256(f"{salt}/{secret}".encode()).hexdigest()
