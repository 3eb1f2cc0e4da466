"""Names of people's files: fit to be shown, no path, short enough for the computer they go to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.chat.file_names import MOST_BYTES, file_name, media_type


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("报告 1.pdf", "报告 1.pdf"),
        ("../../etc/passwd", ".._.._etc_passwd"),
        ("C:\\Users\\ada\\a.txt", "C:_Users_ada_a.txt"),
        ("a\u202egnp.exe", "agnp.exe"),
        (" a \n\t b\x00\x1b[31m.txt ", "a b[31m.txt"),
        ("..", "file.bin"),
        ("", "file.bin"),
        ("\u200b\u2066", "file.bin"),
        (".env", ".env"),
    ],
)
def test_a_name_is_fit_to_be_shown(given: str, name: str) -> None:
    assert file_name(given, "file.bin") == name


def test_a_long_name_keeps_its_ending() -> None:
    name = file_name("文" * 300 + ".tar.gz", "file.bin")
    assert name.endswith("文.gz")
    assert len(name.encode()) <= MOST_BYTES


@given(st.text(max_size=400))
def test_whatever_it_was_called_it_fits_and_is_no_path(given: str) -> None:
    name = file_name(given, "file.bin")
    assert 0 < len(name.encode()) <= MOST_BYTES
    assert "/" not in name
    assert "\\" not in name
    assert name not in (".", "..")
    assert name.isprintable()


@pytest.mark.parametrize(
    ("told", "name", "kind"),
    [
        ("text/plain; charset=utf-8", "a.txt", "text/plain"),
        ("", "a.png", "image/png"),
        ("evil\r\nheader", "a.png", "image/png"),
        ("", "a.unheard", "application/octet-stream"),
    ],
)
def test_a_kind_is_told_guessed_or_that_of_any_bytes(told: str, name: str, kind: str) -> None:
    assert media_type(told, name) == kind
