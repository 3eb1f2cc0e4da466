"""What is wrong with a configuration, said for a person: pydantic's errors, and how a user knows a key."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel

from bridge.settings.tables import Settings


def words_of(problem: Mapping[str, Any]) -> str:
    """One pydantic error, said for a person."""
    match problem["type"]:
        case "extra_forbidden":
            known = known_keys(problem["loc"][:-1])
            near = difflib.get_close_matches(str(problem["loc"][-1]), known, n=1, cutoff=0.5)
            return f"unknown key; did you mean {near[0]}?" if near else f"unknown key; known are {', '.join(known)}"
        case "literal_error":
            return f"expects {problem['ctx']['expected']}".replace("'", '"')
        case "bool_parsing" | "bool_type":
            return "expects true or false"
        case "float_parsing" | "float_type":
            return "expects a number"
        case "int_parsing" | "int_type" | "int_from_float":
            return "expects a whole number"
        case "greater_than":
            return f"expects a number above {problem['ctx']['gt']:g}"
        case "greater_than_equal":
            return f"expects a number from {problem['ctx']['ge']:g} up"
        case "less_than_equal":
            return f"expects a number up to {problem['ctx']['le']:g}"
        case "model_type" | "model_attributes_type" | "dict_type":
            return "expects a table of keys"
        case "tuple_type" if problem["loc"][-1] == "admit":
            return 'expects a list, such as ["U012ABCDEF"]'
        case "tuple_type":
            return f"expects tables, each written [[{key_words(problem['loc'])}]]"
        case _:
            return str(problem["msg"]).removeprefix("Value error, ")


def known_keys(place: tuple[str | int, ...]) -> list[str]:
    """The keys a table has, for the hint beside an unknown one."""
    model: type[BaseModel] = Settings
    for step in place:
        if isinstance(step, int):
            continue
        annotation = model.model_fields[step].annotation
        options = [annotation, *get_args(annotation)]
        model = next(each for each in options if isinstance(each, type) and issubclass(each, BaseModel))
    return list(model.model_fields)


def key_words(place: tuple[str | int, ...]) -> str:
    """``("telegram", "follow", 1, "mode")`` as ``telegram.follow[2].mode``."""
    text = ""
    for step in place:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if text else step
    return text
