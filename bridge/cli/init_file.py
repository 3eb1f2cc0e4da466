"""Where `init` writes: can it be written at all, what stands in it, and putting it in place."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Unwritable(Exception):
    """The file can't be written; the words name it and say why."""


def look(path: Path) -> None:
    """Make sure, before anything is asked, that ``path`` can be written. Raises `Unwritable`; leaves nothing behind."""
    if path.is_dir():
        raise Unwritable(f"{path} is a directory; --config names the file to write, such as {path / 'bridge.toml'}")
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Unwritable(f"{path} can't be written: {folder}: {error.strerror or error}") from None


def toml(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """The configuration's text. A JSON string is a TOML string too, but for DEL."""
    lines = ["# HAPI Bridge. config/bridge.example.toml explains every key."]
    for name, table in tables.items():
        lines += ["", f"[{name}]"]
        lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
    return "\n".join(lines).replace("\x7f", "\\u007f") + "\n"


def write(path: Path, text: str) -> None:
    """Put a file in place as a whole, with mode 600 from its first byte. Raises `Unwritable`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Unwritable(f"{path} can't be written: {error.strerror or error}") from None
