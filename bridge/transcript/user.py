"""What users say: the `user` role's payloads."""

from __future__ import annotations

from typing import Any

from bridge.transcript.blocks import Attachment, Origin
from bridge.transcript.parts import Entry
from bridge.transcript.values import number, record, stringify

_ATTACHMENT_TEXTS = ("id", "filename", "mimeType", "path")


def decode_user(payload: Any, origin: Origin) -> Entry:
    """A user's message; what is not recognised is shown as it came, never dropped."""
    if isinstance(payload, str):
        return Entry(origin, "user", text=payload)
    fields = record(payload)
    if fields is not None and fields.get("type") == "text" and isinstance(fields.get("text"), str):
        attachments = decode_attachments(fields.get("attachments"))
        return Entry(origin, "user", text=fields["text"], attachments=attachments)
    return Entry(origin, "user", text=stringify(payload))


def decode_attachments(value: Any) -> tuple[Attachment, ...]:
    """The valid attachments of a list: four texts and a size; the others are skipped."""
    if not isinstance(value, list):
        return ()
    found = []
    for each in value:
        fields = record(each)
        if fields is None or number(fields.get("size")) is None:
            continue
        if not all(isinstance(fields.get(key), str) for key in _ATTACHMENT_TEXTS):
            continue
        preview = fields.get("previewUrl")
        found.append(
            Attachment(
                id=fields["id"],
                filename=fields["filename"],
                mime_type=fields["mimeType"],
                size=fields["size"],
                path=fields["path"],
                preview_url=preview if isinstance(preview, str) else None,
            )
        )
    return tuple(found)
