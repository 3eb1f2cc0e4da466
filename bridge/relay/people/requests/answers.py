"""Answers: choices and words for a question, collected until the last one, then claimed as one decision.

Hold the desk's lock. Nothing here talks to the hub; a finished answer becomes a claim (see ``claims``).
"""

from __future__ import annotations

from bridge.cards.request.question import Question, answers_body, parse_questions
from bridge.chat.intents import Person
from bridge.language import tr
from bridge.relay.desk import Also, Desk
from bridge.relay.follow.requests import Request
from bridge.relay.people.received import Received
from bridge.relay.people.requests.claiming import claim
from bridge.store.engine import Tx


def sending() -> str:
    """What a presser is told whose decision is on its way."""
    return tr("Sending…")


def taken() -> str:
    """What a presser is told who was not the first."""
    return tr("Somebody has decided this already.")


class NotTaken(Exception):
    """The answer does not count; ``str()`` says why."""


async def pick(desk: Desk, request: Request, question: int, option: int, received: Received, person: Person) -> str:
    """An option's button was pressed: choose it, and go on if only one may be chosen. Returns words for the presser."""
    questions = parse_questions(request.tool, request.arguments)
    if question >= len(questions) or option >= len(questions[question].options):
        raise NotTaken(tr("That option is not on the card any more."))
    _make_room(request, len(questions))
    chosen = request.picks[question]
    if questions[question].several:
        request.picks[question] = [one for one in chosen if one != option] if option in chosen else [*chosen, option]
        request.question = question
        return await redraw(desk, request, received)
    request.picks[question], request.free[question] = [option], None
    return await _go_on(desk, request, questions, question, received, person)


async def submit(desk: Desk, request: Request, question: int, received: Received, person: Person) -> str:
    """Submit was pressed: this question is answered as it stands."""
    questions = parse_questions(request.tool, request.arguments)
    _make_room(request, len(questions))
    if question >= len(questions) or not _answered(request, question):
        raise NotTaken(tr("Choose something first, or answer in your own words."))
    return await _go_on(desk, request, questions, question, received, person)


async def back(desk: Desk, request: Request, question: int, received: Received) -> str:
    """Back was pressed: ask an earlier question again."""
    request.question = max(0, question)
    return await redraw(desk, request, received)


async def answer_in_words(
    desk: Desk, request: Request, text: str, received: Received, person: Person, with_it: Also | None = None
) -> str:
    """A reply to the question's own card: the words are the answer to the question it shows. Echoes them.

    ``with_it`` is stored in the same transaction. Raises :class:`NotTaken`.
    """
    questions = parse_questions(request.tool, request.arguments)
    if not questions:
        raise NotTaken(tr("This question can't be answered from here: open it in HAPI."))
    if request.state != "pending":
        raise NotTaken(tr("This question is answered already."))
    at = min(request.question, len(questions) - 1)
    _make_room(request, len(questions))
    request.free[at] = text
    if not questions[at].several:
        request.picks[at] = []
    await _go_on(desk, request, questions, at, received, person, with_it)
    return tr("Your answer: {text}", text=text)


async def _go_on(
    desk: Desk,
    request: Request,
    questions: tuple[Question, ...],
    done: int,
    received: Received,
    person: Person,
    with_it: Also | None = None,
) -> str:
    """The next open question, or, after the last one, the claim."""
    order = [*range(done + 1, len(questions)), *range(done)]
    waiting = next((index for index in order if not _answered(request, index)), None)
    if waiting is not None:
        request.question = waiting
        return await redraw(desk, request, received, with_it)
    answers = answers_body(request.tool, questions, request.picks, request.free)
    made = await claim(
        desk,
        request,
        surface=received.link.surface.name,
        where=received.link.surface.name.capitalize(),
        person_id=person.id,
        person_name=person.name,
        choice={"call": "approve", "with": {"answers": answers}, "choice": "answer"},
        received=received,
        with_it=_settling(received, with_it),
    )
    if made is None:
        raise NotTaken(taken())
    return sending()


async def redraw(desk: Desk, request: Request, received: Received, with_it: Also | None = None) -> str:
    """Draw a request's card anew, and settle the update with it: carried out again it would mean something else.

    ``with_it`` is stored in the same transaction.
    """
    follower = desk.of_session(request.session)
    if follower is not None:
        follower.redraw(request)
        await desk.commit(_settling(received, with_it))
    return ""


def _settling(received: Received, with_it: Also | None) -> Also:
    async def also(tx: Tx) -> None:
        await received.settle(tx)
        if with_it is not None:
            await with_it(tx)

    return also


def _make_room(request: Request, count: int) -> None:
    request.picks += [[] for _ in range(count - len(request.picks))]
    request.free += [None for _ in range(count - len(request.free))]


def _answered(request: Request, question: int) -> bool:
    return bool(request.picks[question] or request.free[question])
