"""One call to a platform: counted against the budget, limited in time, its errors made one family."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Literal, TypeVar

import structlog

from bridge.chat.errors import OutcomeUnknown, Rejected, SurfaceError
from bridge.delivery.budget import Budget
from bridge.delivery.clock import Clock
from bridge.delivery.figures import Figures

log = structlog.get_logger(__name__)
Result = TypeVar("Result")
What = Literal["send", "edit", "delete", "find", "open"]


class Turn:
    """A lane's turn to speak. Its first call was counted when it got the turn; further ones put the budget in debt."""

    def __init__(self, budget: Budget, chat: str, clock: Clock) -> None:
        self._budget = budget
        self._chat = chat
        self._clock = clock
        self.spent = False
        self.began = clock.monotonic()
        budget.take(chat, self.began)

    def spend(self) -> None:
        """Count a call."""
        if self.spent:
            self._budget.take(self._chat, self._clock.monotonic())
        self.spent = True

    def end(self) -> None:
        """Give the turn back if it was not used."""
        if not self.spent:
            self._budget.give_back(self._chat, self._clock.monotonic())


class Calls:
    """Makes calls to one surface."""

    def __init__(self, surface: str, figures: Figures, timeout_s: float) -> None:
        self._surface = surface
        self._figures = figures
        self._timeout_s = timeout_s
        self.succeeded = 0
        """Calls that did."""

    async def make(self, turn: Turn, what: What, call: Awaitable[Result]) -> Result:
        """Await one call. Raises :class:`SurfaceError` only: no answer in time is :class:`OutcomeUnknown`, and what
        the adapter did not foresee counts as :class:`Rejected`, lest one odd post hold up all others for ever.
        """
        turn.spend()
        outcome = "ok"
        try:
            async with asyncio.timeout(self._timeout_s):
                result = await call
            self.succeeded += 1
            return result
        except TimeoutError:
            outcome = OutcomeUnknown.__name__
            raise OutcomeUnknown(f"no answer within {self._timeout_s:g} s") from None
        except SurfaceError as error:
            outcome = type(error).__name__
            raise
        except Exception as error:
            outcome = "error"
            log.exception("courier.unforeseen", surface=self._surface, what=what)
            raise Rejected(f"the bridge's own error {type(error).__name__}") from error
        finally:
            self._figures.called(self._surface, what, outcome)
