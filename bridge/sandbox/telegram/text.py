"""Texts with entities: what Telegram refuses, and what it makes of the rest (cleaning and trimming).

Offsets and lengths are UTF-16 units throughout, as in the Bot API.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from bridge.sandbox.telegram.errors import bad_request, stricter
from bridge.sandbox.telegram.state import Json

MAX_TEXT = 4096
MAX_CAPTION = 1024
MAX_ENTITIES = 100


def words(listed: str) -> frozenset[str]:
    """The words of a line, as a set."""
    return frozenset(listed.split())


BARE = words(
    "mention hashtag cashtag bot_command url email phone_number bold italic underline strikethrough spoiler "
    "blockquote expandable_blockquote code"
)
PLAIN = frozenset({"type", "offset", "length"})
# Per type: the fields it must have, and those it may have.
FIELDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    **dict.fromkeys(BARE, (frozenset(), frozenset())),
    "pre": (frozenset(), frozenset({"language"})),
    "text_link": (frozenset({"url"}), frozenset()),
    "text_mention": (frozenset({"user"}), frozenset()),
    "custom_emoji": (frozenset({"custom_emoji_id"}), frozenset()),
    "date_time": (frozenset({"unix_time"}), frozenset({"date_time_format"})),
}
QUOTES = frozenset({"blockquote", "expandable_blockquote"})
MONOSPACE = frozenset({"code", "pre"})
STYLES = frozenset({"bold", "italic", "underline", "strikethrough", "spoiler"})
DATE_TIME_FORMAT = re.compile(r"r|w?[dD]?[tT]?")
# Telegram drops these: line separators, bidi embeddings and overrides, and three combining bars.
DROPPED = frozenset("\r\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u030a\u0333\u033f")


def utf16_length(text: str) -> int:
    """Length in UTF-16 units. A lone surrogate counts as one."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def checked_text(
    text: str, entities: list[Json], *, caption: bool = False, editing: bool = False
) -> tuple[str, list[Json]]:
    """The text and entities as Telegram keeps them.

    Raises BotApiError for all that Telegram refuses, and for what it would drop in silence.
    """
    if any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise bad_request("strings must be encoded in UTF-8")
    if not text and not caption:
        raise bad_request("message text is empty")
    if len(entities) > MAX_ENTITIES:
        raise stricter(f"{len(entities)} entities; Telegram drops those beyond {MAX_ENTITIES} in silence")
    for entity in entities:
        _check_fields(entity)
    entities = sorted(entities, key=lambda e: (e["offset"], -e["length"], _depth(e["type"])))
    _check_bounds(text, entities)
    _check_nesting(entities)
    cleaned, kept = _cleaned(text, entities)
    if not cleaned and not caption:
        raise bad_request("text must be non-empty")
    if utf16_length(cleaned) > (MAX_CAPTION if caption else MAX_TEXT):
        long_text = "MESSAGE_TOO_LONG" if editing else "message is too long"
        raise bad_request("message caption is too long" if caption else long_text)
    return cleaned, kept


def check_url(url: Any, what: str) -> None:
    """Refuses what Telegram takes for no URL: another scheme than http, https, tg or ton, or a host without a dot."""
    wrong = f"{what} URL '{url}' is invalid: "
    if not isinstance(url, str) or not url or re.search(r"[\s\x00-\x1f]", url):
        raise bad_request(wrong + "Wrong HTTP URL")
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme.lower() not in ("http", "https", "tg", "ton", "tonsite"):
        raise bad_request(wrong + "Unsupported URL protocol")
    host = parts.hostname or ""
    if parts.scheme.lower() in ("http", "https") and "." not in host.strip(".") and ":" not in host:
        raise bad_request(wrong + "Wrong HTTP URL")


def _check_fields(entity: Any) -> None:
    if not isinstance(entity, dict):
        raise bad_request("can't parse MessageEntity: MessageEntity must be an Object")
    kind = entity.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise bad_request("can't parse MessageEntity: Unsupported type specified")
    for name in ("offset", "length"):
        if name not in entity:
            raise bad_request(f"can't parse MessageEntity: Can't find field \"{name}\"")
        if type(entity[name]) is not int:
            raise bad_request(f'can\'t parse MessageEntity: Field "{name}" must be of type Number')
    if entity["offset"] < 0 or entity["length"] <= 0:
        raise stricter(f"entity {kind} with offset {entity['offset']} and length {entity['length']}")
    needed, allowed = FIELDS[kind]
    given = entity.keys() - PLAIN
    if missing := needed - given:
        raise bad_request(f"can't parse MessageEntity: Can't find field \"{min(missing)}\"")
    if surplus := given - needed - allowed:
        raise stricter(f"entity {kind} with field {min(surplus)}")
    if kind == "text_link":
        check_url(entity["url"], "entity")
    if kind == "pre" and not isinstance(entity.get("language", ""), str):
        raise bad_request('can\'t parse MessageEntity: Field "language" must be of type String')
    if kind == "date_time":
        _check_date_time(entity)


