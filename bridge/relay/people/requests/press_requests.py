"""Presses on the cards of requests: approvals, plans, questions. Each ends in a claim, or in words on why not."""

from __future__ import annotations

from typing import Any

from bridge.cards.request.question import is_question
from bridge.hub.flavors import mode_grant, permission_modes, session_grant, tools_pattern
from bridge.language import tr
from bridge.relay.desk import Also, Desk
from bridge.relay.follow.request_posts import RECKLESS
from bridge.relay.follow.requests import Request
from bridge.relay.people.company.audit import record_act
from bridge.relay.people.presses.pressed import Known, Pressed, Refused, Words, unknown, waiting_request
from bridge.relay.people.requests import answers
from bridge.relay.people.requests.claiming import claim
from bridge.relay.people.requests.claims import Claims
from bridge.relay.people.requests.sure import MeantTwice
from bridge.store.engine import Tx

WIDER = frozenset({"allow_session", "allow_mode", "allow_tools"})
"""Choices that allow more than the request at hand: HAPI's own grants, and never for what is marked dangerous."""


class RequestPresses:
    """Carries out presses on request cards."""

    def __init__(self, desk: Desk, claims: Claims, twice: MeantTwice) -> None:
        self._desk = desk
        self._claims = claims
        self._twice = twice

    def handlers(self) -> dict[str, Known]:
        """By the act's name."""
        return {
            "decide": Known(self.decide, logs=True),
            "sure": Known(self.sure, logs=True),
            "unsure": Known(self.unsure, logs=True),
            "unfold": Known(self.unfold),
            "fold": Known(self.unfold),
            "pick": Known(self.pick, logs=True),
            "submit": Known(self.submit, logs=True),
            "back": Known(self.back),
        }

    async def decide(self, pressed: Pressed) -> Words:
        """Allow, once or more widely, deny, or stop. What would do lasting harm needs a second tap."""
        act = pressed.act
        async with self._desk.lock:
            request = waiting_request(self._desk, act, pressed.key)
            choice = act.choice or ""
            self._check(request, choice, act.data)
            reckless = self._is_reckless(request, choice, act.data)
            if reckless:
                self._owner_only(pressed)
            if reckless or (request.danger and choice == "allow"):
                return await self._twice.first(pressed, request)
            return await self.claim(pressed, request, choice, data=act.data)

    async def sure(self, pressed: Pressed) -> Words:
        """The second tap: it counts for exactly what the first one was for."""
        act = pressed.act
        async with self._desk.lock:
            request, choice = waiting_request(self._desk, act, pressed.key), act.choice or ""
            self._check(request, choice, act.data)
            two_people = await self._twice.second(pressed, request)
            if not two_people and self._is_reckless(request, choice, act.data):
                self._owner_only(pressed)
            return await self.claim(pressed, request, choice, data=act.data)

    async def unsure(self, pressed: Pressed) -> Words:
        """The first tap is taken back."""
        async with self._desk.lock:
            request = waiting_request(self._desk, pressed.act, pressed.key)
            request.sure = None

            async def with_it(tx: Tx) -> None:
                await record_act(tx, pressed.received, self._desk.clock(), pressed.act, "first tap taken back")

            return await answers.redraw(self._desk, request, pressed.received, with_it)

    async def unfold(self, pressed: Pressed) -> Words:
        """Show the wider grants, or hide them."""
        async with self._desk.lock:
            request = waiting_request(self._desk, pressed.act, pressed.key)
            request.unfolded = pressed.act.do == "unfold"
            return await answers.redraw(self._desk, request, pressed.received)

    async def claim(
        self,
        pressed: Pressed,
        request: Request,
        choice: str,
        *,
        data: dict[str, Any] | None = None,
        then: str | None = None,
        with_it: Also | None = None,
    ) -> Words:
        """Claim a request for the presser. Hold the desk's lock. ``then``, ``with_it``: see :func:`.claiming.claim`."""
        press = pressed.press
        call = self._call(request, choice, data or {})
        name = pressed.received.link.surface.name
        made = await claim(
            self._desk,
            request,
            surface=name,
            where=name.capitalize(),
            person_id=press.person.id,
            person_name=press.person.name,
            choice={**call, "choice": choice, **({"then": then} if then is not None else {})},
            received=pressed.received,
            with_it=with_it,
        )
        if made is None:
            raise Refused(answers.taken())
        self._claims.nudge()
        return answers.sending()

    def _check(self, request: Request, choice: str, data: dict[str, Any]) -> None:
        """Whether a choice is open for this request at all, by what is known of it now. Raises :class:`Refused`."""
        if request.cut and choice not in ("deny", "abort"):
            raise Refused(tr("Part of this can't be shown here, so it can't be allowed here. Do it in HAPI."))
        if request.danger and choice in WIDER:
            raise Refused(tr("What is marked dangerous can only be allowed once."))
        self._call(request, choice, data)

    def _call(self, request: Request, choice: str, data: dict[str, Any]) -> dict[str, object]:
        """The hub call a choice stands for. Raises :class:`Refused`."""
        flavor = self._flavor(request)
        match choice:
            case "allow" if not is_question(request.tool):
                return {"call": "approve", "with": {}}
            case "allow_session":
                grant = session_grant(flavor, request.tool, request.arguments)
                if grant is None:
                    raise Refused(tr("This can't be allowed for the whole session."))
                return {"call": "approve", "with": dict(grant.approve)}
            case "allow_mode" if not is_question(request.tool):
                switch = mode_grant(flavor, str(data.get("mode")))
                if switch is None:
                    raise Refused(tr("This agent has no such mode."))
                return {"call": "approve", **switch}
            case "allow_tools":
                # The pattern is worked out again: what was on the button must be what the request's own arguments give.
                pattern = tools_pattern(flavor, request.tool, request.arguments)
                if pattern is None or data.get("tools") != [pattern]:
                    raise Refused(tr("This can't be allowed for the whole session."))
                return {"call": "approve", "with": {"allow_tools": [pattern]}}
            case "deny":
                return {"call": "deny", "with": {}}
            case "abort":
                return {"call": "deny", "with": {"decision": "abort"}, "stop": True}
            case _:
                raise Refused(unknown())

    def _flavor(self, request: Request) -> str | None:
        follower = self._desk.of_session(request.session)
        return follower.session.flavor if follower is not None else None

    def _is_reckless(self, request: Request, choice: str, data: dict[str, Any]) -> bool:
        """Whether a choice switches to a mode in which nothing is asked any more."""
        modes = permission_modes(self._flavor(request)) if choice == "allow_mode" else ()
        return any(one.mode == data.get("mode") and one.tone == RECKLESS for one in modes)

    def _owner_only(self, pressed: Pressed) -> None:
        """Raises :class:`Refused` for anybody but the owner."""
        if not pressed.received.leave.may("own"):
            raise Refused(tr("Only the owner can switch to a mode in which nothing is asked any more."))

    async def pick(self, pressed: Pressed) -> Words:
        """Choose an option of a question."""
        act = pressed.act
        async with self._desk.lock:
            request = waiting_request(self._desk, act, pressed.key)
            question, option = int(act.data["question"]), int(act.data["option"])
            words = await answers.pick(self._desk, request, question, option, pressed.received, pressed.press.person)
        self._claims.nudge()
        return words

    async def submit(self, pressed: Pressed) -> Words:
        """Send the choices of a question."""
        act = pressed.act
        async with self._desk.lock:
            request = waiting_request(self._desk, act, pressed.key)
            words = await answers.submit(
                self._desk, request, int(act.data["question"]), pressed.received, pressed.press.person
            )
        self._claims.nudge()
        return words

    async def back(self, pressed: Pressed) -> Words:
        """Ask an earlier question again."""
        act = pressed.act
        async with self._desk.lock:
            return await answers.back(
                self._desk,
                waiting_request(self._desk, act, pressed.key),
                int(act.data["question"]),
                pressed.received,
            )
