"""Modals and the Home tab: views.open, push, update, publish. A trigger is good once, and for three seconds."""

from bridge.sandbox.slack.api import Api
from bridge.sandbox.slack.errors import SlackError
from bridge.sandbox.slack.request import Request
from bridge.sandbox.slack.state import Json, User, View
from bridge.sandbox.slack.wire import view_json
from bridge.sandbox.slack.world import Trigger, World

TRIGGER_SECONDS = 3.0
MAX_STACK = 3


def open_view(world: Api, call: Request) -> Json:
    """views.open."""
    trigger = _trigger(world, call)
    raw = world.content.view(call.need("view"), ("modal",))
    _check_external_id(world, raw)
    call.approve(None)
    trigger.used = True
    view = add_view(world, trigger.user, raw, None)
    world.modals[trigger.user.id] = [view]
    world.emit("view", view=view)
    return {"view": view_json(view, world.team.id, world.bot)}


def push_view(world: Api, call: Request) -> Json:
    """views.push: up to three views deep, by the trigger of an interaction in a modal."""
    trigger = _trigger(world, call)
    raw = world.content.view(call.need("view"), ("modal",))
    stack = world.modals.get(trigger.user.id, [])
    if not stack or trigger.view is None:
        raise SlackError("not_found")
    if len(stack) >= MAX_STACK:
        raise SlackError("push_limit_reached")
    _check_external_id(world, raw)
    call.approve(None)
    trigger.used = True
    return {"view": view_json(push(world, trigger.user, raw), world.team.id, world.bot)}


def update_view(world: Api, call: Request) -> Json:
    """views.update, by id or external_id; with ``hash`` only if nothing changed meanwhile."""
    wanted, external = call.get("view_id"), call.get("external_id")
    found = [v for v in world.views.values() if v.id == wanted or (external and v.raw.get("external_id") == external)]
    if not found or (found[0].type == "modal" and found[0] not in world.modals.get(found[0].user.id, [])):
        raise SlackError("not_found")
    view = found[0]
    raw = world.content.view(call.need("view"), (view.type,))
    if call.get("hash") not in (None, view.hash):
        raise SlackError("hash_conflict")
    call.approve(None)
    replace(world, view, raw)
    return {"view": view_json(view, world.team.id, world.bot)}


def publish(world: Api, call: Request) -> Json:
    """views.publish: someone's Home tab."""
    user = world.users.get(call.need("user_id"))
    if user is None or user.is_bot:
        raise SlackError("user_not_found")
    raw = world.content.view(call.need("view"), ("home",))
    view = world.homes.get(user.id)
    if call.get("hash") is not None and (view is None or call.get("hash") != view.hash):
        raise SlackError("hash_conflict")
    call.approve(None)
    if view is None:
        view = world.homes[user.id] = add_view(world, user, raw, None)
    else:
        replace(world, view, raw)
    world.emit("home", user=user, view=view)
    return {"view": view_json(view, world.team.id, world.bot)}


def add_view(world: World, user: User, raw: Json, below: View | None) -> View:
    """A new view, above ``below``."""
    view_id = world.new_id("V")
    root = view_id if below is None else below.root_id
    view = View(view_id, raw["type"], user, raw, _hash(world), root, None if below is None else below.id)
    world.views[view_id] = view
    return view


def push(world: World, user: User, raw: Json) -> View:
    """Puts a view on top of the person's open ones."""
    stack = world.modals[user.id]
    view = add_view(world, user, raw, stack[-1])
    stack.append(view)
    world.emit("view", view=view)
    return view


def replace(world: World, view: View, raw: Json) -> None:
    """Gives a view new content. What was filled in stays where block_id and action_id do."""
    view.raw, view.hash, view.errors = raw, _hash(world), {}
    there = {(one.block_id, one.action_id) for one in view.elements}
    kept = {
        block: {action: value for action, value in actions.items() if (block, action) in there}
        for block, actions in view.values.items()
    }
    view.values = {block: actions for block, actions in kept.items() if actions}
    world.emit("view", view=view)


def _hash(world: World) -> str:
    return f"{world.next_ts()}.{world.new_id('h')}"


def _trigger(world: World, call: Request) -> Trigger:
    trigger = world.triggers.get(call.need("trigger_id"))
    if trigger is None:
        raise SlackError("invalid_trigger_id")
    if trigger.used:
        raise SlackError("exchanged_trigger_id")
    if world.clock() - trigger.at > TRIGGER_SECONDS:
        raise SlackError("expired_trigger_id")
    return trigger


def _check_external_id(world: World, raw: Json) -> None:
    open_ones = [view for stack in world.modals.values() for view in stack]
    if raw.get("external_id") and any(view.raw.get("external_id") == raw["external_id"] for view in open_ones):
        raise SlackError("duplicate_external_id")
