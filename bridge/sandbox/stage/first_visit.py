"""What the agent does in a session that the visitor started: says hello, asks before it does something, answers."""

from __future__ import annotations

from bridge.sandbox.hub_scenario import Scenario
from bridge.sandbox.hub_session import Session

PATIENCE_S = 86_400


def first_visit(session: Session) -> Scenario:
    """A script for a session that is there already."""
    about = session.record["metadata"]
    directory = str(about["path"])
    steps = [
        {"do": "say", "text": f"I am here, in `{directory}`. I only follow a script, but I do ask first. Write to me!"},
        {"do": "ready", "after": 0.2},
        {"do": "reply", "patience": PATIENCE_S},
        {"do": "think", "text": "A look around first. Listing a directory changes nothing, but I was told to ask."},
        {
            "do": "ask",
            "tool": "Bash",
            "input": {"command": f"ls {directory}", "description": "List the directory"},
            "output": "README.md\nsrc\ntests",
            "denied": [{"do": "say", "text": "Fine, I leave it alone."}],
        },
        {"do": "say", "text": "There are `README.md`, `src` and `tests`. You wrote: {reply}"},
        {"do": "ready", "after": 0.2},
    ]
    return Scenario.model_validate(
        {
            "title": str(about.get("name") or directory),
            "flavor": str(about["flavor"]),
            "directory": directory,
            "machine": str(about["host"]),
            "step": steps,
        }
    )
