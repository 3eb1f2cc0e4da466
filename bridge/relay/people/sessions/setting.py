"""``/settings``, ``/mode``, ``/model``, ``/effort``, ``/tier``, ``/collab``: how a session's agent works.

Only what this kind of agent has is offered. A value counts as set when the hub says so: what the card shows afterwards
is the session as the hub has it then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bridge.cards.model import Card
from bridge.cards.own.bridge_notes import present_command_error, present_said
from bridge.cards.session.session_settings import (
    About,
    Value,
    present_risky,
    present_settings,
    present_values,
    setting_words,
)
from bridge.hub.errors import ComputerUnreachable, HubError, HubFailed
from bridge.hub.rest import HubApi
from bridge.hub.session_settings import (
    COLLABORATION,
    COPILOT,
    EFFORT,
    MODE,
    MODEL,
    REASONING,
    SETTINGS,
    TIER,
    Setting,
    catalogue_of,
    current_choice,
    fixed_choices,
    is_set,
    read_choices,
    settings_of,
)
from bridge.language import tr
from bridge.relay.desk import Desk
from bridge.relay.follow.sessions import SessionView
from bridge.relay.people.commands.table import Asked, Known
from bridge.relay.people.company import audit
from bridge.relay.people.hub_words import hub_words
from bridge.relay.people.presses import pressed as presses
from bridge.relay.people.presses.asking import Askings
from bridge.relay.people.presses.in_place import redraw
from bridge.relay.people.presses.pressed import SURE, Pressed, Refused, Words, unknown
from bridge.relay.people.sessions.facts import fetch
from bridge.relay.people.sessions.listing import page_of
from bridge.relay.people.sessions.which import ask_which_running

Json = Mapping[str, Any]
COMMANDS: dict[str, tuple[Setting, ...]] = {
    "mode": (MODE,),
    "model": (MODEL,),
    "effort": (EFFORT, REASONING),
    "tier": (TIER,),
    "collab": (COLLABORATION, COPILOT),
}
"""Each command and what it can mean, depending on the agent."""


@dataclass(frozen=True, slots=True)
class SettingUp:
    """Sets what can be set."""

    desk: Desk
    api: HubApi
    askings: Askings

    def commands(self) -> dict[str, Known]:
        """By name."""
        return {
            "settings": Known(self._settings, waits=True, right="own"),
            **{name: Known(self._command, waits=True, right="own", logs=True) for name in COMMANDS},
        }

    def handlers(self) -> dict[str, presses.Known]:
        """By the act's name."""
        return {
            "settings": presses.Known(self._open, waits=True),
            "set": presses.Known(
                self._set, waits=True, audited=True, changes=lambda pressed: pressed.act.choice in ("value", SURE)
            ),
            "set_words": presses.Known(self._words, waits=True, asks=True, audited=True),
        }

    async def _settings(self, asked: Asked) -> Card:
        record, card = await self._meant(asked, "settings")
        return card if card is not None else settings_card(record)

    async def _command(self, asked: Asked) -> Card:
        """A setting by its own command: with a word it is set, without one its values are shown."""
        record, card = await self._meant(asked, "settings")
        if card is not None:
            return card
        view = SessionView(record)
        given = settings_of(view.flavor)
        setting = next((each for each in COMMANDS[asked.command.name] if each in given), None)
        if setting is None:
            words = tr("{agent} has no such setting. /settings shows what it has.", agent=view.flavor)
            return present_command_error(words)
        word = asked.command.arguments.strip()
        try:
            values = await self._values(record, setting)
            if not word:
                return present_values(_about(record), setting.name, values, free=setting.free)
            found = [each for each in values if word.lower() in (str(each.value).lower(), each.label.lower())]
            if not found and not setting.free:
                return present_values(_about(record), setting.name, values, free=False)
            value = found[0] if found else Value(word, word)
            if value.risky and not value.current:
                return present_risky(_about(record), setting.name, value, len(values))
            name = asked.command.name
            async with audit.trying(self.desk, asked.received, name, choice=value.label, session=view.id):
                said, _ = await self._apply(record, setting, value)
        except HubError as error:
            return present_command_error(hub_words(error))
        return present_said(said)

    async def _meant(self, asked: Asked, do: str) -> tuple[Json, Card | None]:
        """The session that a command is about, or the card that asks which, or says why not."""
        follower = asked.target.follower
        if follower is None:
            return {}, await ask_which_running(self.desk, self.api, asked, do)
        try:
            return await fetch(self.desk, self.api, follower.session.id), None
        except HubError as error:
            return {}, present_command_error(hub_words(error))

    async def _open(self, pressed: Pressed) -> Words:
        await redraw(self.desk, pressed, settings_card(await self._fetch(pressed), page_of(pressed)))
        return ""

    async def _set(self, pressed: Pressed) -> Words:
        """Show the values of a setting, ask about a risky one, or set one: ``choice`` says which."""
        act = pressed.act
        setting = SETTINGS.get(str(act.data.get("setting")))
        if setting is None:
            raise Refused(unknown())
        record = await self._fetch(pressed)
        about = _about(record, page_of(pressed))
        value = Value(act.data.get("value"), str(act.data.get("label", "")))
        try:
            if act.choice in ("value", SURE):
                return await self._set_and_show(pressed, record, setting, value)
            values = await self._values(record, setting)
        except HubError as error:
            raise Refused(hub_words(error)) from error
        card = present_values(about, setting.name, values, free=setting.free)
        if act.choice == "ask":
            card = present_risky(about, setting.name, value, len(values))
        await redraw(self.desk, pressed, card)
        return ""

    async def _words(self, pressed: Pressed) -> Words:
        setting = SETTINGS.get(str(pressed.act.data.get("setting")))
        if setting is None or not setting.free:
            raise Refused(unknown())
        if pressed.press.text is None:
            name = setting_words(setting.name)
            return await self.askings.ask(pressed, title=name, label=tr("Its name, as the agent knows it"))
        word = pressed.press.text.strip()
        if not word or "\n" in word:
            raise Refused(tr("One line of words is needed."))
        record = await self._fetch(pressed)
        try:
            return await self._set_and_show(pressed, record, setting, Value(word, word))
        except HubError as error:
            raise Refused(hub_words(error)) from error

    async def _set_and_show(self, pressed: Pressed, record: Json, setting: Setting, value: Value) -> Words:
        said, fresh = await self._apply(record, setting, value)
        await redraw(self.desk, pressed, settings_card(fresh, page_of(pressed), said))
        return said

    async def _apply(self, record: Json, setting: Setting, value: Value) -> tuple[Words, Json]:
        """Set it, and say what the hub then says. Raises ``HubError``."""
        session_id = SessionView(record).id
        await self.api.configure(session_id, setting.name, value.value)
        fresh = await fetch(self.desk, self.api, session_id)
        choices = fixed_choices(SessionView(fresh).flavor, setting)
        now = current_choice(choices, fresh.get(setting.key)).label
        if fresh.get(setting.key) == value.value or (fresh.get(setting.key) is None and value.value is None):
            return tr("{setting}: {value} from now on.", setting=setting_words(setting.name), value=value.label), fresh
        words = tr("HAPI took it, and says {value} so far.", value=now)
        return tr("{name}: {words}", name=setting_words(setting.name), words=words), fresh

    async def _values(self, record: Json, setting: Setting) -> list[Value]:
        """What a setting can be, from the agent where it has a list of its own, the present value marked."""
        view = SessionView(record)
        choices = fixed_choices(view.flavor, setting)
        catalogue = catalogue_of(view.flavor, setting)
        if catalogue is not None:
            try:
                choices = read_choices(await self.api.catalogue(view.id, catalogue)) or choices
            except (HubFailed, ComputerUnreachable):
                # The agent has no list just now: what is known without it is offered, and words, where they may be.
                choices = choices or ()
        present = record.get(setting.key)
        known = any(is_set(each, present) for each in choices)
        if not known and present is not None:
            choices = (current_choice((), present), *choices)
        return [Value(each.value, each.label, is_set(each, present), each.tone == "danger") for each in choices]

    async def _fetch(self, pressed: Pressed) -> Json:
        try:
            return await fetch(self.desk, self.api, pressed.act.session or "")
        except HubError as error:
            raise Refused(hub_words(error)) from error


def settings_card(record: Json, page: int = 0, said: str = "") -> Card:
    """The settings of a session as they stand."""
    flavor = SessionView(record).flavor
    rows = []
    for setting in settings_of(flavor):
        choices, present = fixed_choices(flavor, setting), record.get(setting.key)
        found = next((each for each in choices if is_set(each, present)), None) or current_choice(choices, present)
        rows.append((setting.name, found.label))
    return present_settings(_about(record, page), rows, said)


def _about(record: Json, page: int = 0) -> About:
    view = SessionView(record)
    return About(view.id, view.title, page)
