"""What can be set on a running session, by kind of agent: which settings, their values, and where a list of them is.

Pure tables and readers. Rules: hub contract, session config; what each flavor takes was observed on a real hub (the
others answer 400). Lists that an agent knows itself (models, efforts) are asked for; where there is none, the agents'
own documented words stand here, and any other may be typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bridge.hub.flavors import CODEX_COLLABORATION_MODES, Tone, permission_modes

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing to set: the end of its endpoint, the key of its value in a session's record, and whether words that are
    in no list may be given."""

    name: str
    key: str
    free: bool = False
    spawn: str = ""
    """The key it travels under when a session is started."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value as the hub takes it, and how people read it."""

    value: Any
    label: str
    tone: Tone = "neutral"


MODE: Final = Setting("permission-mode", "permissionMode", spawn="permissionMode")
MODEL: Final = Setting("model", "model", free=True, spawn="model")
EFFORT: Final = Setting("effort", "effort", spawn="effort")
REASONING: Final = Setting("model-reasoning-effort", "modelReasoningEffort", spawn="modelReasoningEffort")
TIER: Final = Setting("service-tier", "serviceTier", spawn="serviceTier")
COLLABORATION: Final = Setting("collaboration-mode", "collaborationMode", spawn="collaborationMode")
COPILOT: Final = Setting("copilot-agent-mode", "copilotAgentMode", spawn="copilotAgentMode")

SETTINGS: Final[Mapping[str, Setting]] = {
    each.name: each for each in (MODE, MODEL, EFFORT, REASONING, TIER, COLLABORATION, COPILOT)
}

_OF: Final[Mapping[str, tuple[Setting, ...]]] = {
    "claude": (MODE, MODEL, EFFORT),
    "codex": (MODE, MODEL, REASONING, TIER, COLLABORATION),
    "copilot": (MODE, MODEL, COPILOT),
    "cursor": (MODE, MODEL),
    "gemini": (MODE, MODEL),
    "grok": (MODE, MODEL, EFFORT),
    "kimi": (MODE, MODEL),
    "opencode": (MODE, MODEL, REASONING),
    "agy": (MODE, MODEL),
    "pi": (MODEL, EFFORT),
    "dsh": (),
}

_NONE: Final = Choice(None, "Default")
_FIXED: Final[Mapping[tuple[str, str], tuple[Choice, ...]]] = {
    ("claude", "model"): (_NONE, Choice("opus", "Opus"), Choice("sonnet", "Sonnet"), Choice("haiku", "Haiku")),
    ("claude", "effort"): (
        Choice(None, "Auto"),
        Choice("low", "Low"),
        Choice("medium", "Medium"),
        Choice("high", "High"),
        Choice("xhigh", "Extra high"),
        Choice("max", "Max"),
    ),
    ("pi", "effort"): (
        Choice("off", "Off"),
        Choice("minimal", "Minimal"),
        Choice("low", "Low"),
        Choice("medium", "Medium"),
        Choice("high", "High"),
        Choice("xhigh", "Extra high"),
    ),
    ("codex", "model-reasoning-effort"): (
        _NONE,
        Choice("low", "Low"),
        Choice("medium", "Medium"),
        Choice("high", "High"),
        Choice("xhigh", "Extra high"),
    ),
    ("codex", "service-tier"): (Choice("standard", "Standard"), Choice("fast", "Fast")),
    ("codex", "collaboration-mode"): tuple(Choice(mode, label) for mode, label in CODEX_COLLABORATION_MODES),
    ("copilot", "copilot-agent-mode"): (
        Choice("interactive", "Interactive"),
        Choice("plan", "Plan"),
        Choice("autopilot", "Autopilot", "warning"),
    ),
}

_ASKED: Final[Mapping[tuple[str, str], str]] = {
    **{(each, "model"): f"{each}-models" for each in ("codex", "copilot", "cursor", "grok", "opencode", "pi")},
    ("grok", "effort"): "grok-reasoning-effort-options",
    ("opencode", "model-reasoning-effort"): "opencode-reasoning-effort-options",
}
_ASKED_OF_MACHINE: Final = frozenset({"agy", "codex", "copilot", "cursor", "grok", "kimi", "opencode", "pi"})
_BY_DIRECTORY: Final = frozenset({"copilot", "grok", "kimi", "opencode"})

_LISTS: Final = ("availableModels", "models", "options", "availableOptions", "efforts", "reasoningEfforts")
_NAMES: Final = ("displayName", "name", "label", "title")
_IDS: Final = ("modelId", "id", "value", "model", "slug")


def settings_of(flavor: str) -> tuple[Setting, ...]:
    """What a flavor has; for one this bridge does not know, nothing."""
    return _OF.get(flavor, ())


def fixed_choices(flavor: str, setting: Setting) -> tuple[Choice, ...]:
    """The values that need no asking; empty where only the agent knows them."""
    if setting is MODE:
        return tuple(Choice(each.mode, each.label, each.tone) for each in permission_modes(flavor))
    return _FIXED.get((flavor, setting.name), ())


def catalogue_of(flavor: str, setting: Setting) -> str | None:
    """The session's endpoint that lists the values of a setting; ``None`` where there is none."""
    return _ASKED.get((flavor, setting.name))


def machine_catalogue_of(flavor: str, directory: str) -> tuple[str, dict[str, str]] | None:
    """A computer's endpoint that lists a flavor's models before it is started, with its query, if there is one."""
    if flavor not in _ASKED_OF_MACHINE:
        return None
    return f"{flavor}-models", {"cwd": directory} if flavor in _BY_DIRECTORY else {}


def read_choices(body: Json) -> tuple[Choice, ...]:
    """The values in a catalogue's answer, each once, in its order. Total: what can't be read is left out."""
    found: list[Any] = next((body[name] for name in _LISTS if isinstance(body.get(name), list)), [])
    choices: dict[str, Choice] = {}
    for item in found:
        choice = _choice(item)
        if choice is not None:
            choices.setdefault(repr(choice.value), choice)
    return tuple(choices.values())


def current_choice(choices: tuple[Choice, ...], value: Any) -> Choice:
    """The choice that a session's value stands for; a value that is in no list as itself."""
    found = next((each for each in choices if each.value == value), None)
    if found is not None:
        return found
    name = value.get("modelId") if isinstance(value, Mapping) else value
    return Choice(value, name if isinstance(name, str) and name else "Default")


def is_set(choice: Choice, value: Any) -> bool:
    """Whether a choice is the session's value. The hub writes a default as nothing at all."""
    if choice.value == value:
        return True
    return value is None and choice.value in ("default", "standard", "request-review", "interactive")


def _choice(item: Any) -> Choice | None:
    if isinstance(item, str):
        return Choice(item, item) if item else None
    if not isinstance(item, Mapping):
        return None
    value: Any = next((item[name] for name in _IDS if isinstance(item.get(name), str) and item[name]), None)
    if value is None:
        return None
    label = next((item[name] for name in _NAMES if isinstance(item.get(name), str) and item[name]), value)
    provider = item.get("provider")
    if isinstance(provider, str) and provider:
        return Choice({"provider": provider, "modelId": value}, f"{label} ({provider})")
    return Choice(value, label)
