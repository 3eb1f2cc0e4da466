"""The person's side, hands: buttons, menus, modals, commands, shortcuts, the Home tab, and what the app answers."""

from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bridge.sandbox.slack import Channel, Message, SlackServer, User, View


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def option(text: str) -> dict[str, Any]:
    return {"text": plain(text), "value": text[:1]}


ALLOW = {
    "type": "button",
    "text": plain("Allow"),
    "action_id": "allow",
    "value": "r1",
    "style": "primary",
    "confirm": {
        "title": plain("Sure?"),
        "text": plain("It deletes files"),
        "confirm": plain("Yes"),
        "deny": plain("No"),
    },
}
BOXES = {"type": "checkboxes", "action_id": "boxes", "options": [option("a"), option("b")]}
CARD = [{"type": "actions", "block_id": "row", "elements": [ALLOW, BOXES]}]
REASON = {
    "type": "input",
    "block_id": "reason",
    "label": plain("Reason"),
    "element": {"type": "plain_text_input", "action_id": "words"},
}
MODAL = {"type": "modal", "callback_id": "deny", "title": plain("Deny"), "submit": plain("Send"), "blocks": [REASON]}


@pytest.fixture
async def card(client: AsyncWebClient, dm: Channel) -> Message:
    """A message with a button, in an attachment with a colour bar."""
    await client.chat_postMessage(channel=dm.id, text="May I?", attachments=[{"color": "#fa0", "blocks": CARD}])
    return dm.from_bot[0]


@pytest.fixture
async def view(client: AsyncWebClient, server: SlackServer, ada: User) -> View:
    """A modal that Ada sees."""
    await client.views_open(trigger_id=server.new_trigger(ada), view=MODAL)
    found = server.modal(ada)
    assert found is not None
    return found


