"""Fetches people's files from Slack, with the bot's token.

The token goes to the API's own server and to its file server, and to nobody else, whatever address a message names.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from bridge.chat.errors import Rejected
from bridge.chat.slack.client import SlackClient
from bridge.chat.slack.payload import child, string
from bridge.language import N_, tr

SCOPE: Final = "files:read"
LACKS_SCOPE: Final = N_("the Slack app lacks the scope files:read; install it again with the present manifest")


class Downloads:
    """Fetches files."""

    def __init__(self, client: SlackClient, base_url: str) -> None:
        self._client = client
        base = urlsplit(base_url)
        self._own = {(base.scheme, base.netloc), ("https", f"files.{base.netloc}")}

    async def fetch(self, source: str, most: int) -> bytes:
        """See :meth:`bridge.chat.capabilities.Fetching.fetch`."""
        if self._client.scopes is not None and SCOPE not in self._client.scopes:
            raise Rejected(tr(LACKS_SCOPE))
        url = source if "://" in source else await self._address(source)
        found = urlsplit(url)
        if (found.scheme, found.netloc) not in self._own:
            raise Rejected(tr("it does not lie with Slack, where the bot may fetch it"))
        data = await self._client.download(url, most)
        if data is None:
            raise Rejected(tr(LACKS_SCOPE))
        return data

    async def _address(self, file: str) -> str:
        shown = child(await self._client.call("files.info", {"file": file}), "file")
        url = string(shown, "url_private_download") or string(shown, "url_private")
        if not url:
            raise Rejected(tr("Slack tells nobody where it is"))
        return url