def _check_date_time(entity: Json) -> None:
    if type(entity["unix_time"]) is not int or entity["unix_time"] <= 0:
        raise bad_request('can\'t parse MessageEntity: Field "unix_time" must be of type Number')
    form = entity.get("date_time_format", "")
    if not isinstance(form, str) or not DATE_TIME_FORMAT.fullmatch(form):
        raise bad_request("can't parse MessageEntity: Invalid date-time format specified")


def _check_bounds(text: str, entities: list[Json]) -> None:
    total = utf16_length(text)
    inside = _inside_surrogate_pairs(text)
    for entity in entities:
        start, end = entity["offset"], entity["offset"] + entity["length"]
        if start >= total:
            raise bad_request(f"entity begins after the end of the text at UTF-16 offset {start}")
        if end > total:
            raise bad_request(
                f"entity beginning at UTF-16 offset {start} ends after the end of the text at UTF-16 offset {end}"
            )
        if start in inside:
            raise bad_request(f"entity begins in a middle of a UTF-16 symbol at UTF-16 offset {start}")
        if end in inside:
            raise bad_request(
                f"entity beginning at UTF-16 offset {start} ends in a middle of a UTF-16 symbol at UTF-16 offset {end}"
            )


def _depth(kind: str) -> int:
    """Which of two entities over the same text is the outer one."""
    return 0 if kind in QUOTES else 2 if kind in MONOSPACE else 1


def _check_nesting(entities: list[Json]) -> None:
    """Entities nest or stand apart, and only some may nest (Bot API, "Formatting options")."""
    around: list[Json] = []
    for entity in entities:
        start, end = entity["offset"], entity["offset"] + entity["length"]
        while around and around[-1]["offset"] + around[-1]["length"] <= start:
            around.pop()
        for outer in around:
            if end > outer["offset"] + outer["length"]:
                raise bad_request(
                    f"entity beginning at UTF-16 offset {start} ends after the end of the text at UTF-16 offset {end}"
                )
            _check_pair(outer["type"], entity["type"], start)
        around.append(entity)


def _check_pair(outer: str, inner: str, at: int) -> None:
    """Styles stand in anything but code, quotes take in anything but quotes, all others keep apart."""
    if outer in QUOTES:
        allowed = inner not in QUOTES
    elif outer in MONOSPACE or inner in MONOSPACE:
        allowed = False
    else:
        allowed = outer in STYLES or inner in STYLES
    if not allowed:
        raise stricter(f"{inner} inside {outer} at UTF-16 offset {at}; Telegram drops one of them in silence")


def _inside_surrogate_pairs(text: str) -> set[int]:
    inside, at = set(), 0
    for char in text:
        if ord(char) > 0xFFFF:
            inside.add(at + 1)
            at += 1
        at += 1
    return inside


def _cleaned(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    """Without what Telegram drops, control characters as spaces, trimmed; the entities moved along."""
    new_at, kept, at = [], [], 0
    for char in text:
        units = 2 if ord(char) > 0xFFFF else 1
        new_at += [at] * units
        if char in DROPPED:
            continue
        kept.append(" " if char < " " and char not in "\n\t" else char)
        at += units
    new_at.append(at)
    cleaned = "".join(kept)
    moved = [(new_at[e["offset"]], new_at[e["offset"] + e["length"]], e) for e in entities]
    end = utf16_length(cleaned.rstrip(" \n"))
    lead = len(cleaned) - len(cleaned.lstrip(" \n"))
    first = min((start for start, _, _ in moved), default=lead)
    begin = min(lead, first) if end else 0
    trimmed = cleaned.rstrip(" \n")[begin:]
    spans = [(start - begin, min(stop, end) - begin, e) for start, stop, e in moved]
    return trimmed, [e | {"offset": start, "length": stop - start} for start, stop, e in spans if stop > start]
