"""The steps of a scenario: what each `do` means, and what may stand beside it in the file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Step(Table):
    """What all steps have: the seconds that pass before it."""

    after: float = Field(default=0.8, ge=0)


class Attached(Table):
    """A file that goes along with a person's message; ``size`` in bytes."""

    name: str
    type: str
    size: int = Field(ge=0)


class User(Step):
    """Someone types at the terminal or on HAPI's page (``at = "webapp"``); opens a turn."""

    do: Literal["user"]
    text: str
    at: Literal["cli", "webapp"] = "webapp"
    files: tuple[Attached, ...] = ()


class Reply(Step):
    """The agent waits for a message, at most ``patience`` seconds; opens a turn. Later texts may say {reply}."""

    do: Literal["reply"]
    patience: float = 600
    visitor: str = ""


class Think(Step):
    """Reasoning; ``stream`` sends it in growing snapshots where the family has those."""

    do: Literal["think"]
    text: str
    stream: bool = False


class Say(Step):
    """A text for the reader."""

    do: Literal["say"]
    text: str
    stream: bool = False


class Tool(Step):
    """A tool that needs no permission; it runs ``takes`` seconds."""

    do: Literal["tool"]
    tool: str
    input: dict[str, Any]
    output: Any = ""
    takes: float = 0.8
    failed: bool = False


class Ask(Step):
    """A tool that needs permission. ``denied`` is what the agent does after a Deny, where its kind goes on at all."""

    do: Literal["ask"]
    tool: str
    input: dict[str, Any]
    output: Any = ""
    takes: float = 0.8
    denied: tuple[AnyStep, ...] = ()
    visitor: str = "Allow"


class Option(Table):
    label: str
    description: str = ""


class Asked(Table):
    question: str
    header: str = ""
    options: tuple[Option, ...]
    several: bool = False


class Question(Step):
    """Questions with options. Later texts may say {answer}. ``visitor``: the options taken, one after another over all
    questions; words that are no option are the visitor's own, and written."""

    do: Literal["question"]
    questions: tuple[Asked, ...] = Field(min_length=1)
    visitor: str | tuple[str, ...] = ""


class Plan(Step):
    """A plan to approve; ``rejected`` is what the agent does where it is to keep planning."""

    do: Literal["plan"]
    text: str
    rejected: tuple[AnyStep, ...] = ()
    visitor: str = "Approve"


class Agent(Table):
    """One sub-agent: what it is told, what it does (no step of it waits for a person), and what it reports."""

    description: str
    prompt: str
    type: str = "general-purpose"
    steps: tuple[Think | Say | Tool | Wait, ...] = Field(alias="step", default=())
    report: str
    failed: bool = False


class Agents(Step):
    """Sub-agents that work at the same time; the agent goes on when all have reported."""

    do: Literal["agents"]
    agents: tuple[Agent, ...] = Field(min_length=1)


class Todos(Step):
    """The agent's to-do list as it stands now."""

    do: Literal["todos"]
    done: tuple[str, ...] = ()
    now: str = ""
    open: tuple[str, ...] = ()


class Background(Step):
    """A command that goes on by itself; ``name`` is what its end is called by."""

    do: Literal["background"]
    name: str
    command: str
    description: str = ""


class BackgroundOver(Step):
    """A command in the background has ended."""

    do: Literal["background-over"]
    name: str
    failed: bool = False


class Picture(Step):
    """The agent made a picture: a small bar chart with these heights, 0 to 100."""

    do: Literal["picture"]
    name: str
    bars: tuple[int, ...] = Field(min_length=1, max_length=20)


class Trouble(Step):
    """Something goes wrong with the hub: it restarts (``seconds`` down), its event streams break, its next ``times``
    calls whose path contains ``path`` fail or lose their answers, or every event is told twice from now on."""

    do: Literal["hub"]
    what: Literal["restart", "break-streams", "fail", "lose-answers", "repeat-events"]
    path: str = "/api/"
    times: int = Field(default=1, ge=1)
    seconds: float = Field(default=0.0, ge=0)


class Limit(Step):
    """A usage limit is reached (or, with ``used`` below 1, near); it ends in ``minutes``."""

    do: Literal["limit"]
    limit: str = "five_hour"
    minutes: float = 90
    used: float = 1.0


class Recap(Step):
    """What happened while the reader was away."""

    do: Literal["recap"]
    text: str


class Title(Step):
    """The session gets another name."""

    do: Literal["title"]
    text: str


class Error(Step):
    """Something went wrong on the agent's side."""

    do: Literal["error"]
    text: str


class Wait(Step):
    """Nothing happens for ``after`` seconds."""

    do: Literal["wait"]


class Ready(Step):
    """The turn is over."""

    do: Literal["ready"]


class End(Step):
    """The session ends."""

    do: Literal["end"]
    reason: Literal["completed", "terminated", "error", "handoff", "cleared"] = "completed"


AnyStep = Annotated[
    User
    | Reply
    | Think
    | Say
    | Tool
    | Ask
    | Question
    | Plan
    | Agents
    | Todos
    | Background
    | BackgroundOver
    | Picture
    | Trouble
    | Limit
    | Recap
    | Title
    | Error
    | Wait
    | Ready
    | End,
    Field(discriminator="do"),
]
