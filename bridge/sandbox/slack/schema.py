"""The published shape of blocks and chunks, where the schema file is at hand (tests, the demo from a checkout)."""

import json
from pathlib import Path
from typing import Any

from bridge.sandbox.slack.errors import stricter
from bridge.sandbox.slack.state import Json


class BlockSchema:
    """``KnownBlock`` and ``AnyChunk`` of one JSON Schema file. Needs jsonschema, which the bridge itself does not."""

    def __init__(self, path: Path) -> None:
        """Raises OSError or ValueError for a file that can't be read, ImportError without jsonschema."""
        definitions: Json = json.loads(path.read_text(encoding="utf-8"))["definitions"]
        validator = _by_type(definitions)
        self._validators: dict[str, Any] = {
            name: validator({"$ref": f"#/definitions/{name}", "definitions": definitions})
            for name in ("KnownBlock", "AnyChunk")
        }

    def check_blocks(self, blocks: list[Json]) -> None:
        """Raises SlackError naming the first block that does not fit."""
        self._check("KnownBlock", "blocks", blocks)

    def check_chunks(self, chunks: list[Json]) -> None:
        """Raises SlackError naming the first chunk that does not fit."""
        self._check("AnyChunk", "chunks", chunks)

    def _check(self, name: str, where: str, values: list[Json]) -> None:
        for index, value in enumerate(values):
            error = next(self._validators[name].iter_errors(value), None)
            if error is not None:
                raise stricter(f"schema, at {where}/{index} ({value.get('type')}): {_deepest(error)[:300]}")


def _by_type(definitions: Json) -> Any:
    """A class of validators for which ``anyOf`` tries the alternatives that have the value's ``type`` alone.

    The others can't fit, and to say why each of them does not, at every depth, takes most of the time there is.
    """
    from jsonschema import Draft7Validator
    from jsonschema.validators import extend

    any_of = Draft7Validator.VALIDATORS["anyOf"]
    types = {
        f"#/definitions/{name}": each["properties"]["type"]["const"]
        for name, each in definitions.items()
        if "type" in each.get("required", ()) and "const" in each["properties"]["type"]
    }

    def narrowed(validator: Any, alternatives: list[Json], value: Any, schema: Json) -> Any:
        if isinstance(value, dict) and (own := value.get("type")) is not None:
            fit = [each for each in alternatives if types.get(each.get("$ref", ""), own) == own]
            alternatives = fit or alternatives
        return any_of(validator, alternatives, value, schema)

    return extend(Draft7Validator, {"anyOf": narrowed})  # type: ignore[no-untyped-call]


def _deepest(error: Any) -> str:
    """The most telling message below an ``anyOf``: the one furthest in."""
    below = [one for one in error.context or [] if one.validator != "const"]
    if not below:
        return f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
    return _deepest(max(below, key=lambda one: len(one.absolute_path)))
