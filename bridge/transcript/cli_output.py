"""Slash commands typed in the terminal and what they printed: recognised by their tags, merged into one block."""

from __future__ import annotations

import re

from bridge.transcript.blocks import Block, CliOutput

_TAGS = re.compile(r"<(?:command-(?:name|args|message)|local-command-stdout)>")


def is_cli_output(text: str, sent_from: object) -> bool:
    """Whether a text that the CLI sent carries command tags."""
    return sent_from == "cli" and "<" in text and _TAGS.search(text) is not None


def continues(before: Block | None, block: Block) -> bool:
    """Whether `block` is the output of the command that `before` names and nothing has answered yet."""
    return (
        isinstance(before, CliOutput)
        and isinstance(block, CliOutput)
        and before.source == block.source
        and "<command-name>" in before.text
        and "<local-command-stdout>" not in before.text
        and "<local-command-stdout>" in block.text
        and "<command-name>" not in block.text
    )
