"""Every call that changes something in Slack, broken in every way: nothing lost, nothing doubled, the order kept."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from bridge.sandbox.faults import Fault, Kind
from bridge.sandbox.slack import Message
from tests.end_to_end.bridge_stage import answers, decisions_of, texts_of, until
from tests.end_to_end.slack_stage import SlackStage, words

pytestmark = [pytest.mark.real_hub, pytest.mark.timeout(120)]

IN_THREADS = (
    "chat.postMessage",
    "chat.update",
    "chat.startStream",
    "chat.appendStream",
    "chat.stopStream",
    "files.completeUploadExternal",
    "reactions.add",
    "agents.sessions.setStatus",
    "conversations.replies",
)
IN_ROOMS = ("conversations.create", "conversations.invite", "conversations.setPurpose", "chat.postMessage")
DONE = {
    "already_in_channel",
    "already_reacted",
    "no_reaction",
    "streaming_state_conflict",
    "message_not_in_streaming_state",
}
"""What Slack says where a call that got no answer is made again: it is so already, or a stream is still open."""
SCRIPT = "\n".join(f"echo line {number}" for number in range(2000))


def broken(method: str) -> Iterator[Fault]:
    """Each way for a call to go wrong, one after another, with a good call between any two."""
    yield Fault(Kind.LOST_ANSWER, method, 2, every=2)
    yield Fault(Kind.DROP, method, 1, skip=1)
    yield Fault(Kind.ERROR, method, 1, code=503, skip=1)
    yield Fault(Kind.FLOOD, method, 1, seconds=1, skip=1)


class Play:
    """A session in which a bit of everything happens, wherever in Slack it is shown."""

    def __init__(self, stage: SlackStage, method: str) -> None:
        self.stage = stage
        stage.refusals |= DONE
        for fault in broken(method):
            stage.slack.faults.order(fault)

    def posted(self) -> list[Message]:
        """All that the bot says, in the order of the places and within them."""
        return [one for place in self.stage.slack.channels.values() for one in place.from_bot]

    async def shown(self, text: str) -> Message:
        found: list[Message] = []

        def find() -> bool:
            found[:] = [one for one in self.posted() if text in words(one)][-1:]
            return bool(found)

        await self.stage.see(find, f"{text!r} somewhere", 40)
        return found[0]

    async def allowed(self, card: Message) -> None:
        """Press until it counts: a card whose send is still in doubt refuses a press in words, and stays as it is."""
        for _ in range(5):
            await self.stage.press(card, "Allow")
            with suppress(TimeoutError):
                await self.stage.see(lambda: "Allowed by ada" in words(card), "the outcome", 5)
                return
        raise AssertionError(f"never allowed: {words(card)[:200]}")

    async def run(self) -> None:
        await self.stage.start()
        cli = await self.stage.session(flavor="claude", path="/home/ada/parser")
        await answers(cli, "text 0")
        first = await self.shown("text 0")
        said = self.stage.slack.say(first.channel, self.stage.ada, "on we go", thread_ts=first.thread_ts)
        await until(lambda: texts_of(cli) == ["on we go"], "the text", 30)
        for number in range(3):
            call = {"type": "tool-call", "callId": f"c{number}", "name": "Bash", "input": {"command": f"run {number}"}}
            await cli.say("codex", call)
            await self.shown(f"run {number}")
            await cli.say("codex", {"type": "tool-call-result", "callId": f"c{number}", "output": "fine"})
        await cli.ask("req1", "Bash", {"command": SCRIPT})
        await self.allowed(await self.shown("Approval needed"))
        for number in (1, 2):
            await answers(cli, f"text {number}")
            await self.shown(f"text {number}")
        await self.stage.see(lambda: self.stage.reactions(said) == {"ok_hand"}, "taken", 30)
        await self.stage.see(lambda: not self._says("Working"), "the turn's end", 30)
        told = [words(one).split(" <@")[0] for one in self.posted()]
        assert [text for text in told if text.startswith("text ")] == ["text 0", "text 1", "text 2"]
        assert [params["approved"] for params in decisions_of(cli)] == [True]
        assert self._says("Allowed by ada") == 1
        assert self._says("run 2") == 1, "one post for the turn"
        files = [(file.data or b"").decode() for one in self.posted() for file in one.files]
        assert len([text for text in files if SCRIPT in text]) == 1
        assert told.count("parser") <= 1, "one thread"

    def _says(self, text: str) -> int:
        return sum(text in words(one) for one in self.posted())


@pytest.mark.parametrize("method", IN_THREADS)
async def test_in_threads_any_call_may_break(slack: SlackStage, method: str) -> None:
    """Invariants 2, 3 and 4."""
    await Play(slack, method).run()


@pytest.mark.parametrize("method", IN_ROOMS)
async def test_in_channels_of_sessions_any_call_may_break(slack: SlackStage, method: str) -> None:
    """Invariants 2, 3 and 4; and one session has one channel."""
    slack.extra = 'layout = "channel"\n'
    await Play(slack, method).run()
    ours = [one.name for one in slack.slack.channels.values() if one.creator is slack.slack.bot]
    assert [name for name in ours if name] == ["hapi-parser"]
