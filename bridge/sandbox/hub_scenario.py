"""Scenario files: a session's script in TOML, small enough to be read and written by hand.

A scenario says who works where (`flavor`, `directory`, `machine`) and lists `[[step]]` tables; `do` names what happens,
`after` how many seconds later. `visitor` on a step that waits for a person is what the demo's visitor does there.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import Field, ValidationError

from bridge.sandbox.hub_steps import AnyStep, Table

_HERE = Path(__file__).resolve().parent


class ScenarioError(Exception):
    """A scenario file that can't be played; the words name the file and the step."""


class Scenario(Table):
    """A session's script."""

    title: str
    flavor: str = "claude"
    directory: str
    machine: str = "laptop"
    steps: tuple[AnyStep, ...] = Field(alias="step", min_length=1)

    def turns(self) -> list[list[AnyStep]]:
        """The steps, cut before each one that opens a turn."""
        turns: list[list[AnyStep]] = []
        for step in self.steps:
            if not turns or step.do in ("user", "reply"):
                turns.append([])
            turns[-1].append(step)
        return turns


def folder() -> Path:
    """Where the scenarios are: inside the installed package, or in a checkout's ``fixtures/``."""
    shipped = _HERE / "scenarios"
    return shipped if shipped.is_dir() else _HERE.parent.parent / "fixtures" / "scenarios"


def names() -> list[str]:
    """The scenarios there are, by file name without ending."""
    return sorted(path.stem for path in folder().glob("*.toml"))


def load(name: str) -> Scenario:
    """A scenario by name, or by the path of a ``.toml`` file. Raises `ScenarioError`."""
    path = Path(name) if name.endswith(".toml") else folder() / f"{name}.toml"
    try:
        return Scenario(**tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError:
        raise ScenarioError(f"there is no scenario {name}; there are {', '.join(names())}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step + 1) if isinstance(step, int) else step for step in first["loc"])
        raise ScenarioError(f"{path.name}: {where}: {first['msg']}") from None
    except ValueError as error:
        raise ScenarioError(f"{path.name}: {error}") from None
