"""The published shape of every method, where the schema file is at hand (tests, the demo from a checkout)."""

import json
from pathlib import Path
from typing import Any

from bridge.sandbox.telegram.errors import stricter
from bridge.sandbox.telegram.state import Json


class MethodSchemas:
    """``#/definitions/<Method>Params`` of one JSON Schema file. Needs jsonschema, which the bridge itself does not."""

    def __init__(self, path: Path) -> None:
        """Raises OSError or ValueError for a file that can't be read, ImportError without jsonschema."""
        from jsonschema import Draft7Validator

        self._document: Json = json.loads(path.read_text(encoding="utf-8"))
        self._validator = Draft7Validator
        self._ready: dict[str, Any] = {}

    def check(self, method: str, params: Json) -> None:
        """Raises BotApiError naming the place that does not fit. Methods without parameters have no schema."""
        name = f"{method[0].upper()}{method[1:]}Params"
        if name not in self._document["definitions"]:
            return
        if name not in self._ready:
            root = {"$ref": f"#/definitions/{name}", "definitions": self._document["definitions"]}
            self._ready[name] = self._validator(root)
        error = next(self._ready[name].iter_errors(params), None)
        if error is not None:
            place = "/".join(map(str, error.absolute_path)) or method
            raise stricter(f"schema, at {place}: {error.message[:300]}")
