"""Which pages to ask for, and when to stop: the loops of tail sync and of older pages, without any I/O.

Each loop is a generator: it yields a ``PageRequest``, is sent the ``Page``, and returns its outcome; a failed request
is thrown into it. ``sync`` drives it with REST, the golden documents with recorded pages.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal

from bridge.hub.errors import CursorStuck
from bridge.hub.window import MessageWindow
from bridge.hub.wire import Page, PageRequest
from bridge.language import N_

PAGE_SIZE = 200


@dataclass(frozen=True, slots=True)
class Older:
    """What asking for an older page led to. ``added`` counts visible rows."""

    kind: Literal["applied", "stopped"]
    added: int = 0
    has_more: bool = False
    reason: Literal["", "epoch-reset", "exhausted"] = ""


def tail_sync(window: MessageWindow) -> Generator[PageRequest, Page, bool]:
    """Bring the window up to the hub's newest message. Returns ``True`` if the window was replaced by a latest page.

    The target is the first answer's snapshot head, so that the loop ends however fast messages come. Raises
    ``CursorStuck`` if a page says there is more and does not move on.
    """
    after, until = window.newest, None
    while not window.needs_latest and after is not None and window.epoch is not None:
        held = window.ids()
        page = yield PageRequest(PAGE_SIZE, after=after, until=until, epoch=window.epoch)
        if page.reset or page.direction == "latest":
            window.take_latest(page, held)
            if not window.needs_latest:
                return True
            break  # invalidated while we asked: once more
        window.take_after(page)
        if not page.has_more:
            if not window.needs_latest:
                return False
            break
        if page.next_after is None or page.next_after <= after:
            raise CursorStuck(N_("The hub's message pages do not move on."))
        after, until = page.next_after, until or page.snapshot_head
    yield from _latest(window, replace=window.needs_latest)
    return True


def fetch_older(window: MessageWindow) -> Generator[PageRequest, Page, Older]:
    """Add the page before the oldest row. A changed epoch makes every cursor worthless: the window starts anew."""
    if window.older is None or not window.has_more:
        return Older("stopped", reason="exhausted")
    page = yield PageRequest(PAGE_SIZE, before=window.older)
    if page.epoch not in (None, window.epoch) or page.reset or page.direction == "latest":
        yield from _latest(window, replace=True)
        return Older("stopped", reason="epoch-reset")
    if page.has_more and (page.next_before is None or page.next_before >= window.older):
        raise CursorStuck(N_("The hub's message pages do not move on."))
    return Older("applied", window.take_before(page), window.has_more)


def _latest(window: MessageWindow, *, replace: bool) -> Generator[PageRequest, Page, None]:
    while True:
        held = window.ids() if replace else frozenset()
        window.needs_latest = False  # one that comes while we ask counts again
        try:
            page = yield PageRequest(PAGE_SIZE)
        except BaseException:
            window.needs_latest |= replace
            raise
        window.take_latest(page, held)
        if not window.needs_latest:
            return
        replace = True