async def why(client: AsyncWebClient, method: str, **arguments: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        await client.api_call(method, json=arguments)
    return str(caught.value.response["error"])


async def test_a_press_carries_what_the_app_needs(app: Any, server: SlackServer, card: Message, ada: User) -> None:
    assert card.element("Allow").confirm is not None
    await server.answered(server.press(card, "Allow", ada))
    body = app.bodies[-1]
    (action,) = body["actions"]
    assert (body["type"], body["user"]["id"], body["message"]["ts"]) == ("block_actions", ada.id, card.ts)
    assert (action["action_id"], action["block_id"], action["value"]) == ("allow", "row", "r1")
    with pytest.raises(LookupError, match="no element 'Deny'"):
        server.press(card, "Deny", ada)
    with pytest.raises(LookupError, match="choose a value"):
        server.press(card, "boxes", ada)


async def test_a_screen_not_yet_redrawn_can_be_pressed(
    app: Any, client: AsyncWebClient, server: SlackServer, card: Message, ada: User
) -> None:
    """Invariant 4 is tested with such presses."""
    await client.chat_update(channel=card.channel.id, ts=card.ts, text="Allowed.", attachments=[])
    with pytest.raises(LookupError):
        server.press(card, "Allow", ada)
    await server.answered(server.press(card, "Allow", ada, stale=True))
    assert app.bodies[-1]["actions"][0]["value"] == "r1"
    inert = {"type": "button", "text": {"type": "plain_text", "text": "🟢 Allowed"}, "action_id": "-1"}
    after = [{"type": "actions", "elements": [inert]}]
    await client.chat_update(channel=card.channel.id, ts=card.ts, text="Allowed.", blocks=after, attachments=[])
    await server.answered(server.press(card, "Allow", ada, stale=True))
    assert app.bodies[-1]["actions"][0]["value"] == "r1", "the button that was called so, not one called alike"


async def test_choices_are_kept_in_the_state(app: Any, server: SlackServer, card: Message, ada: User) -> None:
    await server.answered(server.choose(card, "boxes", ["a", "b"], ada))
    await server.answered(server.press(card, "Allow", ada))
    chosen = app.bodies[-1]["state"]["values"]["row"]["boxes"]["selected_options"]
    assert [one["value"] for one in chosen] == ["a", "b"]
    with pytest.raises(LookupError, match="no option 'c'; there are"):
        server.choose(card, "boxes", ["c"], ada)


async def test_the_response_url_answers_five_times_for_half_an_hour(
    app: Any, server: SlackServer, card: Message, dm: Channel, ada: User, clock: Any
) -> None:
    await server.answered(server.press(card, "Allow", ada))
    hook = AsyncWebhookClient(app.bodies[-1]["response_url"], retry_handlers=[])
    await hook.send(text="only you see this")
    await hook.send(text="all see this", response_type="in_channel")
    await hook.send(text="Allowed by Ada.", replace_original=True)
    assert ([m.text for m in dm.ephemeral(ada)], card.text) == (["only you see this"], "Allowed by Ada.")
    assert (await hook.send(text="", blocks=[])).body == "no_text"
    await hook.send(delete_original=True)
    assert [m.text for m in dm.visible] == ["all see this"]
    await hook.send(text="fifth")
    late = await hook.send(text="sixth")
    assert (late.status_code, late.body) == (404, "used_url")
    url = server.new_response_url(dm, ada)
    clock.advance(1801)
    assert (await AsyncWebhookClient(url, retry_handlers=[]).send(text="x")).body == "expired_url"
    async with aiohttp.ClientSession() as session, session.post(server.new_response_url(dm, ada), data="{") as answer:
        assert (answer.status, await answer.text()) == (400, "invalid_payload")


async def test_triggers_are_good_once_and_for_three_seconds(
    client: AsyncWebClient, server: SlackServer, ada: User, clock: Any
) -> None:
    assert await why(client, "views.open", trigger_id="1.2.3", view=MODAL) == "invalid_trigger_id"
    trigger = server.new_trigger(ada)
    await client.views_open(trigger_id=trigger, view=MODAL)
    assert await why(client, "views.open", trigger_id=trigger, view=MODAL) == "exchanged_trigger_id"
    late = server.new_trigger(ada)
    clock.advance(3.1)
    assert await why(client, "views.open", trigger_id=late, view=MODAL) == "expired_trigger_id"


async def test_a_modal_closes_on_a_plain_acknowledgement(app: Any, server: SlackServer, view: View, ada: User) -> None:
    with pytest.raises(ValueError, match="'Reason' must be filled in"):
        server.submit_view(view, {}, ada)
    await server.answered(server.submit_view(view, {"Reason": "too risky"}, ada))
    assert app.bodies[-1]["view"]["state"]["values"]["reason"]["words"]["value"] == "too risky"
    assert server.modal(ada) is None
    with pytest.raises(LookupError, match="does not see"):
        server.submit_view(view, {"Reason": "again"}, ada)


async def test_a_modal_shows_errors_another_view_or_trouble(
    app: Any, server: SlackServer, view: View, ada: User
) -> None:
    async def submit(answer: Any, shown: View) -> None:
        app.answer = answer
        await server.answered(server.submit_view(shown, {"Reason": "no"}, ada))

    await submit({"response_action": "errors", "errors": {"reason": "Say more"}}, view)
    assert (server.modal(ada), view.errors) == (view, {"reason": "Say more"})
    await submit({"response_action": "errors", "errors": {"other": "?"}}, view)
    assert view.errors == {"": "We had some trouble connecting. Try again?"}
    await submit({"response_action": "update", "view": MODAL | {"title": plain("Deny it")}}, view)
    assert (view.title, view.errors) == ("Deny it", {})
    await submit({"response_action": "push", "view": MODAL | {"title": plain("Really?")}}, view)
    top = server.modal(ada)
    assert top is not None
    assert (top.title, top.previous_id, len(server.modals[ada.id])) == ("Really?", view.id, 2)
    await submit({"response_action": "clear"}, top)
    assert server.modal(ada) is None


async def test_a_submission_without_acknowledgement_leaves_the_modal_in_trouble(
    server: SlackServer, view: View, ada: User
) -> None:
    delivery = server.submit_view(view, {"Reason": "no"}, ada)
    with pytest.raises(TimeoutError, match="did not acknowledge view_submission"):
        await server.answered(delivery)
    assert view.errors == {"": "We had some trouble connecting. Try again?"}


async def test_views_are_pushed_updated_and_closed(
    app: Any, client: AsyncWebClient, server: SlackServer, view: View, ada: User
) -> None:
    assert await why(client, "views.push", trigger_id=server.new_trigger(ada), view=MODAL) == "not_found"
    for _ in range(2):
        await client.views_push(trigger_id=server.new_trigger(ada, view), view=MODAL | {"notify_on_close": True})
    assert await why(client, "views.push", trigger_id=server.new_trigger(ada, view), view=MODAL) == "push_limit_reached"
    assert await why(client, "views.update", view_id=view.id, hash="old", view=MODAL) == "hash_conflict"
    await client.views_update(view_id=view.id, hash=view.hash, view=MODAL | {"title": plain("New")})
    assert await why(client, "views.update", view_id="V9", view=MODAL) == "not_found"
    top = server.modal(ada)
    assert top is not None
    closed = server.close_view(top, ada)
    assert closed is not None
    await server.answered(closed)
    assert (app.bodies[-1]["type"], len(server.modals[ada.id])) == ("view_closed", 2)


async def test_slash_commands_answer_in_the_acknowledgement(
    app: Any, server: SlackServer, channel: Channel, ada: User
) -> None:
    app.answer = "Nothing runs."
    await server.answered(server.slash_command(channel, ada, "/hapi", "status"))
    assert [m.text for m in channel.ephemeral(ada)] == ["Nothing runs."]
    app.answer = {"text": "Attached.", "response_type": "in_channel"}
    await server.answered(server.slash_command(channel, ada, "/hapi", "attach"))
    assert [m.text for m in channel.from_bot] == ["Attached."]
    body = app.bodies[-1]
    assert (body["command"], body["text"], body["channel_name"]) == ("/hapi", "attach", "work")
    with pytest.raises(LookupError, match="not a valid command"):
        server.slash_command(channel, ada, "/other")


async def test_shortcuts_and_options(
    app: Any, client: AsyncWebClient, server: SlackServer, dm: Channel, ada: User
) -> None:
    said = server.say(dm, ada, "look at this")
    await server.answered(server.message_shortcut(said, "send_to_agent", ada))
    assert (app.bodies[-1]["type"], app.bodies[-1]["message"]["text"]) == ("message_action", "look at this")
    select = {"type": "external_select", "action_id": "pick", "placeholder": plain("Session")}
    blocks = [{"type": "section", "text": plain("Which?"), "accessory": select}]
    await client.chat_postMessage(channel=dm.id, text="Which?", blocks=blocks)
    app.answer = {"options": [option("one")]}
    loaded = await server.answered(server.load_options(dm.from_bot[0], "pick", "on", ada))
    assert (app.bodies[-1]["value"], loaded) == ("on", app.answer)


async def test_the_home_tab_is_published_per_person(
    app: Any, client: AsyncWebClient, server: SlackServer, ada: User
) -> None:
    home = {"type": "home", "blocks": CARD}
    await client.views_publish(user_id=ada.id, view=home)
    shown = server.home(ada)
    assert shown is not None
    server.open_home(ada)
    await server.wait_for(lambda: app.event("app_home_opened"), what="the event")
    await server.answered(server.press(shown, "Allow", ada))
    assert app.bodies[-1]["view"]["type"] == "home"
    assert await why(client, "views.publish", user_id=ada.id, view=home, hash="old") == "hash_conflict"
