"""Presses on the cards of requests: approvals, plans, questions. Each ends in a claim, or in words on why not."""

from __future__ import annotations

from bridge.cards.question import is_question
from bridge.hub.flavors import session_grant
from bridge.relay.desk import Also, Desk
from bridge.relay.follow.requests import Request
from bridge.relay.people import answers
from bridge.relay.people.claims import Claims, claim
from bridge.relay.people.pressed import UNKNOWN, Known, Pressed, Refused, Words, waiting_request


class RequestPresses:
    """Carries out presses on request cards."""

    def __init__(self, desk: Desk, claims: Claims) -> None:
        self._desk = desk
        self._claims = claims

    def handlers(self) -> dict[str, Known]:
        """By the act's name."""
        return {
            "decide": Known(self.decide),
            "pick": Known(self.pick),
            "submit": Known(self.submit),
            "back": Known(self.back),
        }

    async def decide(self, pressed: Pressed) -> Words:
        """Allow, allow for the session, deny, or stop."""
        act = pressed.act
        async with self._desk.lock:
            request = waiting_request(self._desk, act, pressed.key)
            return await self.claim(pressed, request, act.choice or "")

    async def claim(
        self, pressed: Pressed, request: Request, choice: str, *, then: str | None = None, with_it: Also | None = None
    ) -> Words:
        """Claim a request for the presser. Hold the desk's lock. ``then``, ``with_it``: see :func:`.claims.claim`."""
        press = pressed.press
        if request.cut and choice not in ("deny", "abort"):
            raise Refused("Part of this can't be shown here, so it can't be allowed here. Do it in HAPI.")
        call = self._call(request, choice)
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
            raise Refused(answers.TAKEN)
        self._claims.nudge()
        return answers.SENDING

    def _call(self, request: Request, choice: str) -> dict[str, object]:
        """The hub call a choice stands for."""
        match choice:
            case "allow" if not is_question(request.tool):
                return {"call": "approve", "with": {}}
            case "allow_session":
                follower = self._desk.of_session(request.session)
                flavor = follower.session.flavor if follower is not None else None
                grant = session_grant(flavor, request.tool, request.arguments)
                if grant is None:
                    raise Refused("This can't be allowed for the whole session.")
                return {"call": "approve", "with": dict(grant.approve)}
            case "deny":
                return {"call": "deny", "with": {}}
            case "abort":
                return {"call": "deny", "with": {"decision": "abort"}, "stop": True}
            case _:
                raise Refused(UNKNOWN)

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
