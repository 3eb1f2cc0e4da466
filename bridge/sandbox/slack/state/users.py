"""Who is in a workspace."""

from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class User:
    """A person, or a bot. ``is_restricted`` is a guest, ``is_ultra_restricted`` one of a single channel,
    ``is_stranger`` someone of another workspace (Slack Connect) with that workspace's ``team_id``.
    """

    id: str
    name: str
    real_name: str
    team_id: str
    is_owner: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    is_bot: bool = False
    bot_id: str | None = None
    app_id: str | None = None
    deleted: bool = False
    tz: str = "Europe/London"
