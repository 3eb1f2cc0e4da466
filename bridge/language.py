"""The language the bridge speaks: every text that people read in a chat goes through :func:`tr` or :func:`trn`.

English is written in the code; other languages are gettext catalogues in ``locales/``, read as they are (``.po``), so
there is nothing to compile. The language is bound to the task that runs the bridge (:func:`speaking`) and what it
starts, as the decimal context is: no presenter has to hand it on, and two bridges in one process may differ.
Logs and the command line stay English.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from babel.core import Locale
from babel.messages.pofile import read_po

FOLDER: Final = Path(__file__).parent / "locales"
ENGLISH: Final = "en"


@dataclass(frozen=True, slots=True)
class Language:
    """One language's texts. A text that it lacks is said in English."""

    code: str
    """As a user writes it: ``en``, ``zh-CN``."""
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """English text to the forms for each plural class; one form where number does not matter."""

    def form(self, n: int) -> int:
        """Which of the plural forms a number takes."""
        locale = Locale.parse(self.code, sep="-")
        rules = sorted(locale.plural_form.tags | {"other"}, key=_ORDER.index)
        return rules.index(locale.plural_form(n))


_ORDER: Final = ["zero", "one", "two", "few", "many", "other"]
_english: Final = Language(ENGLISH)
_spoken: ContextVar[Language] = ContextVar("language", default=_english)


def tr(text: str, /, **values: Any) -> str:
    """A text in the language spoken here, with ``{name}`` replaced by ``values``. What they hold is not read again."""
    found = _spoken.get().texts.get(text)
    return _filled(found[0] if found else text, values)


def N_(text: str) -> str:
    """Mark a text for translation without translating it yet, where it is read before a language is spoken.

    What uses it says ``tr(text)``.
    """
    return text


def trn(one: str, many: str, n: int, /, **values: Any) -> str:
    """A text that depends on a number, which is ``{n}`` in it. ``one`` is the English form for exactly one."""
    language = _spoken.get()
    found = language.texts.get(one)
    if found:
        return _filled(found[min(language.form(n), len(found) - 1)], {"n": n, **values})
    return _filled(one if n == 1 else many, {"n": n, **values})


def locale() -> str:
    """The language spoken here as Babel names it, for dates: ``en``, ``zh_CN``."""
    return _spoken.get().code.replace("-", "_")


@contextmanager
def speaking(language: str | Language) -> Iterator[None]:
    """Speak a language, by its code or as it is, in this block and the tasks started in it.

    ``LookupError`` for a code there is not.
    """
    token = _spoken.set(load(language) if isinstance(language, str) else language)
    try:
        yield
    finally:
        _spoken.reset(token)


def languages() -> list[str]:
    """The codes there are, English first."""
    return [ENGLISH, *sorted(folder.name.replace("_", "-") for folder in FOLDER.iterdir() if folder.is_dir())]


@cache
def load(code: str) -> Language:
    """A language from its catalogue. Unfinished (fuzzy) translations count as missing. ``LookupError`` if unknown."""
    if code == ENGLISH:
        return _english
    if code not in languages():
        raise LookupError(f"no language {code}; there are {', '.join(languages())}")
    with (FOLDER / code.replace("-", "_") / "LC_MESSAGES" / "bridge.po").open("rb") as file:
        catalog = read_po(file)
    texts: dict[str, tuple[str, ...]] = {}
    for message in catalog:
        given = message.string if isinstance(message.string, (tuple, list)) else (message.string,)
        forms = tuple(form for form in given if form)
        key = message.id[0] if isinstance(message.id, (tuple, list)) else message.id
        if key and not message.fuzzy and len(forms) == len(given):
            texts[key] = forms
    return Language(code, texts)


def _filled(text: str, values: dict[str, Any]) -> str:
    return text.format(**values) if values else text
