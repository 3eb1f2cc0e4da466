"""The commands of `hapi-bridge`. Each is a thin door; what it does is in the module it imports when called.

Exit codes: 0 done, 1 a check failed or the bridge broke, 2 the input or the configuration can't be used (one line each
on standard error).
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="hapi-bridge",
    help="Your HAPI coding-agent sessions in Telegram and Slack: read, answer, approve.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
db = typer.Typer(help="The store: upgrade migrates it.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(db, name="db")

Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="TOML file; else $BRIDGE_CONFIG, else ./config/bridge.toml."),
]

Port = Annotated[int, typer.Option(help="The page's port; 0 takes a free one.", min=0, max=65535)]
Browser = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser, where there is a screen.")]


class Form(StrEnum):
    """What `render` can make of a file."""

    blocks = "blocks"
    telegram = "telegram"
    slack = "slack"


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"hapi-bridge {version('hapi-bridge')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command(short_help="Run the bridge until Ctrl-C or SIGTERM.")
def run(config: Config = None) -> None:
    """Run the bridge until SIGTERM or Ctrl-C."""
    from bridge.cli.run import run as start

    raise typer.Exit(start(config))


@app.command(short_help="See it run: no token, no hub, no network.")
def demo(
    port: Port = 0,
    speed: Annotated[float, typer.Option(help="How fast the agents are; 2 is twice as fast.", min=0.1, max=100)] = 1.0,
    scenario: Annotated[list[str] | None, typer.Option(help="What to play, by name; may be repeated.")] = None,
    watch: Annotated[
        bool | None,
        typer.Option(
            "--watch/--page",
            help="Draw one phone in the terminal, press its buttons, and end; or serve the page until Ctrl-C. The page"
            " is the default at a terminal.",
            show_default=False,
        ),
    ] = None,
    browser: Browser = True,
) -> None:
    """See it run: a sandbox hub, a sandbox Telegram and Slack, the bridge between them. No token, no network."""
    from bridge.cli.demo import demo as show

    raise typer.Exit(show(port=port, speed=speed, scenarios=scenario, watch=watch, browser=browser))


@app.command(short_help="Preview your own sessions, before you make a bot.")
def sandbox(
    hub: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Your own hub: the bridge runs, too, and shows its sessions on the page."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(metavar="TOKEN", help="The hub's access token; better in HAPI_ACCESS_TOKEN, where ps can't see."),
    ] = None,
    port: Port = 0,
    browser: Browser = True,
) -> None:
    """A sandbox Telegram and Slack with a page, to preview your own sessions before you make a bot."""
    from bridge.cli.sandbox import sandbox as show

    raise typer.Exit(show(hub=hub, token=token, port=port, browser=browser))


@app.command(short_help="Set it up: asks, checks, writes the configuration.")
def init(
    config: Annotated[Path, typer.Option("--config", metavar="FILE", help="The file to write.")] = Path(
        "config/bridge.toml"
    ),
) -> None:
    """Ask for what is needed, check it at once, write the configuration."""
    from bridge.cli.init import init as ask

    raise typer.Exit(ask(config))


@app.command(short_help="Check the whole chain; say how to mend it.")
def doctor(
    config: Config = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of lines.")] = False,
) -> None:
    """Check configuration, store, hub, Telegram and Slack; say what to mend. Exit 1 if anything fails."""
    from bridge.cli.doctor import doctor as check

    raise typer.Exit(check(config, as_json=as_json))


@app.command(short_help="What the bridge makes of messages, as JSON.")
def render(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A messages page as JSON, or Markdown; - is stdin.")],
    to: Annotated[Form, typer.Option("--to", help="Decoded blocks, or a platform's exact API calls.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="FILE is Markdown: an agent's answer in full.")] = False,
) -> None:
    """Show what the bridge makes of a messages page or of a piece of Markdown, as JSON."""
    from bridge.cli.rendering import render as show

    raise typer.Exit(show(file, to.value, markdown=markdown))


@app.command(short_help="Run HAPI's golden fixtures and corpora.")
def conformance(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Fixtures (.json), corpora (.jsonl), folders.")],
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show the first differences.")] = False,
) -> None:
    """Run HAPI's golden fixtures and corpora: one line per suite, exit 1 on any difference."""
    from bridge.cli.conformance import conformance as check

    raise typer.Exit(check(paths, verbose))


@app.command(short_help="Print the audit log as JSON lines.")
def audit(
    config: Config = None,
    since: Annotated[str | None, typer.Option(metavar="WHEN", help="24h, 7d, or a date; else all of it.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="One session's lines alone.")] = None,
) -> None:
    """Print the audit log, who decided what, as JSON lines."""
    from bridge.cli.audit import export

    raise typer.Exit(export(config, since, session))


@app.command("slack-manifest", short_help="Print the manifest of your Slack app.")
def slack_manifest(
    request_url: Annotated[
        str | None,
        typer.Option("--request-url", metavar="URL", help="HTTP mode: the bridge's public https address."),
    ] = None,
    agent: Annotated[
        bool, typer.Option("--agent/--no-agent", help="Whether the app is declared an agent (docs/slack.md).")
    ] = True,
    channels: Annotated[
        bool, typer.Option("--channels", help='For layout = "channel": a channel for each session.')
    ] = False,
) -> None:
    """Print the manifest from which your Slack app is made (docs/slack.md)."""
    from bridge.cli.slack_manifest import slack_manifest as manifest

    raise typer.Exit(manifest(request_url, agent=agent, channels=channels))


@db.command()
def upgrade(config: Config = None) -> None:
    """Migrate the store to this version (also done at start)."""
    from bridge.cli.database import upgrade as migrate

    raise typer.Exit(migrate(config))
