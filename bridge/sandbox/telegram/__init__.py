"""A strict Telegram Bot API server on loopback, for tests and the demo.

It refuses what Telegram refuses, and what Telegram would mangle in silence. ``async with TelegramServer() as server:``
and point python-telegram-bot at ``server.base_url + "/bot"`` (files at ``server.base_url + "/file/bot"``). The person's
side (say, press, react…) are methods of the server; what the bot did is in ``chat.messages`` and ``server.calls``.
"""

from bridge.sandbox.bus import Call
from bridge.sandbox.faults import Faults
from bridge.sandbox.telegram.events import Event
from bridge.sandbox.telegram.limits import Limits
from bridge.sandbox.telegram.server import TelegramServer
from bridge.sandbox.telegram.state import Button, CallbackAnswer, Chat, File, Message, Revision, Topic, User

__all__ = [
    "Button",
    "Call",
    "CallbackAnswer",
    "Chat",
    "Event",
    "Faults",
    "File",
    "Limits",
    "Message",
    "Revision",
    "TelegramServer",
    "Topic",
    "User",
]
