"""Choosing among many scenarios with long names: a button never carries the names, whatever the platform allows."""

from bridge.cards.model import Card
from bridge.cards.own.scenarios import PAGE, present_scenarios, present_scenarios_sent
from bridge.chat.slack.render import render as on_slack
from bridge.chat.surface import Place
from bridge.chat.telegram.render import render as on_telegram
from bridge.sandbox.slack.blocks import check_message_blocks
from bridge.sandbox.telegram.keyboard import checked_markup
from bridge.sandbox.telegram.text import checked_text
from bridge.transcript.content import Scenario

COUNT = 60
MANY = [
    Scenario(
        filepath=f"{'部署到生产环境之前的检查清单' * 5}{number:02}.md",
        title="谨慎部署 🚀 " * 40 + str(number),
        content="…",
    )
    for number in range(COUNT)
]
ALL = [each.filepath for each in MANY]


def cards() -> list[Card]:
    """Every page with all of them chosen, and what is said of the message that they went with."""
    pages = [present_scenarios(MANY, ALL, "s1", page) for page in range(-(-COUNT // PAGE))]
    return [*pages, present_scenarios_sent([each.title for each in MANY], "ship it")]


def test_telegram_takes_every_page_and_a_buttons_data_is_a_token() -> None:
    for card in cards():
        for part in on_telegram("conversation/1/command/1", card, Place(conversation=1, chat="1")):
            if part.kind == "text":
                text, entities = part.payload["text"], [dict(one) for one in part.payload["entities"]]
                assert checked_text(text, entities)[0] == text
            rows = (checked_markup(part.payload.get("reply_markup")) or {}).get("inline_keyboard", [])
            assert all(len(button["callback_data"].encode()) <= 64 for row in rows for button in row)


def test_slack_takes_every_page() -> None:
    """Its limits on ids, values and labels are the sandbox's, too."""
    for card in cards():
        for part in on_slack("conversation/1/command/1", card, Place(conversation=1, chat="C1")):
            if part.kind == "text":
                check_message_blocks(part.payload["blocks"], part.payload["attachments"])


def test_every_choice_has_a_button_of_its_own_whatever_else_is_chosen() -> None:
    acts = [act for card in cards()[:-1] for act in card.acts() if act.do == "scenario_pick" and act.data.get("file")]
    assert sorted(act.data["file"] for act in acts) == sorted(ALL)
    assert all(act.data["chosen"] == ALL for act in acts)
