"""The person's side, hands: buttons, menus, modals, commands, shortcuts, the Home tab."""

from typing import Any

from bridge.sandbox.slack.agents import STOPPED
from bridge.sandbox.slack.errors import SlackError
from bridge.sandbox.slack.events import Delivery
from bridge.sandbox.slack.responses import TROUBLE, Responses
from bridge.sandbox.slack.state import Channel, Json, Message, User, View
from bridge.sandbox.slack.values import Value, filled, initial, is_empty
from bridge.sandbox.slack.walk import Placed, find_element, placed_elements
from bridge.sandbox.slack.wire import message_json, view_json

Place = Message | View


class Presses(Responses):
    """A world with people who press things. Each gesture is sent to the app at once; ``answered`` waits for it."""

    def __init__(self, *, commands: tuple[str, ...], **world: Any) -> None:
        super().__init__(**world)
        self.commands = commands
        self._values: dict[tuple[str, str, str], dict[str, dict[str, Json]]] = {}

    async def answered(self, delivery: Delivery, timeout: float = 5.0) -> Json | None:
        """The app's response in its acknowledgement. Raises TimeoutError if none comes, or it was given up."""
        await self.wait_for(lambda: delivery.state != "waiting", timeout, f"an answer to {delivery.name}")
        if delivery.state == "failed":
            raise TimeoutError(f"the app did not acknowledge {delivery.name}: {delivery.attempts}")
        return delivery.response

    def press(self, place: Place, element: str | Placed, user: User, *, stale: bool = False) -> Delivery:
        """The user presses the button, or the one with this label or action_id (and confirms, where asked).

        ``stale`` presses a button the message no longer has, as on a screen not yet redrawn. Raises LookupError if
        there is no such button.
        """
        if isinstance(element, Placed):
            placed = element
        else:
            placed = _earlier(place, element) if stale else place.element(element)
        if placed.type not in ("button", "icon_button"):
            raise LookupError(f"{placed.label!r} is a {placed.type}; choose a value in it")
        shown: Json = {name: placed.raw[name] for name in ("text", "value", "style") if name in placed.raw}
        return self._act(place, placed, user, shown)

    def choose(self, place: Place, element: str | Placed, value: Value, user: User) -> Delivery:
        """The user chooses in a menu, checkboxes, radio buttons or a date: options by their text or value."""
        placed = element if isinstance(element, Placed) else place.element(element)
        state = filled(placed, value)
        if placed.type != "overflow":
            self._state_of(place, user).setdefault(placed.block_id, {})[placed.action_id] = state
        return self._act(place, placed, user, state)

    def submit_view(self, view: View, values: dict[str, Value], user: User) -> Delivery:
        """The user fills a modal in (by label, action_id or block_id) and submits it.

        Raises LookupError for an unknown field or option, and ValueError for a required one left empty: Slack itself
        asks for it. What the app answers (errors, another view, nothing) shows in ``view.errors`` and ``modals``.
        """
        self._top(view, user)
        for name, value in values.items():
            placed = view.element(name)
            view.values.setdefault(placed.block_id, {})[placed.action_id] = filled(placed, value)
        state = self._state_of(view, user)
        for block in (one for one in view.blocks if one["type"] == "input" and not one.get("optional")):
            if is_empty(next(iter(state[block["block_id"]].values()))):
                raise ValueError(f"{block['label']['text']!r} must be filled in")
        view.errors = {}
        payload = self._payload("view_submission", user, view) | {"response_urls": []}
        delivery = self._send("interactive", payload)
        delivery.acked = lambda answer: self.take_view_answer(view, answer)
        return delivery

    def close_view(self, view: View, user: User) -> Delivery | None:
        """The user closes a modal. The app hears of it where it asked to (``notify_on_close``)."""
        stack = self._top(view, user)
        stack.remove(view)
        self.emit("view", view=view)
        if not view.raw.get("notify_on_close"):
            return None
        return self._send("interactive", self._payload("view_closed", user, view) | {"is_cleared": False})

    def modal(self, user: User) -> View | None:
        """The modal this person sees now."""
        stack = self.modals.get(user.id)
        return stack[-1] if stack else None

    def home(self, user: User) -> View | None:
        """This person's Home tab, once the app published it."""
        return self.homes.get(user.id)

    def load_options(self, place: Place, element: str, query: str, user: User) -> Delivery:
        """The user types in an external_select; the app answers with options."""
        placed = place.element(element)
        payload = self._payload("block_suggestion", user, place) | {"value": query}
        return self._send("interactive", payload | {"action_id": placed.action_id, "block_id": placed.block_id})

    def slash_command(self, channel: Channel, user: User, command: str, text: str = "") -> Delivery:
        """The user sends a slash command, in the channel's main stream: threads have none. LookupError for an unknown
        one. What comes with the acknowledgement is shown to the user alone, or in the channel.
        """
        if command not in self.commands or "commands" not in self.scopes:
            raise LookupError(f"{command} is not a valid command")
        payload: Json = {
            "token": "sandbox",
            "team_id": self.team.id,
            "team_domain": self.team.domain,
            "channel_id": channel.id,
            "channel_name": "directmessage" if channel.is_im else channel.name,
            "user_id": user.id,
            "user_name": user.name,
            "command": command,
            "text": text,
            "api_app_id": self.bot.app_id,
            "is_enterprise_install": "false",
            "response_url": self.new_response_url(channel, user),
            "trigger_id": self.new_trigger(user),
        }
        delivery = self._send("slash_commands", payload)
        place = self.response_urls[payload["response_url"].rsplit("/", 1)[1]]

        def answer(body: Json | None) -> None:
            try:
                if body:
                    self.respond(place, body)
            except SlackError as error:
                self._log_response("slash command", body, 400, error.words)

        delivery.acked = answer
        return delivery

    def message_shortcut(self, message: Message, callback_id: str, user: User) -> Delivery:
        """The user chooses one of the app's shortcuts in a message's menu."""
        payload = self._base("message_action", user) | {"callback_id": callback_id, "message_ts": message.ts}
        payload |= {
            "channel": _channel(message.channel),
            "message": message_json(message, self.origin),
            "response_url": self.new_response_url(message.channel, user),
            "action_ts": self.next_ts(),
        }
        return self._send("interactive", payload)

    def global_shortcut(self, callback_id: str, user: User) -> Delivery:
        """The user chooses one of the app's shortcuts in the search or the composer."""
        payload = self._base("shortcut", user) | {"callback_id": callback_id, "action_ts": self.next_ts()}
        return self._send("interactive", payload)

    def open_home(self, user: User, tab: str = "home") -> None:
        """The user opens the app's Home (or its ``messages``) tab: ``app_home_opened``."""
        event: Json = {"type": "app_home_opened", "user": user.id, "channel": self.dm(user).id, "tab": tab}
        view = self.homes.get(user.id)
        if view is not None and tab == "home":
            event["view"] = view_json(view, self.team.id, self.bot)
        self.notify(event | {"event_ts": self.next_ts()}, "app_home_opened")

    def stop_session(self, channel: Channel, thread: Message | str, user: User) -> None:
        """The user presses Slack's own Stop: its streams in the thread end, the app is told, the status stays.

        Raises LookupError where no such button shows: no session, not processing, or the app does not subscribe.
        """
        ts = thread if isinstance(thread, str) else (thread.thread_ts or thread.ts)
        session = self.sessions.get((channel.id, ts))
        if session is None or session.status != "processing" or session.warned:
            raise LookupError("there is no Stop button in this thread")
        running = [m for m in channel.thread(ts) if self.stream_state(m) == "streaming"]
        for message in running:
            if message.stream is not None:
                message.stream.state = "stopped_by_user"
                self.emit("stream", channel, message)
        event: Json = {"type": STOPPED, "channel": channel.id, "thread_ts": ts, "user": user.id}
        event |= {"streaming_message_ts": [m.ts for m in running], "event_ts": self.next_ts()}
        self.notify(event, STOPPED, "chat:write", channel)

    def _act(self, place: Place, placed: Placed, user: User, more: Json) -> Delivery:
        action: Json = {"type": placed.type, "action_id": placed.action_id, "block_id": placed.block_id}
        action |= more | {"action_ts": self.next_ts()}
        payload = self._payload("block_actions", user, place) | {"actions": [action]}
        channel, message = (place.channel, place) if isinstance(place, Message) else (None, None)
        self.emit("press", channel, message, element=placed.label, user=user.id)
        return self._send("interactive", payload)

    def _payload(self, kind: str, user: User, place: Place) -> Json:
        if isinstance(place, View):
            place.values = self._state_of(place, user)
            payload = self._base(kind, user, place) | {"view": view_json(place, self.team.id, self.bot)}
            return payload | {"container": {"type": "view", "view_id": place.id}}
        hidden = place.ephemeral_to is not None
        container: Json = {"type": "message", "message_ts": place.ts, "channel_id": place.channel.id}
        container["is_ephemeral"] = hidden
        if place.thread_ts is not None:
            container["thread_ts"] = place.thread_ts
        payload = self._base(kind, user) | {
            "container": container,
            "channel": _channel(place.channel),
            "state": {"values": self._state_of(place, user)},
            "response_url": self.new_response_url(place.channel, user, place),
        }
        return payload if hidden else payload | {"message": message_json(place, self.origin)}

    def _base(self, kind: str, user: User, view: View | None = None) -> Json:
        return {
            "type": kind,
            "token": "sandbox",
            "api_app_id": self.bot.app_id,
            "team": {"id": self.team.id, "domain": self.team.domain},
            "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team_id},
            "enterprise": None,
            "is_enterprise_install": False,
            "trigger_id": self.new_trigger(user, view),
        }

    def _state_of(self, place: Place, user: User) -> dict[str, dict[str, Json]]:
        """What this person chose so far, with the initial values of what they did not touch."""
        if isinstance(place, View):
            values = place.values
        else:
            values = self._values.setdefault((place.channel.id, place.ts, user.id), {})
        for placed in place.elements:
            start = initial(placed)
            if start is not None:
                values.setdefault(placed.block_id, {}).setdefault(placed.action_id, start)
        return values

    def _top(self, view: View, user: User) -> list[View]:
        stack = self.modals.get(user.id, [])
        if not stack or stack[-1] is not view:
            raise LookupError(f"{user.name} does not see the view {view.title!r}")
        return stack

    def _send(self, kind: str, payload: Json) -> Delivery:
        delivery = Delivery(kind, payload, self.clock())
        return self.office.send(delivery)

    def _delivery_changed(self, delivery: Delivery) -> None:
        if delivery.state == "failed" and delivery.payload.get("type") == "view_submission":
            self.views[delivery.payload["view"]["id"]].errors = {"": TROUBLE}
        super()._delivery_changed(delivery)


def _channel(channel: Channel) -> Json:
    return {"id": channel.id, "name": "directmessage" if channel.is_im else channel.name}


def _earlier(place: Place, element: str) -> Placed:
    if isinstance(place, View):
        raise LookupError("a view has no earlier state")
    similar: list[Placed] = []
    for revision in reversed(place.history):
        blocks = [*revision.blocks, *(b for one in revision.attachments for b in one.get("blocks", []))]
        try:
            placed = find_element(list(placed_elements(blocks)), element, f"message {place.ts}")
        except LookupError:
            continue
        if element in (placed.label, placed.action_id, placed.raw.get("value")):
            return placed
        similar.append(placed)  # "Allow" is meant, where it was, before "Allowed", which stands there now
    if similar:
        return similar[0]
    raise LookupError(f"message {place.ts} never had a button {element!r}")
