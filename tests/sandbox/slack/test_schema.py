"""The schema of blocks: asked about a block's own type alone, it says what it says asked about all."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from bridge.sandbox.slack.errors import SlackError
from bridge.sandbox.slack.schema import BlockSchema

SCHEMA = Path(__file__).resolve().parents[3] / "fixtures" / "schemas" / "slack-blocks.json"
TEXT = {"type": "mrkdwn", "text": "hello"}
QUOTE = {
    "type": "rich_text_quote",
    "elements": [{"type": "text", "text": "q"}, {"type": "link", "url": "https://x.org"}],
}


@pytest.fixture(scope="module")
def schema() -> BlockSchema:
    return BlockSchema(SCHEMA)


@pytest.mark.parametrize(
    ("block", "fits"),
    [
        ({"type": "section", "text": TEXT}, True),
        ({"type": "section", "text": {**TEXT, "odd": 1}}, False),
        ({"type": "section", "text": TEXT, "elements": []}, False),
        ({"type": "rich_text", "elements": [QUOTE]}, True),
        ({"type": "rich_text", "elements": [{**QUOTE, "elements": [{"type": "text", "url": "https://x.org"}]}]}, False),
        ({"type": "rich_text", "elements": [{**QUOTE, "type": "rich_text_joke"}]}, False),
        ({"type": "nothing", "text": TEXT}, False),
        ({"type": ["section"], "text": TEXT}, False),
        ({"text": TEXT}, False),
    ],
)
def test_a_block_fits_or_not_as_the_whole_schema_has_it(schema: BlockSchema, block: dict[str, Any], fits: bool) -> None:
    definitions = json.loads(SCHEMA.read_text(encoding="utf-8"))["definitions"]
    whole = Draft7Validator({"$ref": "#/definitions/KnownBlock", "definitions": definitions})
    assert whole.is_valid(block) is fits
    if fits:
        schema.check_blocks([block])
    else:
        with pytest.raises(SlackError):
            schema.check_blocks([block])
