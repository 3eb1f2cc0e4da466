"""What each kind of agent lets one set, and how lists of values are read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.hub.flavors import PERMISSION_MODES
from bridge.hub.machines import Machine, read_agents, read_commands, read_machine
from bridge.hub.session_settings import (
    EFFORT,
    MODE,
    MODEL,
    REASONING,
    TIER,
    Choice,
    catalogue_of,
    current_choice,
    fixed_choices,
    is_set,
    machine_catalogue_of,
    read_choices,
    settings_of,
)

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(["models", "availableModels", "options", "agents", "entries", "commands", "skills", "metadata"])


def test_a_flavor_offers_only_what_the_hub_takes_for_it() -> None:
    assert settings_of("pi") == (MODEL, EFFORT)
    assert settings_of("dsh") == ()
    assert TIER in settings_of("codex")
    assert TIER not in settings_of("claude")
    assert settings_of("tomorrow") == (), "nothing is offered for a kind of agent that is not known"


@pytest.mark.parametrize("flavor", sorted(PERMISSION_MODES))
def test_a_mode_is_offered_wherever_there_are_modes_with_its_own_label(flavor: str) -> None:
    assert (MODE in settings_of(flavor)) == bool(PERMISSION_MODES[flavor])
    choices = fixed_choices(flavor, MODE)
    assert [(each.value, each.label) for each in choices] == [(m.mode, m.label) for m in PERMISSION_MODES[flavor]]


@pytest.mark.parametrize("flavor", sorted(PERMISSION_MODES))
def test_everything_that_can_be_set_has_values_or_a_place_to_ask_for_them(flavor: str) -> None:
    for setting in settings_of(flavor):
        known = fixed_choices(flavor, setting) or catalogue_of(flavor, setting)
        assert known or (setting is MODEL and setting.free), setting.name


def test_models_are_read_under_any_of_the_names_that_agents_give_them() -> None:
    expected = (Choice("a", "A"), Choice("b", "b"))
    assert (
        read_choices({"availableModels": [{"modelId": "a", "name": "A"}, {"modelId": "b"}, {"modelId": "a"}]})
        == expected
    )
    assert read_choices({"models": [{"id": "a", "displayName": "A"}, "b", 3, {}]}) == expected
    pi = read_choices({"availableModels": [{"provider": "x", "modelId": "a"}]})
    assert pi == (Choice({"provider": "x", "modelId": "a"}, "a (x)"),)


def test_the_current_value_is_marked_also_where_the_hub_writes_a_default_as_nothing() -> None:
    modes = fixed_choices("claude", MODE)
    assert current_choice(modes, "plan").label == "Plan Mode"
    assert is_set(modes[0], None)
    assert not is_set(modes[1], None)
    assert current_choice((), "gpt-9").label == "gpt-9"
    assert current_choice((), None).label == "Default"
    assert current_choice((), {"provider": "x", "modelId": "m"}).label == "m"
    assert is_set(fixed_choices("codex", TIER)[0], None)
    assert fixed_choices("codex", REASONING)[0].value is None


def test_a_directory_decides_over_the_models_of_some_agents() -> None:
    assert machine_catalogue_of("codex", "/w") == ("codex-models", {})
    assert machine_catalogue_of("opencode", "/w") == ("opencode-models", {"cwd": "/w"})
    assert machine_catalogue_of("claude", "/w") is None


def test_paths_are_made_absolute_from_the_computers_home() -> None:
    machine = Machine("m", "laptop", "/home/ada")
    written = ("~/shop/", "shop", "./shop", "/srv", "~", "/", "C:\\work", " ~/a b ")
    made = [machine.absolute(each) for each in written]
    assert made == [
        "/home/ada/shop",
        "/home/ada/shop",
        "/home/ada/shop",
        "/srv",
        "/home/ada",
        "/",
        "C:\\work",
        "/home/ada/a b",
    ]


def test_computers_agents_directories_and_commands_are_read() -> None:
    machine = read_machine({"id": "m1", "metadata": {"host": "laptop", "homeDir": "/h", "workspaceRoots": ["/w", 3]}})
    assert machine == Machine("m1", "laptop", "/h", ("/w",))
    agents = [{"agent": "dsh", "available": True}, {"agent": "claude", "available": False}]
    assert read_agents({"agents": agents}) == ["dsh"]
    commands = [{"name": "/clear", "description": "forget"}, {"name": "two words"}, {"name": "clear"}]
    (found,) = read_commands({"commands": commands}, "commands")
    assert (found.name, found.does, found.skill) == ("clear", "forget", False)


@given(st.dictionaries(NAMES, ANYTHING, max_size=4))
def test_whatever_a_hub_answers_is_read_without_raising(body: dict[str, Any]) -> None:
    """Invariant 5."""
    read_choices(body)
    read_machine(body)
    read_agents(body)
    read_commands(body, "commands")
    read_commands(body, "skills")
