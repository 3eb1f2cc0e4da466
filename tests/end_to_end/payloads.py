"""What the bridge sent to Slack, held to the models of Slack's own SDK."""

from collections.abc import Iterable
from typing import Any

from slack_sdk.models.blocks import Block as SdkBlock
from slack_sdk.models.messages.chunk import Chunk

from bridge.sandbox.bus import Call


def check_models(calls: Iterable[Call]) -> None:
    """Every block and every streamed chunk of these calls is one that the SDK's models know and take."""
    for call in calls:
        for block in blocks(call.params):
            parsed = SdkBlock.parse(block)
            assert parsed is not None, f"no model for {block['type']}"
            parsed.validate_json()
        for chunk in call.params.get("chunks") or []:
            read = Chunk.parse(chunk)
            assert read is not None, f"no model for {chunk['type']}"
            assert set(chunk) <= read.attributes, f"the SDK's model lacks {set(chunk) - read.attributes}"


def blocks(params: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """The blocks of a call, wherever they stand in it."""
    view = params.get("view")
    inside = [*(params.get("attachments") or []), *(params.get("chunks") or [])]
    holders = [params, *inside, *([view] if isinstance(view, dict) else [])]
    return (block for holder in holders for block in holder.get("blocks") or [])
