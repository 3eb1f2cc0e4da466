"""`hapi-bridge doctor`: what works, what does not, and what to do about it."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from pathlib import Path

from bridge.cli import checks, checks_chat, checks_learnt, trouble
from bridge.cli.checks import Check
from bridge.observe.redaction import Redactor
from bridge.settings import ConfigurationError, Settings, config_file


def doctor(config: Path | None, *, as_json: bool) -> int:
    """Check everything and print one line each, or one JSON object. Exit code 1 if anything fails."""
    found = _all(config)
    healthy = all(check.ok for check in found)
    if as_json:
        listed = [{"name": each.name, "ok": each.ok, "words": each.words, "mend": each.mend} for each in found]
        print(json.dumps({"ok": healthy, "checks": listed}, indent=2))
    else:
        for check in found:
            mend = f" - {check.mend}" if check.mend else ""
            line = f"{'ok  ' if check.ok else 'FAIL'} {check.name}: {check.words}{mend}"
            print(line.encode("utf-8", "backslashreplace").decode())
    return 0 if healthy else 1


def _all(config: Path | None) -> list[Check]:
    try:
        settings = trouble.configuration(config)
    except ConfigurationError as error:
        mend = "hapi-bridge init writes a configuration that works"
        return [Check("configuration", False, mistake, mend) for mistake in error.mistakes]
    hide = Redactor(settings.secrets())
    found = [_configuration(config), *asyncio.run(_world(settings))]
    return [Check(each.name, each.ok, hide(each.words), hide(each.mend)) for each in found]


def _configuration(config: Path | None) -> Check:
    path = config_file(config, os.environ)
    if path is None:
        return Check("configuration", True, "from the environment alone")
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        return Check("configuration", False, f"others on this machine can read {path}", f"chmod 600 {path}")
    return Check("configuration", True, f"{path} and the environment")


async def _world(settings: Settings) -> list[Check]:
    """The checks that reach out, side by side."""
    token = settings.hub.access_token.get_secret_value()
    jobs = [checks.store(settings.store), checks.hub(settings.hub.url, token)]
    if telegram := settings.telegram:
        bot = telegram.bot_token.get_secret_value()
        jobs.append(checks_chat.telegram(telegram.api_base_url, bot, telegram.owner_id, topics=telegram.topics))
    if slack := settings.slack:
        app = slack.app_token.get_secret_value() if slack.app_token else None
        token, channels = slack.bot_token.get_secret_value(), slack.layout == "channel"
        jobs.append(checks_chat.slack(slack.api_base_url, token, app, slack.owner_id, channels=channels))
    if settings.http.address:
        jobs.append(checks.http(settings.http.address))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(job) for job in jobs]
    return [*(task.result() for task in tasks), *await checks_learnt.learnt(settings)]
