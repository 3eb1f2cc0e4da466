"""The sandbox hub's calls that change a session itself: its settings, pin, control, commands and lists of models."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from bridge.hub.flavors import PERMISSION_MODES
from bridge.hub.rest import SETTINGS as KEYS
from bridge.hub.session_settings import SETTINGS, settings_of
from bridge.sandbox.hub_answers import Refused, body_of, ok
from bridge.sandbox.hub_session import Session
from bridge.sandbox.hub_state import HubState, Json

_TAKES: dict[str, tuple[str, ...]] = {
    "service-tier": ("fast", "standard"),
    "collaboration-mode": ("default", "plan"),
    "copilot-agent-mode": ("interactive", "plan", "autopilot"),
}
_REFUSALS = {
    "permission-mode": "Permission mode not supported for session flavor",
    "model": "Model selection is not supported for this session",
    "effort": "Effort selection is not supported for this session type",
    "model-reasoning-effort": "Model reasoning effort is only supported for Codex and OpenCode sessions",
    "service-tier": "Fast mode is only supported for Codex sessions",
    "collaboration-mode": "Collaboration mode is only supported for Codex sessions",
    "copilot-agent-mode": "Copilot agent mode is only supported for Copilot sessions",
}


class SessionCalls:
    """Handlers over a `HubState`. What an agent knows itself stands in ``Session.knows`` by the endpoint's name."""

    def __init__(self, state: HubState) -> None:
        self._state = state

    def routes(self) -> list[web.RouteDef]:
        at = "/api/sessions/{session}"
        known = "codex|copilot|cursor|grok|opencode|pi"
        return [
            web.put(at + "/pin", self.pin),
            web.post(at + "/switch", self.switch),
            web.get(at + "/slash-commands", self.commands),
            web.get(at + "/skills", self.skills),
            web.get(at + "/{flavor:" + known + "}-models", self.models),
            web.get(at + "/{flavor:grok|opencode}-reasoning-effort-options", self.efforts),
            *(web.post(f"{at}/{name}", self._setter(name)) for name in SETTINGS),
        ]

    async def pin(self, request: web.Request) -> web.Response:
        session, body = self._session(request), await body_of(request)
        mode = body.get("mode")
        if mode not in ("none", "project", "global"):
            raise Refused(400, "Invalid body: mode must be none, project, or global")
        self._state.patch(session, pinned=mode == "project", globalPinned=mode == "global")
        return ok()

    async def switch(self, request: web.Request) -> web.Response:
        session = self._active(request)
        if not session.reachable:
            raise Refused(500, "Internal Server Error", plain=True)
        self._state.control(session, by_user=False)
        return ok()

    async def commands(self, request: web.Request) -> web.Response:
        session = self._session(request)
        return web.json_response({"success": True, "commands": session.knows.get("slash-commands", [])})

    async def skills(self, request: web.Request) -> web.Response:
        return web.json_response({"success": True, "skills": self._session(request).knows.get("skills", [])})

    async def models(self, request: web.Request) -> web.Response:
        return self._list(request, f"{request.match_info['flavor']}-models", "availableModels")

    async def efforts(self, request: web.Request) -> web.Response:
        return self._list(request, f"{request.match_info['flavor']}-reasoning-effort-options", "options")

    def _list(self, request: web.Request, name: str, key: str) -> web.Response:
        session, flavor = self._session(request), request.match_info["flavor"]
        if session.record["metadata"]["flavor"] != flavor:
            words = f"{flavor.capitalize()} models are only available for {flavor.capitalize()} sessions"
            return web.json_response({"success": False, "error": words}, status=400)
        return web.json_response({"success": True, key: session.knows.get(name, [])})

    def _setter(self, name: str) -> Any:
        async def setter(request: web.Request) -> web.Response:
            session, body = self._session(request), await body_of(request)
            flavor = str(session.record["metadata"]["flavor"])
            if SETTINGS[name] not in settings_of(flavor):
                raise Refused(400, _REFUSALS[name])
            value = _value(name, flavor, body)
            self._active(request)
            if session.refuses:
                raise Refused(409, session.refuses)
            self._state.patch(session, **{SETTINGS[name].key: value})
            return ok()

        return setter

    def _session(self, request: web.Request) -> Session:
        session = self._state.sessions.get(request.match_info["session"])
        if session is None:
            raise Refused(404, "Session not found")
        return session

    def _active(self, request: web.Request) -> Session:
        session = self._session(request)
        if not session.record["active"]:
            raise Refused(409, "Session is inactive", code="session_inactive")
        return session


def _value(name: str, flavor: str, body: Json) -> Any:
    """What is to be set, as the hub takes it. Raises `Refused`."""
    if KEYS[name] not in body:
        raise Refused(400, "Invalid body")
    value = body[KEYS[name]]
    if name == "permission-mode" and value not in {each.mode for each in PERMISSION_MODES[flavor]}:
        raise Refused(400, "Invalid permission mode for session flavor")
    if name in _TAKES and value not in _TAKES[name]:
        raise Refused(400, "Invalid body")
    if name not in _TAKES and not isinstance(value, (str, dict, type(None))):
        raise Refused(400, "Invalid body")
    return value
