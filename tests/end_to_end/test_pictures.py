"""Pictures that agents made: fetched once, kept, shown in both chats; and what is said where that can't be."""

import pytest

from bridge.sandbox.hub_session import Session
from tests.end_to_end.scenario_stage import ScenarioStage
from tests.end_to_end.slack_stage import words


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is to be tried again is tried soon."""
    monkeypatch.setattr("bridge.relay.pictures.TRY_AGAIN_S", 0.1)


def draw(scene: ScenarioStage, data: bytes, session: Session | None = None) -> Session:
    """An agent makes a picture and says that it did; where no session is given, a new one's."""
    state = scene.sandbox.state
    session = session or state.add_session(flavor="codex", directory="/srv/shop", machine="box", name="Draw")
    image = f"img-{len(state.images)}"
    state.images[image] = (data, "image/png", "chart.png")
    about = {"imageId": image, "fileName": "chart.png", "mimeType": "image/png"}
    state.say(session, "codex", {"type": "generated-image", **about})
    state.say(session, "codex", {"type": "message", "message": "Drawn.", "id": image})
    state.say(session, "event", {"type": "ready"})
    return session


async def shown(scene: ScenarioStage, count: int = 1) -> None:
    """Wait for so many pictures in both chats."""
    await scene.telegram.wait_for(lambda: len(_on_telegram(scene)) >= count, 15, what="the picture on Telegram")
    await scene.see(lambda: len(_on_slack(scene)) >= count, "the picture in Slack")


async def said(scene: ScenarioStage, text: str) -> None:
    """Wait for words in both chats."""
    await scene.on_telegram(text)
    await scene.see(lambda: scene.find(text), text)


async def test_a_picture_that_can_not_be_had_yet_holds_nothing_up_and_comes_later(scene: ScenarioStage) -> None:
    """Invariant 3: it comes once, although it was asked for several times."""
    scene.sandbox.faults.fail("/generated-images/", status=404, times=5)
    draw(scene, b"one picture")
    await said(scene, "Drawn.")
    assert not _on_telegram(scene), "the answer did not wait for it"
    await shown(scene)
    assert (_on_telegram(scene), _on_slack(scene)) == ([b"one picture"], [b"one picture"])


async def test_a_picture_is_fetched_after_a_restart_of_the_bridge(scene: ScenarioStage) -> None:
    """Invariant 1: that it is wanted is stored with the post."""
    scene.sandbox.faults.fail("/generated-images/", status=404, times=10_000)
    draw(scene, b"one picture")
    await said(scene, "Drawn.")
    await scene.stop()
    scene.sandbox.faults.pending.clear()
    await scene.start()
    await shown(scene)
    draw(scene, b"another")
    await shown(scene, 2)
    assert (_on_telegram(scene), _on_slack(scene)) == ([b"one picture", b"another"],) * 2


async def test_a_picture_that_its_agent_no_longer_hands_out_is_said(
    scene: ScenarioStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invariant 2: nothing is left out in silence."""
    monkeypatch.setattr("bridge.relay.pictures.PATIENCE_MS", 0)
    session = scene.sandbox.state.add_session(flavor="codex", directory="/srv/shop", machine="box", name="Draw")
    session.reachable = False
    draw(scene, b"one picture", session)
    await said(
        scene,
        "Generated image: chart.png. It can't be shown here (the agent that made the picture no longer hands it out).",
    )
    session.reachable = True
    draw(scene, b"another", session)
    await shown(scene)
    assert (_on_telegram(scene), _on_slack(scene)) == ([b"another"], [b"another"])


async def test_a_picture_that_is_too_big_is_said_with_its_size(
    scene: ScenarioStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.relay.pictures.MOST_BYTES", 1_000_000)
    draw(scene, bytes(1_250_000))
    await said(scene, "(the picture has 1.2 MB, and at most 1 MB are passed on)")
    assert not _on_telegram(scene)


async def test_a_picture_that_is_too_big_for_a_photo_is_a_file_on_telegram(
    scene: ScenarioStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.chat.telegram.surface.MOST_PHOTO", 10)
    draw(scene, b"more than ten bytes")
    await shown(scene)
    (file,) = [one.file for one in scene.chat.from_bot if one.file]
    assert (file.kind, file.data, file.name) == ("document", b"more than ten bytes", "chart.png")
    assert [words(one) for one in scene.dm.from_bot if one.files] == ["chart.png"]


def _on_telegram(scene: ScenarioStage) -> list[bytes]:
    return [one.file.data for one in scene.chat.from_bot if one.file]


def _on_slack(scene: ScenarioStage) -> list[bytes]:
    return [file.data for one in scene.dm.from_bot for file in one.files if file.data is not None]
