"""`hapi-bridge slack-manifest`: print the manifest from which a Slack app is made."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from bridge.chat.slack.manifest import slack_manifest as manifest
from bridge.cli import trouble


def slack_manifest(request_url: str | None = None, *, agent: bool = True, channels: bool = False) -> int:
    """Print it as JSON. ``request_url``: the public https address of the bridge's HTTP server, for HTTP mode; without
    it Socket Mode. ``agent``: whether the app is declared an agent; ``channels``: whether each session has a channel of
    its own. Exit code 2 for an address that Slack does not take."""
    if request_url is not None:
        try:
            parts = urlsplit(request_url)
            fits = parts.scheme == "https" and bool(parts.hostname) and not parts.query and not parts.fragment
        except ValueError:
            fits = False
        if not fits:
            trouble.tell(["--request-url: expects the bridge's public address, such as https://bridge.example.org"])
            return trouble.UNUSABLE
    print(json.dumps(manifest(request_url, agent=agent, channels=channels), indent=2, ensure_ascii=False))
    return 0
