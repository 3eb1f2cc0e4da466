"""What the app answers to interactions: in the acknowledgement, or later at the response_url."""

import json
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bridge.sandbox.bus import Call
from bridge.sandbox.slack.api import Api
from bridge.sandbox.slack.errors import SlackError
from bridge.sandbox.slack.events import Event
from bridge.sandbox.slack.request import Request
from bridge.sandbox.slack.state import Channel, Json, Message, User, View
from bridge.sandbox.slack.views import push, replace

USES = 5
LIFE_SECONDS = 1800.0
FIELDS = frozenset(
    {"text", "blocks", "attachments", "response_type", "replace_original", "delete_original", "thread_ts"}
    | {"unfurl_links", "unfurl_media", "metadata", "mrkdwn"}
)
TROUBLE = "We had some trouble connecting. Try again?"


@dataclass(slots=True)
class ResponseUrl:
    """Where the app may answer one interaction: five times within thirty minutes."""

    at: float
    channel: Channel
    user: User
    message: Message | None
    uses: int = 0


class Responses(Api):
    """A world in which the app answers people."""

    def __init__(self, **world: Any) -> None:
        super().__init__(**world)
        self.response_urls: dict[str, ResponseUrl] = {}

    def new_response_url(self, channel: Channel, user: User, message: Message | None = None) -> str:
        """The address for answers to one interaction."""
        number = self.new_id("R")
        self.response_urls[number] = ResponseUrl(self.clock(), channel, user, message)
        return f"{self.origin}/actions/{self.team.id}/{number}"

    async def take_response(self, http: web.Request) -> web.Response:
        """A POST to a response_url. Refusals are plain text, as Slack's are."""
        place = self.response_urls.get(http.match_info["number"])
        body: Any = {}
        try:
            if place is None:
                raise SlackError("used_url", status=404)
            if self.clock() - place.at > LIFE_SECONDS:
                raise SlackError("expired_url", status=404)
            if place.uses >= USES:
                raise SlackError("used_url", status=404)
            try:
                body = json.loads(await http.text())
            except ValueError:
                raise SlackError("invalid_payload", status=400) from None
            self.respond(place, body)
            place.uses += 1
        except SlackError as error:
            status = error.status if error.status != 200 else 400
            self._log_response("response_url", body, status, error.words)
            return web.Response(status=status, text=error.error)
        self._log_response("response_url", body, 200, "")
        return web.Response(text="ok")

    def respond(self, place: ResponseUrl, body: Any) -> None:
        """Carries an answer out. Raises SlackError for what no message can be."""
        if not isinstance(body, dict) or body.keys() - FIELDS:
            raise SlackError("invalid_payload")
        original = place.message
        if body.get("delete_original") and original is not None:
            self.remove(original)
            return
        call = Request("response_url", body, self.scopes, lambda channel: None)
        content = self.content.message(call)
        if body.get("replace_original") and original is not None:
            self.change(original, **content)
            return
        thread = body.get("thread_ts")
        loud = body.get("response_type") == "in_channel"
        self.post(place.channel, self.bot, thread_ts=thread, ephemeral_to=None if loud else place.user, **content)

    def take_view_answer(self, view: View, answer: Json | None) -> None:
        """What happens to a submitted modal: it closes, or shows what ``response_action`` says."""
        stack = self.modals.get(view.user.id, [])
        if view not in stack:
            return
        action = (answer or {}).get("response_action")
        try:
            if action == "errors":
                view.errors = self._errors(view, answer or {})
            elif action == "clear":
                stack.clear()
            elif action in ("update", "push"):
                raw = self.content.view((answer or {}).get("view"), ("modal",))
                if action == "push":
                    push(self, view.user, raw)
                else:
                    replace(self, view, raw)
            elif action is None:
                stack.remove(view)
            else:
                raise SlackError("invalid_response_action")
        except SlackError as error:
            view.errors = {"": TROUBLE}
            self._log_response("view_submission", answer, 400, error.words)
        self.emit("view", view=view)

    def _errors(self, view: View, answer: Json) -> dict[str, str]:
        errors = answer.get("errors")
        inputs = {block["block_id"] for block in view.blocks if block["type"] == "input"}
        if not isinstance(errors, dict) or not errors or errors.keys() - inputs:
            raise SlackError("invalid_errors")
        return errors

    def _log_response(self, name: str, body: Any, status: int, words: str) -> None:
        call = Call(self.clock(), name, body if isinstance(body, dict) else {}, status, words)
        self.calls.append(call)
        self.bus.emit(Event("call", call.at, call=call))
