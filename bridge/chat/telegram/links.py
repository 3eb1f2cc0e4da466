"""Which addresses may become links on Telegram.

Telegram refuses a whole message for one address it can't take (``localhost``), turns ``tg://user`` into a mention
that pings, and reads ``mailto:`` as a host name; so everything odd is shown as text instead (invariants 5 and 6).
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

_ODD = re.compile('[\\s\\\\<>"\x00-\x1f\x7f]')
_LABEL = re.compile(r"[\w-]{1,63}")
_NOT_PUBLIC = (".localhost", ".local", ".internal", ".lan", ".home", ".test", ".invalid", ".example", ".onion")
_TG_HOSTS = frozenset({"resolve", "join", "privatepost"})


def link_or_none(address: str) -> str | None:
    """The address, if Telegram takes it as a link to a public place; else ``None``."""
    if len(address) > 2000 or _ODD.search(address):
        return None
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").rstrip(".")
        port_given = parts.port is not None
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme == "tg":
        return address if host in _TG_HOSTS and not parts.username and not port_given else None
    if scheme not in ("http", "https") or "@" in parts.netloc or not _public(host):
        return None
    return address


def _public(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).version == 4 and ipaddress.ip_address(host).is_global
    except ValueError:
        pass
    labels = host.split(".")
    if len(labels) < 2 or len(host) > 253 or host.endswith(_NOT_PUBLIC):
        return False
    return all(_LABEL.fullmatch(label) for label in labels) and not labels[-1].isdigit() and len(labels[-1]) > 1
