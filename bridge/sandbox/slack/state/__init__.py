"""What the sandbox Slack remembers: users, channels, messages with their history, views.

Tests and the page observe these objects; only the server and the people in it change them.
"""

from bridge.sandbox.slack.state.channels import STATUS_S, Channel, File, Json, Message, Revision, Session
from bridge.sandbox.slack.state.streams import Stream, Task
from bridge.sandbox.slack.state.users import User
from bridge.sandbox.slack.state.views import View

__all__ = [
    "STATUS_S",
    "Channel",
    "File",
    "Json",
    "Message",
    "Revision",
    "Session",
    "Stream",
    "Task",
    "User",
    "View",
]
