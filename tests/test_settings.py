"""The configuration: what wins over what, and one clear line for every mistake, without a secret in it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from bridge.settings import (
    ChatSettings,
    ConfigurationError,
    DangerPattern,
    DangerSettings,
    Follow,
    HttpSettings,
    HubSettings,
    LogSettings,
    PeopleSettings,
    RemindSettings,
    SlackSettings,
    StoreSettings,
    TelegramSettings,
    load,
)

ROOT = Path(__file__).resolve().parent.parent
ENOUGH = {"HAPI_ACCESS_TOKEN": "hub-token", "TELEGRAM_BOT_TOKEN": "12345:abc-DEF", "TELEGRAM_OWNER_ID": "42"}
SLACK = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_OWNER_ID": "U012AB"}


def mistakes(environ: dict[str, str], path: Path | None = None) -> list[str]:
    with pytest.raises(ConfigurationError) as refused:
        load(path, environ)
    return refused.value.mistakes


@pytest.fixture
def toml(tmp_path: Path) -> Any:
    """Writes a configuration file and gives its path."""

    def write(text: str) -> Path:
        path = tmp_path / "bridge.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_an_owner_and_two_tokens_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load(None, ENOUGH)
    assert settings.hub.url == "http://127.0.0.1:3006"
    assert settings.telegram is not None
    assert settings.telegram.owner_id == 42
    assert settings.telegram.api_base_url == "https://api.telegram.org"
    assert (settings.slack, settings.http.address) == (None, None)
    assert (settings.log.format, settings.log.level) == ("text", "info")
    assert settings.store.url.startswith("sqlite+aiosqlite:////")


def test_every_variable_sets_its_value(tmp_path: Path) -> None:
    settings = load(
        None,
        ENOUGH
        | SLACK
        | {
            "HAPI_HUB_URL": "https://hub.example/",
            "BRIDGE_DATABASE_URL": "postgres://u:p@db/bridge",
            "BRIDGE_DATA_DIR": str(tmp_path),
            "BRIDGE_HTTP": "[::1]:8080",
            "BRIDGE_LOG": "JSON",
            "BRIDGE_LOG_LEVEL": "Debug",
            "TELEGRAM_API_BASE_URL": "http://127.0.0.1:8081/",
            "SLACK_SIGNING_SECRET": "shh",
            "SLACK_API_BASE_URL": "http://127.0.0.1:9/api",
        },
    )
    assert settings.hub.url == "https://hub.example"
    assert settings.store.url == "postgresql+psycopg://u:p@db/bridge"
    assert settings.store.data_dir == tmp_path
    assert settings.http.address == ("::1", 8080)
    assert (settings.log.format, settings.log.level) == ("json", "debug")
    assert settings.telegram is not None
    assert settings.telegram.api_base_url == "http://127.0.0.1:8081"
    assert settings.slack is not None
    assert settings.slack.api_base_url == "http://127.0.0.1:9/api/"


def test_the_environment_wins_over_the_file_and_the_file_over_hapis_own_variables(toml: Any) -> None:
    path = toml('[hub]\nurl = "http://file:1"\naccess_token = "from-file"\n')
    hapi = {"HAPI_API_URL": "http://hapi:2", "CLI_API_TOKEN": "from-hapi"}
    telegram = {key: value for key, value in ENOUGH.items() if key.startswith("TELEGRAM")}
    fallback = load(None, telegram | hapi | {"BRIDGE_CONFIG": str(toml(""))})
    assert (fallback.hub.url, fallback.hub.access_token.get_secret_value()) == ("http://hapi:2", "from-hapi")
    path = toml('[hub]\nurl = "http://file:1"\naccess_token = "from-file"\n')
    filed = load(path, telegram | hapi)
    assert (filed.hub.url, filed.hub.access_token.get_secret_value()) == ("http://file:1", "from-file")
    won = load(path, ENOUGH | hapi)
    assert (won.hub.url, won.hub.access_token.get_secret_value()) == ("http://file:1", "hub-token")


def test_the_file_is_the_named_one_else_bridge_config_else_the_usual_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("named", "variable", "config/bridge"):
        path = tmp_path / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'[hub]\nurl = "http://{path.stem}:1"\n')
    variable = {"BRIDGE_CONFIG": str(tmp_path / "variable.toml")}
    assert load(tmp_path / "named.toml", ENOUGH | variable).hub.url == "http://named:1"
    assert load(None, ENOUGH | variable).hub.url == "http://variable:1"
    assert load(None, ENOUGH).hub.url == "http://bridge:1"


def test_a_variable_set_to_nothing_counts_as_not_set() -> None:
    settings = load(None, ENOUGH | {"HAPI_HUB_URL": "", "SLACK_BOT_TOKEN": " ", "CLI_API_TOKEN": ""})
    assert settings.hub.url == "http://127.0.0.1:3006"
    assert settings.slack is None


def test_the_example_file_as_it_is_is_refused_placeholder_by_placeholder() -> None:
    path = ROOT / "config" / "bridge.example.toml"
    assert mistakes({}, path) == [
        f"{key} in {path}: is still the example's placeholder; put your own in"
        for key in ("hub.access_token", "telegram.bot_token", "telegram.owner_id")
    ]


def test_no_placeholder_of_the_example_for_slack_is_taken_for_a_value(toml: Any) -> None:
    lines = (ROOT / "config" / "bridge.example.toml").read_text(encoding="utf-8").splitlines()
    start = lines.index("#[slack]")
    slack = [line.removeprefix("#") for line in lines[start : start + 8] if line.startswith("#") and line[1] != " "]
    found = mistakes(ENOUGH, toml("\n".join(slack)))
    assert [line.partition(" in ")[0] for line in found] == [
        "slack.bot_token",
        "slack.owner_id",
        "slack.app_token",
        "slack.signing_secret",
    ]
    assert all("is still the example's placeholder" in line for line in found)


def test_the_example_file_is_valid_once_filled_in_and_names_every_key_there_is(toml: Any) -> None:
    text = (ROOT / "config" / "bridge.example.toml").read_text(encoding="utf-8")
    filled = text.replace("put-the-access-token-here", "hub-token").replace("put-the-bot-token-here", "abc-DEF")
    assert load(toml(filled.replace("put-your-id-here", "42")), {}).telegram is not None
    bare = "\n".join(
        line.removeprefix("#") if line.startswith("#") and line[1:2] not in (" ", "") else line
        for line in text.splitlines()
    )
    told = tomllib.loads(bare)
    assert {table: set(keys) for table, keys in told.items()} == {
        "hub": set(HubSettings.model_fields),
        "telegram": set(TelegramSettings.model_fields),
        "slack": set(SlackSettings.model_fields),
        "store": set(StoreSettings.model_fields),
        "http": set(HttpSettings.model_fields),
        "log": set(LogSettings.model_fields),
        "chat": set(ChatSettings.model_fields),
        "remind": set(RemindSettings.model_fields),
        "people": set(PeopleSettings.model_fields),
        "danger": set(DangerSettings.model_fields),
    }
    assert set(told["danger"]["pattern"][0]) == set(DangerPattern.model_fields)
    assert set(told["telegram"]["follow"][0]) | set(told["telegram"]["follow"][1]) == set(Follow.model_fields)


def test_danger_rules_are_read_and_their_mistakes_are_named(toml: Any) -> None:
    own = '[[danger.pattern]]\nname = "prod"\nregex = "prod"\ntools = ["Bash"]\n'
    rules = load(toml('[danger]\noff = ["Force_Push"]\nsecond_approver = true\n' + own), ENOUGH).danger.rules
    assert (rules.off, rules.second_approver) == (frozenset({"force-push"}), True)
    assert [(one.name, one.tools) for one in rules.own] == [("prod", frozenset({"Bash"}))]
    bad = toml('[danger]\noff = ["sudo"]\n[[danger.pattern]]\nname = "x"\nregex = "(a"\n')
    first, second = mistakes(ENOUGH, bad)
    assert first.startswith(f"danger.off[1] in {bad}: expects names of built-in rules: delete, discard, force-push")
    assert second == f"danger.pattern[1].regex in {bad}: is no pattern that can be used: unclosed group"


CASES: list[tuple[dict[str, str], list[str]]] = [
    (
        {},
        [
            "HAPI_ACCESS_TOKEN (hub.access_token) is missing: the hub's access token, its CLI_API_TOKEN",
            "no chat is set up: give TELEGRAM_BOT_TOKEN and TELEGRAM_OWNER_ID, or SLACK_BOT_TOKEN and SLACK_OWNER_ID",
        ],
    ),
    (
        {"HAPI_ACCESS_TOKEN": "x", "TELEGRAM_BOT_TOKEN": "1:a"},
        ["TELEGRAM_OWNER_ID (telegram.owner_id) is missing: your numeric Telegram id"],
    ),
    (
        {"HAPI_ACCESS_TOKEN": "x", "TELEGRAM_OWNER_ID": "1"},
        ["TELEGRAM_BOT_TOKEN (telegram.bot_token) is missing: the token @BotFather gave for your bot"],
    ),
    (
        ENOUGH | {"HAPI_HUB_URL": "127.0.0.1:3006"},
        ["HAPI_HUB_URL: expects an address such as http://127.0.0.1:3006 (http or https, host, perhaps a port)"],
    ),
    (
        ENOUGH | {"HAPI_HUB_URL": "http://host:99999"},
        ["HAPI_HUB_URL: expects an address such as http://127.0.0.1:3006 (http or https, host, perhaps a port)"],
    ),
    (
        ENOUGH | {"HAPI_HUB_URL": "http://me:secret@host"},
        ["HAPI_HUB_URL: expects an address without a login, '?' or '#' in it"],
    ),
    (
        ENOUGH | {"TELEGRAM_API_BASE_URL": "https://api.telegram.org/bot"},
        ["TELEGRAM_API_BASE_URL: expects the Bot API server's address without the /bot part"],
    ),
    (
        ENOUGH | {"TELEGRAM_BOT_TOKEN": "secret-nonsense"},
        ["TELEGRAM_BOT_TOKEN: expects a token as @BotFather gives it: digits, a colon, letters and digits"],
    ),
    (
        ENOUGH | {"TELEGRAM_OWNER_ID": "@ada"},
        ["TELEGRAM_OWNER_ID: expects your numeric Telegram id, such as 123456789, not a @name; @userinfobot tells it"],
    ),
    (ENOUGH | {"BRIDGE_HTTP": "8080"}, ["BRIDGE_HTTP: expects host:port, such as 127.0.0.1:8080"]),
    (ENOUGH | {"BRIDGE_HTTP": "host:70000"}, ["BRIDGE_HTTP: expects host:port, such as 127.0.0.1:8080"]),
    (ENOUGH | {"BRIDGE_LOG": "xml"}, ['BRIDGE_LOG: expects "text" or "json"']),
    (
        ENOUGH | {"BRIDGE_LOG_LEVEL": "loud"},
        ['BRIDGE_LOG_LEVEL: expects "debug", "info", "warning" or "error"'],
    ),
    (
        ENOUGH | {"BRIDGE_DATABASE_URL": "mysql://me:secret@db/x"},
        [
            "BRIDGE_DATABASE_URL: expects an SQLAlchemy URL such as sqlite:////var/lib/bridge.sqlite3 or "
            "postgresql://user@host/name"
        ],
    ),
    (
        ENOUGH | {"SLACK_BOT_TOKEN": "xoxb-1"},
        [
            "SLACK_OWNER_ID (slack.owner_id) is missing: your Slack member id, such as U012ABCDEF",
            "SLACK_APP_TOKEN (slack.app_token) is missing: the app-level token for Socket Mode; or, for HTTP mode, "
            "SLACK_SIGNING_SECRET and BRIDGE_HTTP",
        ],
    ),
    (
        ENOUGH | SLACK,
        [
            "SLACK_APP_TOKEN (slack.app_token) is missing: the app-level token for Socket Mode; or, for HTTP mode, "
            "SLACK_SIGNING_SECRET and BRIDGE_HTTP"
        ],
    ),
    (
        ENOUGH | SLACK | {"SLACK_SIGNING_SECRET": "secret"},
        ["BRIDGE_HTTP (http.listen) is missing: Slack's HTTP mode needs host:port to listen on"],
    ),
    (
        ENOUGH | {"SLACK_BOT_TOKEN": "secret", "SLACK_OWNER_ID": "ada", "SLACK_APP_TOKEN": "secret"},
        [
            "SLACK_BOT_TOKEN: expects a bot token, which starts with xoxb-",
            "SLACK_OWNER_ID: expects your Slack member id, such as U012ABCDEF; your profile shows it",
            "SLACK_APP_TOKEN: expects an app-level token, which starts with xapp-",
        ],
    ),
    (
        ENOUGH | SLACK | {"SLACK_APP_TOKEN": "xapp-1", "SLACK_API_BASE_URL": "https://slack.com"},
        ["SLACK_API_BASE_URL: expects an address that ends in /api/"],
    ),
]


@pytest.mark.parametrize(
    ("environ", "expected"), CASES, ids=lambda value: value[0][:40] if isinstance(value, list) else ""
)
def test_each_mistake_in_a_variable_is_one_line_that_names_it(environ: dict[str, str], expected: list[str]) -> None:
    """Invariant 7 as well: no line repeats a secret."""
    found = mistakes(environ)
    assert found == expected
    assert "secret" not in "".join(found)


FILES: list[tuple[str, list[str]]] = [
    ('[hub]\nurll = "http://x"\n', ["hub.urll in FILE: unknown key; did you mean url?"]),
    ("[hubs]\n", ["hubs in FILE: unknown key; did you mean hub?"]),
    ("[zoo]\n", ["zoo in FILE: unknown key; known are hub, store, telegram, slack, http, log"]),
    ("hub = 3\n", ["hub in FILE: expects a table of keys"]),
    ("[telegram]\ntopics = 'perhaps'\n", ["telegram.topics in FILE: expects true or false"]),
    ("[telegram]\nspeed = 0\n", ["telegram.speed in FILE: expects a number above 0"]),
    ("[telegram]\nspeed = 'fast'\n", ["telegram.speed in FILE: expects a number"]),
    ("[telegram]\nlevel = 'loud'\n", ['telegram.level in FILE: expects "quiet", "normal" or "full"']),
    (
        "[[telegram.follow]]\nmode = 'all'\n[[telegram.follow]]\nmode = 'some'\nmachne = 'x'\n",
        [
            'telegram.follow[2].mode in FILE: expects "all" or "ask"',
            "telegram.follow[2].machne in FILE: unknown key; did you mean machine?",
        ],
    ),
    (
        "[telegram]\nfollow = 'all'\n",
        ["telegram.follow in FILE: expects tables, each written [[telegram.follow]]"],
    ),
    ("[telegram]\nfollow = [1]\n", ["telegram.follow[1] in FILE: expects a table of keys"]),
    ('[store]\ndata_dir = " "\n', ["store.data_dir in FILE: is empty"]),
    ("[hub]\nurl = 5\n", ["hub.url in FILE: expects an address such as"]),
    ("[store]\ndata_dir = 5\n", ["store.data_dir in FILE: expects text in quotes"]),
    ("[hub\n", ["FILE: is not valid TOML: "]),
    ("[hub]\nurl = " + "[" * 3000 + "]" * 3000, ["FILE: is not valid TOML: "]),
]


@pytest.mark.parametrize(
    ("text", "expected"), FILES, ids=lambda value: value[0][:40] if isinstance(value, list) else ""
)
def test_each_mistake_in_the_file_is_one_line_that_names_key_and_file(
    toml: Any, text: str, expected: list[str]
) -> None:
    path = toml(text)
    found = mistakes(ENOUGH, path)
    assert len(found) == len(expected)
    for line, words in zip(found, expected, strict=True):
        assert line.startswith(words.replace("FILE", str(path)))
        assert "\n" not in line


def test_an_empty_value_in_the_file_is_called_empty(toml: Any) -> None:
    path = toml('[hub]\naccess_token = ""\n[telegram]\nowner_id = ""\nbot_token = "1:a"\n')
    assert mistakes({}, path) == [f"hub.access_token in {path}: is empty", f"telegram.owner_id in {path}: is empty"]


def test_all_mistakes_are_told_at_once(toml: Any) -> None:
    path = toml("[log]\nformat = 'xml'\n[zoo]\n")
    assert len(mistakes({"HAPI_HUB_URL": "nonsense", "TELEGRAM_OWNER_ID": "me"}, path)) == 6


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert mistakes(ENOUGH, missing) == [f"{missing}: there is no such file"]
    assert mistakes(ENOUGH | {"BRIDGE_CONFIG": str(missing)}) == [f"{missing}: there is no such file"]
    assert mistakes(ENOUGH, tmp_path) == [f"{tmp_path}: can't be read (Is a directory)"]
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    assert mistakes(ENOUGH, binary) == [f"{binary}: is not UTF-8 text"]


def test_no_form_of_the_settings_shows_a_secret() -> None:
    """Invariant 7."""
    environ = ENOUGH | {"BRIDGE_DATABASE_URL": "postgresql://u:pass%20word@db/x"}
    settings = load(None, environ)
    shown = f"{settings} {settings!r} {settings.model_dump_json()}"
    for secret in ("hub-token", "abc-DEF", "pass word", "pass%20word"):
        assert secret not in shown
    assert {"hub-token", "12345:abc-DEF", "pass word"} <= set(settings.secrets())


@pytest.mark.parametrize(
    ("follow", "expected"),
    [
        (Follow(), True),
        (Follow(machine="laptop"), True),
        (Follow(machine="lap*"), True),
        (Follow(machine="desktop"), False),
        (Follow(directory="/home/ada"), True),
        (Follow(directory="/home/ada/"), True),
        (Follow(directory="/"), True),
        (Follow(directory="/home/ad"), False),
        (Follow(directory="/home/*/shop"), True),
        (Follow(flavor="codex"), False),
        (Follow(machine="laptop", directory="/home/ada/shop", flavor="claude"), True),
    ],
)
def test_a_filter_matches_by_machine_directory_and_flavor(follow: Follow, expected: bool) -> None:
    found = follow.matches(machines=["m-1", "laptop"], directory="/home/ada/shop", flavor="claude")
    assert found is expected
