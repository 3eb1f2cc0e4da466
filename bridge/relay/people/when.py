"""When a planned message shall go: ``18:30``, ``2026-12-01 09:00``, ``2h``, ``1h30m``. Nothing is guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from babel.dates import format_skeleton

from bridge.language import locale, tr

FARTHEST: Final = timedelta(days=7)
"""The hub plans no further ahead."""
_CLOCK: Final = re.compile(r"(?:(\d{4}-\d{2}-\d{2})[ T])?(\d{1,2}):(\d{2})(?=\s|$)")
_HALF: Final = re.compile(r"\s+[ap]\.?m\b", re.IGNORECASE)
"""After an hour up to 12 it may say which half of the day is meant, or begin the message."""
_SPAN: Final = re.compile(r"(?:(\d{1,3})d)?(?:(\d{1,3})h)?(?:(\d{1,4})m(?:in)?)?(?=\s|$)")


class NotUnderstood(Exception):
    """The words hold no time the bridge would stake a message on; ``str()`` says what it takes."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A moment, and the text that goes then."""

    at_ms: int
    text: str


def planned_at(words: str, now_ms: int, zone: ZoneInfo) -> Planned:
    """``18:30 text`` (today, or tomorrow if that is past) or ``2026-12-01 18:30 text``, in a person's time zone.

    Raises :class:`NotUnderstood`: for other forms, a past or too distant moment, and one that a change of the clocks
    skips or has twice.
    """
    found = _CLOCK.match(words)
    halved = found is not None and int(found[2]) <= 12 and _HALF.match(words, found.end())
    if found is None or int(found[2]) > 23 or int(found[3]) > 59 or halved:
        raise NotUnderstood(tr("Write 18:30 or 2026-12-01 18:30, then the message: /at 18:30 Run the tests"))
    now = datetime.fromtimestamp(now_ms / 1000, zone)
    try:
        day = datetime.fromisoformat(found[1]).date() if found[1] else now.date()
    except ValueError:
        raise NotUnderstood(tr("There is no such day as {day}.", day=found[1])) from None
    moment = _on(day.isoformat(), found, zone)
    if found[1] is None and moment <= now:
        moment = _on((day + timedelta(days=1)).isoformat(), found, zone)
    return _checked(moment, words[found.end() :], now)


def planned_in(words: str, now_ms: int, zone: ZoneInfo) -> Planned:
    """``2h text``, ``30m text``, ``1h30m text``, ``2d text``. Raises :class:`NotUnderstood`."""
    found = _SPAN.match(words)
    if found is None or not any(found.groups()):
        raise NotUnderstood(tr("Write how long as 30m, 2h, 1h30m or 2d, then the message: /in 2h Run the tests"))
    days, hours, minutes = (int(each or 0) for each in found.groups())
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    return _checked(now + timedelta(days=days, hours=hours, minutes=minutes), words[found.end() :], now)


def said_moment(at_ms: int, zone: ZoneInfo, locale: str) -> str:
    """A moment within the next days for a reader: ``Mon, Nov 30, 18:30``. ``locale`` as Babel names it (``zh_CN``)."""
    moment = datetime.fromtimestamp(at_ms / 1000, zone)
    return f"{format_skeleton('MMMEd', moment, locale=locale)}, {moment:%H:%M}"


def said_when(at_ms: int, now_ms: int, zone: ZoneInfo) -> str:
    """A moment of the past for a reader, in the language spoken: ``14:03``, of another day with its date."""
    then, now = (datetime.fromtimestamp(ms / 1000, zone) for ms in (at_ms, now_ms))
    return f"{then:%H:%M}" if then.date() == now.date() else said_moment(at_ms, zone, locale())


def _on(day: str, found: re.Match[str], zone: ZoneInfo) -> datetime:
    naive = datetime.fromisoformat(day).replace(hour=int(found[2]), minute=int(found[3]))
    first, second = (naive.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() != second.utcoffset():
        # PEP 495: the two folds differ only in a gap and in an hour that comes twice.
        raise NotUnderstood(tr("The clocks change at that hour: it is skipped or comes twice. Take another one."))
    return first


def _checked(moment: datetime, rest: str, now: datetime) -> Planned:
    text = rest.strip()
    if not text:
        raise NotUnderstood(tr("Write the message after the time: /at 18:30 Run the tests"))
    if moment <= now:
        raise NotUnderstood(tr("That is in the past."))
    if moment.astimezone(UTC) - now.astimezone(UTC) > FARTHEST:  # of one zone, Python would count what clocks show
        raise NotUnderstood(tr("HAPI plans at most 7 days ahead."))
    return Planned(int(moment.timestamp() * 1000), text)
