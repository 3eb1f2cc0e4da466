"""A strict Slack workspace on loopback, for tests and the demo: Web API, Socket Mode, signed HTTP, people.

It refuses what Slack refuses, and what Slack would mangle in silence. ``async with SlackServer() as server:`` and point
slack_sdk at ``AsyncWebClient(server.bot_token, base_url=server.base_url)``, slack-bolt's Socket Mode handler at the
same client and ``server.app_token``. The person's side (say, press, submit_view…) are methods of the server; what the
app did is in ``channel.messages``, ``modals``, ``homes``, ``sessions`` and ``server.calls``.
"""

from bridge.sandbox.bus import Call
from bridge.sandbox.faults import Faults
from bridge.sandbox.slack.events import Attempt, Delivery, Event
from bridge.sandbox.slack.limits import Limits
from bridge.sandbox.slack.methods import FEATURES, METHODS, SCOPES
from bridge.sandbox.slack.server import SlackServer
from bridge.sandbox.slack.state import Channel, File, Message, Revision, Session, Stream, Task, User, View
from bridge.sandbox.slack.walk import Placed

__all__ = [
    "FEATURES",
    "METHODS",
    "SCOPES",
    "Attempt",
    "Call",
    "Channel",
    "Delivery",
    "Event",
    "Faults",
    "File",
    "Limits",
    "Message",
    "Placed",
    "Revision",
    "Session",
    "SlackServer",
    "Stream",
    "Task",
    "User",
    "View",
]
