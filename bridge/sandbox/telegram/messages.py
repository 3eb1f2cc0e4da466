"""Bot API methods that send, edit and delete messages."""

from typing import Any

from bridge.sandbox.telegram.errors import bad_request, stricter
from bridge.sandbox.telegram.keyboard import checked_markup, checked_new_markup
from bridge.sandbox.telegram.request import Request
from bridge.sandbox.telegram.state import Chat, File, Json, Message
from bridge.sandbox.telegram.text import checked_text
from bridge.sandbox.telegram.wire import message_json
from bridge.sandbox.telegram.world import World

DELETABLE_SECONDS = 48 * 3600
MAX_PHOTO_BYTES = 10 * 1024 * 1024
NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)


def send_message(world: World, call: Request) -> Json:
    """sendMessage."""
    chat = world.chat_for_bot(call.need("chat_id"))
    text, entities = _text(world, call, "text", "entities")
    return _sent(world, call, chat, text, entities, None)


def send_document(world: World, call: Request) -> Json:
    """sendDocument."""
    return _send_file(world, call, "document")


def send_photo(world: World, call: Request) -> Json:
    """sendPhoto, up to 10 MB."""
    return _send_file(world, call, "photo")


def edit_message_text(world: World, call: Request) -> Json:
    """editMessageText. Without ``reply_markup`` the buttons go, as on Telegram."""
    message = _own_message(world, call)
    text, entities = _text(world, call, "text", "entities", editing=True)
    if message.file is not None:
        raise bad_request("there is no text in the message to edit")
    return _edited(world, call, message, text=text, entities=entities)


def edit_message_caption(world: World, call: Request) -> Json:
    """editMessageCaption."""
    message = _own_message(world, call)
    text, entities = _text(world, call, "caption", "caption_entities", caption=True)
    if message.file is None:
        raise bad_request("there is no caption in the message to edit")
    return _edited(world, call, message, text=text, entities=entities)


def edit_message_reply_markup(world: World, call: Request) -> Json:
    """editMessageReplyMarkup."""
    return _edited(world, call, _own_message(world, call))


def edit_message_media(world: World, call: Request) -> Json:
    """editMessageMedia: another document or photo, with its caption, in a message's place."""
    message = _own_message(world, call)
    media = call.need("media")
    kind = media.get("type")
    if kind not in ("document", "photo"):
        raise bad_request(f'can\'t parse InputMedia: type "{kind}" is unsupported')
    _refuse_parse_mode(world, media)
    text, entities = checked_text(media.get("caption", ""), media.get("caption_entities", []), caption=True)
    source = media.get("media", "")
    upload = call.uploads.get(source.removeprefix("attach://"))
    file = _file(world, kind, source if upload is None else None, upload)
    return _edited(world, call, message, text=text, entities=entities, file=file)


def delete_message(world: World, call: Request) -> bool:
    """deleteMessage, within 48 hours; topic creations stay."""
    chat = world.chat_for_bot(call.need("chat_id"), write=False)
    message = world.message_for_bot(chat, call.need("message_id"), "message to delete")
    if message.service is not None and "forum_topic_created" in message.service:
        raise bad_request("message can't be deleted")
    if world.clock() - message.at > DELETABLE_SECONDS:
        raise bad_request("message can't be deleted for everyone")
    call.approve(None)
    world.remove(message)
    return True


def _text(
    world: World, call: Request, text: str, entities: str, *, caption: bool = False, editing: bool = False
) -> tuple[str, list[Json]]:
    _refuse_parse_mode(world, call.params)
    return checked_text(call.get(text, ""), call.get(entities, []), caption=caption, editing=editing)


def _refuse_parse_mode(world: World, params: Json) -> None:
    if "parse_mode" in params and world.strict_entities_only:
        raise stricter("parse_mode; text goes with entities, never markup")


def _send_file(world: World, call: Request, kind: str) -> Json:
    chat = world.chat_for_bot(call.need("chat_id"))
    text, entities = _text(world, call, "caption", "caption_entities", caption=True)
    source = call.need(kind)
    file = _file(
        world, kind, source if isinstance(source, str) else None, call.uploads.get(kind) or _attached(call, source)
    )
    return _sent(world, call, chat, text, entities, file)


def _attached(call: Request, source: Any) -> Any:
    return call.uploads.get(source.removeprefix("attach://")) if isinstance(source, str) else None


def _file(world: World, kind: str, source: str | None, upload: Any) -> File:
    if upload is None:
        if source not in world.files:
            raise bad_request("wrong file identifier/HTTP URL specified")
        return world.files[source]
    if not upload.data:
        raise bad_request("file must be non-empty")
    if kind == "photo" and len(upload.data) > MAX_PHOTO_BYTES:
        raise bad_request(
            f'file "{upload.name}" of {len(upload.data)} bytes is too big for a photo; '
            f"the maximum size is {MAX_PHOTO_BYTES} bytes"
        )
    return File("", kind, upload.name, upload.mime, upload.data)


def _stored(world: World, file: File | None) -> File | None:
    if file is None or file.id:
        return file
    return world.store_file(file.kind, file.name, file.mime, file.data)


def _reply_target(chat: Chat, call: Request) -> Message | None:
    wanted = call.get("reply_parameters")
    if wanted is None:
        return None
    if "message_id" not in wanted or wanted.get("chat_id", chat.id) != chat.id:
        raise stricter("reply_parameters without message_id, or to another chat")
    replied = chat.message(wanted["message_id"])
    if replied is None and not wanted.get("allow_sending_without_reply", False):
        raise bad_request("message to be replied not found")
    if replied is not None and "quote" in wanted and wanted["quote"] not in replied.text:
        raise bad_request("QUOTE_TEXT_INVALID")
    return replied


def _sent(world: World, call: Request, chat: Chat, text: str, entities: list[Json], file: File | None) -> Json:
    markup = checked_new_markup(call.get("reply_markup"))
    thread = world.thread_for_bot(chat, call.get("message_thread_id"))
    replied = _reply_target(chat, call)
    if thread is None and replied is not None:
        thread = replied.thread
    call.approve(chat.id)
    message = world.post(
        chat,
        world.bot,
        text=text,
        entities=entities,
        reply_markup=markup,
        thread=thread,
        reply_to=replied and replied.id,
        silent=call.get("disable_notification", False),
        preview=not call.get("link_preview_options", {}).get("is_disabled", False),
        file=_stored(world, file),
    )
    return message_json(message)


def _own_message(world: World, call: Request) -> Message:
    chat = world.chat_for_bot(call.need("chat_id"))
    message = world.message_for_bot(chat, call.need("message_id"), "message to edit")
    # "It is currently only possible to edit messages without reply_markup or with inline keyboards."
    forced = "force_reply" in (message.reply_markup or {})
    if message.sender is not world.bot or message.service is not None or forced:
        raise bad_request("message can't be edited")
    return message


def _edited(world: World, call: Request, message: Message, **content: Any) -> Json:
    content["reply_markup"] = checked_markup(call.get("reply_markup"))
    call.approve(message.chat.id)
    if all(getattr(message, name) == value for name, value in content.items()):
        raise bad_request(NOT_MODIFIED)
    if "file" in content:
        content["file"] = _stored(world, content["file"])
    world.change(message, **content)
    return message_json(message)
