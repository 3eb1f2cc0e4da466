"""The sandbox hub's computers: which directories and agents they have, and how a session is started on one.

A computer's disk is a set of directories. Answers have the real hub's codes and shapes, also where it reports a failure
with status 200.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath

from aiohttp import web

from bridge.sandbox.hub_answers import Refused, body_of
from bridge.sandbox.hub_session import Session
from bridge.sandbox.hub_state import HubState, Json

AGENTS = ("agy", "claude", "codex", "dsh", "copilot", "cursor", "grok", "kimi", "opencode", "pi")
_OPTIONS = ("model", "effort", "modelReasoningEffort", "permissionMode", "serviceTier", "collaborationMode")


@dataclass(slots=True, eq=False)
class Computer:
    """What a computer has, by the id of its machine."""

    home: str = "/home/ada"
    directories: set[str] = field(default_factory=set)
    repositories: set[str] = field(default_factory=set)
    """Directories that Git knows: only in these can a worktree be made."""
    agents: tuple[str, ...] = ("claude", "codex")
    models: dict[str, list[Json]] = field(default_factory=dict)
    """The models of its agents, by flavor, as its catalogue lists them."""
    refuses: str = ""
    """Why nothing can be started on it, if so."""
    answers_after_s: float = 0.0
    """How long it keeps to itself that a session runs."""
    wakes_after_s: float = 0.0
    """How long a session that it started is there before it takes messages, as on a busy computer."""


class Computers:
    """Handlers over a `HubState`. ``started`` is called with every session that was started here."""

    def __init__(self, state: HubState) -> None:
        self._state = state
        self._of: dict[str, Computer] = {}
        self.started: Callable[[Session], None] = lambda _: None

    def __getitem__(self, machine: str) -> Computer:
        """The computer of a machine, as a test or a scenario sets it up."""
        return self._of.setdefault(machine, Computer())

    def routes(self) -> list[web.RouteDef]:
        at = "/api/machines/{machine}"
        return [
            web.get("/api/machines", self.machines),
            web.get(at + "/agent-availability", self.availability),
            web.get(at + "/{flavor}-models", self.models),
            web.post(at + "/list-directory", self.list_directory),
            web.post(at + "/paths/exists", self.paths_exist),
            web.post(at + "/spawn", self.spawn),
        ]

    async def machines(self, _: web.Request) -> web.Response:
        online = [each for each in self._state.machines.values() if each["active"]]
        shown = [{**each, "metadata": {**each["metadata"], "homeDir": self[each["id"]].home}} for each in online]
        return web.json_response({"machines": shown})

    async def availability(self, request: web.Request) -> web.Response:
        computer = self._computer(request)
        agents: list[Json] = [{"agent": each, "available": each in computer.agents} for each in AGENTS]
        for each in agents:
            if not each["available"]:
                each["reason"] = "not_found"
        return web.json_response({"agents": agents})

    async def models(self, request: web.Request) -> web.Response:
        computer, flavor = self._computer(request), request.match_info["flavor"]
        if flavor not in computer.models:
            why = f'Failed to spawn {flavor}: Executable not found in $PATH: "{flavor}". Is it installed and on PATH?'
            return web.json_response({"success": False, "error": why})
        return web.json_response({"success": True, "availableModels": computer.models[flavor]})

    async def list_directory(self, request: web.Request) -> web.Response:
        computer, body = self._computer(request), await body_of(request)
        path = str(body.get("path", "")).rstrip("/")
        if path not in _all(computer):
            why = f"ENOENT: no such file or directory, stat '{path}'"
            return web.json_response({"success": False, "error": why})
        inside = {each[len(path) + 1 :].partition("/")[0] for each in _all(computer) if each.startswith(path + "/")}
        entries = [
            {
                "name": name,
                "type": "directory",
                "size": 4096,
                "modified": self._state.now(),
                "isGitRepo": f"{path}/{name}" in computer.repositories,
            }
            for name in sorted(inside)
        ]
        return web.json_response({"success": True, "entries": entries})

    async def paths_exist(self, request: web.Request) -> web.Response:
        computer, body = self._computer(request), await body_of(request)
        paths = body.get("paths")
        if not isinstance(paths, list) or len(paths) > 1000:
            raise Refused(400, "Invalid body")
        return web.json_response({"exists": {str(each): str(each) in _all(computer) for each in paths}})

    async def spawn(self, request: web.Request) -> web.Response:
        body = await body_of(request)
        directory, agent = body.get("directory"), body.get("agent", "claude")
        if not isinstance(directory, str) or not directory or agent not in AGENTS:
            raise Refused(400, "Invalid body")
        computer = self._computer(request)
        machine = self._state.machines[request.match_info["machine"]]
        if computer.refuses:
            return web.json_response({"type": "error", "message": computer.refuses})
        if agent not in computer.agents:
            why = f"{agent} is not installed or is not on PATH"
            return web.json_response({"type": "error", "message": why, "code": "agent_unavailable", "agent": agent})
        worktree: Json | None = None
        if body.get("sessionType") == "worktree":
            if directory not in computer.repositories:
                why = (
                    "Path is not a Git repository: fatal: not a git repository (or any of the parent directories): .git"
                )
                return web.json_response({"type": "error", "message": why})
            name = str(body.get("worktreeName") or uuid.uuid4().hex[:8])
            path = f"{directory}-worktrees/{name}"
            worktree = {"basePath": directory, "branch": f"hapi-{name}", "name": name, "worktreePath": path}
            directory = path
        computer.directories.add(directory)  # what is not there yet is made
        session = self._state.add_session(flavor=agent, directory=directory, machine=machine["metadata"]["host"])
        if worktree is not None:
            self._state.describe(session, worktree=worktree)
        self._state.patch(session, **{key: body[key] for key in _OPTIONS if body.get(key) is not None})
        if computer.wakes_after_s:
            self._state.patch(session, active=False)
            wakes = partial(self._state.patch, session, active=True)
            asyncio.get_running_loop().call_later(computer.wakes_after_s, wakes)
        self.started(session)
        await asyncio.sleep(computer.answers_after_s)
        return web.json_response({"type": "success", "sessionId": session.id})

    def _computer(self, request: web.Request) -> Computer:
        machine = request.match_info["machine"]
        if machine not in self._state.machines:
            raise Refused(404, "Machine not found")
        if not self._state.machines[machine]["active"]:
            raise Refused(503, "Machine is offline", code="machine_offline")
        return self[machine]


def _all(computer: Computer) -> set[str]:
    """Every directory there is: those that were named, and what they stand in."""
    named = computer.directories | computer.repositories | {computer.home}
    return named | {str(above) for each in named for above in PurePosixPath(each).parents}
