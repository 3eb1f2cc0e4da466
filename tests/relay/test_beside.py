"""What takes its time runs beside the inbox: so many about the same at once, in order, and not without end."""

import asyncio

import pytest

from bridge.relay.people.beside import Beside, Later, Run


class Asked:
    """Things that are asked, each of which waits until the hub answers."""

    def __init__(self, *, at_once: int = 2, most: int = 4) -> None:
        self.beside = Beside(at_once, most)
        self.begun: list[str] = []
        self.refused: list[str] = []
        self.answers = asyncio.Event()
        self.tasks: list[asyncio.Task[None]] = []

    async def ask(self, what: str, about: str | None, *, waits_in_any_case: bool = False) -> None:
        async def run() -> None:
            self.begun.append(what)
            await self.answers.wait()

        async def refuse(_: str) -> None:
            self.refused.append(what)

        later = Later(run, about, None if waits_in_any_case else refuse)
        self.tasks.append(asyncio.create_task(self._carry(later)))
        for _ in range(5):
            await asyncio.sleep(0)

    async def _carry(self, later: Later) -> None:
        run: Run
        run, turn = self.beside.turn(later)
        async with turn:
            await run()

    async def done(self) -> None:
        self.answers.set()
        await asyncio.gather(*self.tasks)


async def test_so_many_about_the_same_run_at_once_the_others_in_their_order_and_other_things_meanwhile() -> None:
    asked = Asked()
    for what in ("a", "b", "c", "d"):
        await asked.ask(what, "shop")
    await asked.ask("other", "site")
    await asked.ask("answer to a press", None)
    assert asked.begun == ["a", "b", "other", "answer to a press"]
    await asked.done()
    assert asked.begun == ["a", "b", "other", "answer to a press", "c", "d"]


async def test_more_than_the_most_is_refused_except_what_waits_in_any_case() -> None:
    asked = Asked()
    for what in ("a", "b", "c", "d", "e"):
        await asked.ask(what, "shop")
    await asked.ask("edit", "shop", waits_in_any_case=True)
    assert asked.refused == ["e"]
    await asked.done()
    assert asked.begun[-1] == "edit"


async def test_what_failed_gives_its_place_back() -> None:
    beside = Beside(1, 1)

    async def fails() -> None:
        raise RuntimeError

    async def refuses(_: str) -> None:
        raise AssertionError("nothing else is under way")

    for _ in range(3):
        run, turn = beside.turn(Later(fails, "shop", refuses))
        with pytest.raises(RuntimeError):
            async with turn:
                await run()
