"""What a Telegram message holds besides text: files that can be passed on, and what can't be, in words."""

from __future__ import annotations

import re
from typing import Final

from bridge.cards.words import size
from bridge.chat.file_names import file_name, media_type
from bridge.chat.intents import SentFile
from bridge.chat.telegram.reading import Json, child, children, count, string
from bridge.language import N_, tr

MOST_DOWNLOAD: Final = 20 * 2**20
"""Bytes of a file that the Bot API gives to a bot ("20 MB", getFile)."""

_FILES: Final = {
    "animation": ("animation", "mp4", "video/mp4"),  # comes with a document too
    "document": ("file", "bin", ""),
    "video": ("video", "mp4", "video/mp4"),
    "video_note": ("video-message", "mp4", "video/mp4"),
    "audio": ("audio", "mp3", "audio/mpeg"),
    "voice": ("voice", "ogg", "audio/ogg"),
}
"""Kinds of messages with one file: what it is called, with which ending, and its kind, where Telegram tells none."""

_OTHER: Final = {
    "photo": N_("a photo"),  # here only if it has no file to fetch, as those below
    **dict.fromkeys(_FILES, N_("a file")),
    "sticker": N_("a sticker"),
    "story": N_("a story"),
    "contact": N_("a contact"),
    "venue": N_("a venue"),  # comes with a location too
    "location": N_("a location"),
    "poll": N_("a poll"),
    "checklist": N_("a checklist"),
    "dice": N_("a dice"),
    "game": N_("a game"),
    "invoice": N_("an invoice"),
    "paid_media": N_("paid media"),
    "giveaway": N_("a giveaway"),
    "rich_message": N_("a rich message"),
}
_SERVICE: Final = re.compile(
    r"(new|left)_chat_\w+|delete_chat_photo|(group|supergroup|channel)_chat_created|message_auto_delete_timer_changed"
    r"|migrate_(to|from)_chat_id|pinned_message|(general_)?forum_topic_\w+|video_chat_\w+|voice_chat_\w+|\w+_shared"
    r"|(successful|refunded)_payment|connected_website|write_access_allowed|passport_data|proximity_alert_triggered"
    r"|boost_added|chat_background_set|giveaway_\w+|web_app_data|(unique_)?gift\w*|\w+_price_changed|suggested_post_\w+"
    r"|checklist_tasks_\w+|chat_owner_\w+|managed_bot_\w+|poll_option_\w+"
)
"""Fields of messages that nobody wrote."""


def files_of(message: Json, number: str) -> tuple[SentFile, ...]:
    """The file of a message, if it has one; of a photo the largest size. ``number``: the message's id, which tells
    files apart that have no name."""
    sizes = [one for one in children(message, "photo") if string(one, "file_id")]
    if sizes:
        largest = max(sizes, key=lambda one: (count(one, "width") * count(one, "height"), count(one, "file_size")))
        return (_file(largest, f"photo-{number}.jpg", "image/jpeg"),)
    for field, (word, ending, kind) in _FILES.items():
        found = child(message, field)
        if string(found, "file_id"):
            return (_file(found, f"{word}-{number}.{ending}", kind),)
    sticker = child(message, "sticker")
    if string(sticker, "file_id"):
        animated, video = sticker.get("is_animated") is True, sticker.get("is_video") is True
        # An animated one is a gzipped Lottie document, which has no kind of its own.
        ending, kind = ("tgs", "application/gzip") if animated else ("webm", "video/webm") if video else ("webp", "")
        return (_file(sticker, f"sticker-{number}.{ending}", kind or "image/webp"),)
    return ()


def other_content(message: Json) -> str | None:
    """What a message without text and file is, in words (empty if there are none for it); ``None`` if nobody wrote
    it."""
    known = next((words for field, words in _OTHER.items() if field in message), None)
    if known is None:
        return None if any(_SERVICE.fullmatch(field) for field in message) else ""
    if caption := string(message, "caption"):
        # Said back word for word: what the person wrote under it must not be lost with it.
        return tr("{what} with the words “{text}”", what=tr(known), text=caption)
    return tr(known)


def _file(found: Json, otherwise: str, kind: str) -> SentFile:
    name = file_name(string(found, "file_name"), otherwise)
    told, bytes_ = media_type(string(found, "mime_type") or kind, name), count(found, "file_size")
    return SentFile(string(found, "file_id"), name, told, bytes_ or None, unfit=too_big(bytes_))


def too_big(bytes_: int) -> str:
    """Why a file of so many bytes can't be had; empty if it can."""
    if bytes_ <= MOST_DOWNLOAD:
        return ""
    return tr("it has {has}, and Telegram gives a bot at most 20 MB", has=size(bytes_))
