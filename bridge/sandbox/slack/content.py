"""What the Web API lets a message say: text, blocks, attachments, metadata; and the views."""

from typing import Any

from bridge.sandbox.slack.blocks import block_problems, check_message_blocks
from bridge.sandbox.slack.errors import SlackError, invalid_arguments, stricter
from bridge.sandbox.slack.request import Request
from bridge.sandbox.slack.schema import BlockSchema
from bridge.sandbox.slack.state import Json
from bridge.sandbox.slack.walk import placed_elements
from bridge.sandbox.slack.world import World

MAX_TEXT = 40_000
MAX_MARKDOWN_TEXT = 12_000
MAX_ATTACHMENTS = 100
MAX_METADATA_BYTES = 15_360
MAX_PRIVATE_METADATA = 3000
ATTACHMENT = frozenset(
    {"blocks", "color", "fallback", "pretext", "author_name", "author_link", "author_icon", "title", "title_link"}
    | {"text", "fields", "image_url", "thumb_url", "footer", "footer_icon", "ts", "mrkdwn_in", "id", "preview"}
)
VIEW = frozenset(
    {"type", "title", "blocks", "submit", "close", "callback_id", "private_metadata", "clear_on_close"}
    | {"notify_on_close", "external_id", "submit_disabled"}
)


class Content:
    """Checks, and what is kept of what passed them: ids are given to blocks and elements without one."""

    def __init__(self, world: World, schema: BlockSchema | None) -> None:
        self._world = world
        self._schema = schema

    def message(self, call: Request, *, editing: bool = False) -> Json:
        """``text``, ``blocks``, ``attachments``, ``metadata`` of a post; only the given ones when ``editing``.

        Raises SlackError in Slack's order: the formats, then the lengths, then the blocks.
        """
        blocks = call.objects("blocks", "invalid_blocks_format")
        attachments = call.objects("attachments", "invalid_attachments")
        text, markdown = call.get("text", ""), call.get("markdown_text", "")
        if markdown and (text or blocks):
            raise SlackError("markdown_text_conflict")
        if len(markdown) > MAX_MARKDOWN_TEXT or len(text) > MAX_TEXT:
            raise SlackError("msg_too_long")
        if len(attachments) > MAX_ATTACHMENTS:
            raise SlackError("too_many_attachments")
        if not (text.strip() or markdown.strip() or blocks or attachments):
            raise SlackError("no_text")
        if markdown:
            blocks = [{"type": "markdown", "text": markdown}]
        self.check(blocks, attachments)
        content: Json = {}
        if "text" in call.params or markdown or not editing:
            content["text"] = text or markdown
        if "blocks" in call.params or markdown or not editing:
            content["blocks"] = self.named(blocks)
        if "attachments" in call.params or not editing:
            content["attachments"] = [self._attachment(index, one) for index, one in enumerate(attachments, 1)]
        if "metadata" in call.params:
            content["metadata"] = metadata(call.params["metadata"])
        return content

    def check(self, blocks: list[Json], attachments: list[Json]) -> None:
        """Raises SlackError for blocks and attachments that no message can have."""
        for one in attachments:
            if unknown := one.keys() - ATTACHMENT:
                raise stricter(f"attachment with {', '.join(sorted(unknown))}; Slack drops it in silence")
            if not one.keys() & {"blocks", "text", "fallback", "title", "pretext", "fields", "image_url"}:
                raise SlackError("no_text")
        check_message_blocks(blocks, attachments)
        if self._schema is not None:
            self._schema.check_blocks([*blocks, *(block for one in attachments for block in one.get("blocks", []))])

    def chunks(self, chunks: list[Json]) -> None:
        """Checks a stream's chunks against the schema, where there is one."""
        if self._schema is not None:
            self._schema.check_chunks(chunks)

    def view(self, raw: Any, kinds: tuple[str, ...]) -> Json:
        """A view of one of these types. Raises SlackError ``invalid_arguments``, as Slack does for views."""
        if not isinstance(raw, dict) or raw.get("type") not in kinds:
            raise invalid_arguments(f"must be one of: {', '.join(kinds)} [json-pointer:/view/type]")
        if unknown := raw.keys() - VIEW:
            raise invalid_arguments(f"invalid additional property: {min(unknown)} [json-pointer:/view]")
        problems = block_problems(raw.get("blocks"), raw["type"], "/view/blocks").found
        problems += _view_problems(raw)
        if problems:
            messages = [f"[ERROR] {problem}" for problem in problems]
            raise SlackError("invalid_arguments", response_metadata={"messages": messages})
        if self._schema is not None:
            self._schema.check_blocks(raw["blocks"])
        return raw | {"blocks": self.named(raw["blocks"])}

    def named(self, blocks: list[Json]) -> list[Json]:
        """The blocks as Slack keeps them: with a block_id each, an action_id for each element."""
        kept = [_copy(block) for block in blocks]
        for block in kept:
            block.setdefault("block_id", self._world.new_id("b"))
            if block["type"] == "container":
                block["child_blocks"] = self.named(block["child_blocks"])
        for placed in placed_elements(kept):
            placed.raw.setdefault("action_id", self._world.new_id("a"))
        return kept

    def _attachment(self, index: int, raw: Json) -> Json:
        kept = raw | {"id": index, "fallback": raw.get("fallback", "[no preview available]")}
        return kept | {"blocks": self.named(raw["blocks"])} if "blocks" in raw else kept


def metadata(raw: Any) -> Json | None:
    """Message metadata: ``event_type`` and ``event_payload``; an empty object removes it."""
    if raw == {}:
        return None
    if not isinstance(raw, dict) or raw.keys() != {"event_type", "event_payload"}:
        raise SlackError("invalid_metadata_format")
    if not isinstance(raw["event_type"], str) or not raw["event_type"] or not isinstance(raw["event_payload"], dict):
        raise SlackError("invalid_metadata_format")
    for value in raw["event_payload"].values():
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict | list) for one in value)):
            raise stricter("metadata nested deeper than one list of plain values")
    if len(str(raw).encode()) > MAX_METADATA_BYTES:
        raise SlackError("metadata_too_large")
    return raw


def _view_problems(raw: Json) -> list[str]:
    found: list[str] = []
    modal = raw["type"] == "modal"
    if modal and "title" not in raw:
        found.append("missing required field: title [json-pointer:/view]")
    for name in ("title", "submit", "close"):
        if name in raw:
            text = raw[name].get("text") if isinstance(raw[name], dict) else None
            if not isinstance(text, str) or not text or raw[name].get("type") != "plain_text":
                found.append(f"must be a plain_text object [json-pointer:/view/{name}]")
            elif len(text) > 24:
                found.append(f"must be less than 25 characters [json-pointer:/view/{name}/text]")
    blocks = raw.get("blocks")
    inputs = isinstance(blocks, list) and any(isinstance(b, dict) and b.get("type") == "input" for b in blocks)
    if modal and inputs and "submit" not in raw:
        found.append("missing required field: submit, since there are input blocks [json-pointer:/view]")
    for name, longest in (("private_metadata", MAX_PRIVATE_METADATA), ("callback_id", 255), ("external_id", 255)):
        if len(str(raw.get(name, ""))) > longest:
            found.append(f"must be less than {longest + 1} characters [json-pointer:/view/{name}]")
    return found


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(one) for key, one in value.items()}
    return [_copy(one) for one in value] if isinstance(value, list) else value
