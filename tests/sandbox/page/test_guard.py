"""Only the page's own visitor may use it: host, key, cookie, origin, policy."""

import httpx
import pytest

from tests.sandbox.page.conftest import Visit


@pytest.fixture
async def stranger(visit: Visit) -> httpx.AsyncClient:
    """Somebody on the same computer without the key."""
    return httpx.AsyncClient(base_url=visit.base, trust_env=False)


async def test_the_printed_address_lets_in_and_gives_a_cookie_that_scripts_cannot_read(visit: Visit) -> None:
    answer = await visit.client.get(visit.page.address)
    cookie = answer.headers["Set-Cookie"]
    assert answer.text.startswith("<!doctype html>")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert (await visit.client.get("/")).status_code == 200, "a reload without the key in the address"


async def test_every_answer_has_the_strict_policy_and_is_not_cached(visit: Visit) -> None:
    for path in ("/", "/static/js/main.js", "/api/state", "/static/nothing.js", "/api/nothing"):
        headers = (await visit.client.get(path)).headers
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["form-action"] == "'none'", path
        assert policy["base-uri"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"


async def test_without_the_key_nothing_is_shown_or_done(visit: Visit, stranger: httpx.AsyncClient) -> None:
    async with stranger:
        for path in ("/", "/?key=wrong", "/api/state", "/api/events", "/api/file/telegram/file1"):
            answer = await stranger.get(path)
            assert (answer.status_code, "Set-Cookie" in answer.headers) == (403, False), path
            assert answer.json()["error"].startswith("This page needs the address")
        answer = await stranger.post("/api/telegram/say", json={"chat": visit.stage.chat.id, "text": "hello"})
        assert answer.status_code == 403
    assert not visit.stage.chat.messages


async def test_a_rebound_name_is_refused(visit: Visit) -> None:
    """A page of evil.example whose name now leads to 127.0.0.1 gets nothing, not even with the key."""
    port = visit.base.rpartition(":")[2]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{int(port) ^ 1}"):
        answer = await visit.client.get(visit.page.address, headers={"Host": host})
        assert answer.status_code == 421, host
    assert (await visit.client.get("/api/state", headers={"Host": f"localhost:{port}"})).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_another_page_in_the_browser_can_press_nothing(visit: Visit, headers: dict[str, str]) -> None:
    """Cookies know no ports, so a page of another server on this computer would bring the cookie along."""
    body = {"chat": visit.stage.chat.id, "text": "hello"}
    answer = await visit.client.post("/api/telegram/say", json=body, headers=headers)
    assert answer.status_code == 403
    assert not visit.stage.chat.messages


async def test_the_page_itself_is_let_through(visit: Visit) -> None:
    body = {"chat": visit.stage.chat.id, "text": "hello"}
    headers = {"Origin": visit.base, "Sec-Fetch-Site": "same-origin"}
    assert (await visit.client.post("/api/telegram/say", json=body, headers=headers)).status_code == 200


async def test_a_form_can_send_nothing(visit: Visit) -> None:
    """What a page may send without being asked (text, forms) is not taken."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = await visit.client.post("/api/fault", content=b"{}", headers={"Content-Type": kind})
        assert answer.status_code == 415, kind


async def test_it_listens_on_loopback_alone(visit: Visit) -> None:
    assert visit.page.address.startswith("http://127.0.0.1:")


async def test_static_files_have_their_types_and_nothing_else_is_found(visit: Visit) -> None:
    assert (await visit.client.get("/static/js/main.js")).headers["Content-Type"] == "text/javascript; charset=utf-8"
    for path in (
        "/static/../conftest.py",
        "/static/%2e%2e/guard.py",
        "/static//etc/passwd",
        "/static/js",
        "/static/x.py",
    ):
        answer = await visit.client.get(path)
        assert (answer.status_code, set(answer.json())) == (404, {"error"}), path
    answer = await visit.client.put("/api/fault", json={})
    assert (answer.status_code, set(answer.json())) == (405, {"error"})


async def test_a_body_that_is_none_is_refused_in_words(visit: Visit) -> None:
    for content in (b"", b"[]", b"{", b"\xff", b'{"name": "flood"}', b'{"name": "flood", "on": true, "more": 1}'):
        answer = await visit.client.post("/api/fault", content=content, headers={"Content-Type": "application/json"})
        assert (answer.status_code, set(answer.json())) == (400, {"error"}), content
    deep = b"[" * 100_000
    answer = await visit.client.post("/api/fault", content=deep, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
