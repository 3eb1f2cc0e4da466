"""``python -m scripts.texts``: bring the catalogues up to what the code says; ``--check``: only say what is amiss.

Texts are found by reading the code as Python does, not line by line: ``tr``, ``trn`` and ``N_`` with a literal, also
within an f-string. Catalogues are written without places in the code and sorted by their text, so that two people who
add one each rarely meet.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Formatter
from typing import IO, Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

ROOT: Final = Path(__file__).parents[1]
CODE: Final = ROOT / "bridge"
LOCALES: Final = CODE / "locales"
TEMPLATE: Final = LOCALES / "bridge.pot"
_KEYWORDS: Final[dict[str, Any]] = {"tr": None, "N_": None, "trn": (1, 2)}
_PLAIN_NAMES: Final = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
"""What may stand in a call of ``tr`` in place of a literal: something marked by ``N_`` where it was written."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the catalogues, or check them. Returns the exit status: 1 where something is amiss."""
    parser = argparse.ArgumentParser(prog="python -m scripts.texts", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, say what is amiss")
    checks = parser.parse_args(arguments).check
    template = template_of_code()
    if not checks:
        TEMPLATE.write_bytes(written(template))
        for path in translations():
            path.write_bytes(written(updated(read(path), template)))
    amiss = [*misused(), *out_of_date(template), *(line for path in translations() for line in untranslated(path))]
    for line in amiss:
        print(line)
    return 1 if amiss else 0


def template_of_code() -> Catalog:
    """Every text of the code, without translations."""
    catalog = Catalog(project="hapi-bridge", fuzzy=False)
    for path in sources():
        with path.open("rb") as file:
            for _, text, _, _ in extract(_TEXTS, file, _KEYWORDS):
                catalog.add(text)
    return catalog


def sources() -> list[Path]:
    """The code that may say something."""
    return sorted(path for path in CODE.rglob("*.py") if "migrations" not in path.parts)


def translations() -> list[Path]:
    """The catalogues of other languages."""
    return sorted(LOCALES.glob("*/LC_MESSAGES/bridge.po"))


def read(path: Path) -> Catalog:
    """A catalogue as it is."""
    with path.open("rb") as file:
        return read_po(file)


def updated(catalog: Catalog, template: Catalog) -> Catalog:
    """A translation with the texts there are now. Nothing is guessed: a text that changed is a new one."""
    catalog.update(template, no_fuzzy_matching=True)
    return catalog


def written(catalog: Catalog) -> bytes:
    """A catalogue as a file, the same for the same texts on every day."""
    out = io.BytesIO()
    write_po(out, catalog, no_location=True, sort_output=True, ignore_obsolete=True, width=120)
    lines = out.getvalue().decode().split("\n")
    dated = ("POT-Creation-Date", "PO-Revision-Date", "Generated-By", "Report-Msgid-Bugs-To", "Last-Translator")
    kept = [line for line in lines if not line.startswith(tuple(f'"{name}: ' for name in dated))]
    start = next((at for at, line in enumerate(kept) if line.startswith("msgid")), 0)
    heading = [line for line in kept[:start] if line.startswith("#, fuzzy")]
    return "\n".join([*heading, *kept[start:]]).encode()


def out_of_date(template: Catalog) -> Iterator[str]:
    """The template that is in the tree is not what the code says."""
    if not TEMPLATE.exists() or TEMPLATE.read_bytes() != written(template):
        yield f"{TEMPLATE.relative_to(ROOT)}: not what the code says: run `make texts`"
    texts = {_key(message) for message in template if message.id}
    for path in translations():
        there = {_key(message) for message in read(path) if message.id}
        yield from (f"{_name(path)}: missing: {text!r}" for text in sorted(texts - there))
        yield from (f"{_name(path)}: not used any more: {text!r}" for text in sorted(there - texts))


def untranslated(path: Path) -> Iterator[str]:
    """Texts of a catalogue without a finished translation, or with one whose ``{names}`` differ."""
    for message in read(path):
        if not message.id:
            continue
        forms = message.string if isinstance(message.string, (tuple, list)) else (message.string,)
        if message.fuzzy or not all(forms):
            yield f"{_name(path)}: not translated: {_key(message)!r}"
            continue
        ids = message.id if isinstance(message.id, (tuple, list)) else (message.id,)
        for form in forms:
            try:
                same = names_in(str(form)) == names_in(str(ids[-1]))
            except ValueError:
                same = False
            if not same:
                yield f"{_name(path)}: other {{names}} than in {_key(message)!r}: {form!r}"


def misused() -> Iterator[str]:
    """Calls that no catalogue can serve: texts put together first, values whose names the text lacks, a text that is
    said with a number in one place and without in another."""
    counted: dict[str, bool] = {}
    for path in sources():
        for call, name in _calls(ast.parse(path.read_text())):
            where = f"{path.relative_to(ROOT)}:{call.lineno}"
            texts = call.args[: 2 if name == "trn" else 1]
            for text in texts:
                if not _literal(text) and (name == "N_" or not isinstance(text, _PLAIN_NAMES)):
                    yield f"{where}: {name} takes a literal"
            if texts and _literal(texts[0]):
                text = ast.literal_eval(texts[0])
                if counted.setdefault(text, name == "trn") != (name == "trn"):
                    yield f"{where}: {text!r} is said with a number and without: word one of them differently"
            given = {each.arg for each in call.keywords}
            literal = texts[-1] if texts else None
            if literal is None or None in given or not _literal(literal) or name == "N_":
                continue
            wanted = names_in(ast.literal_eval(literal)) - ({"n"} if name == "trn" else set())
            # A text said without values may be filled later (`cards.phrase`).
            if (given or name == "trn") and wanted != given:
                yield f"{where}: the text has {sorted(wanted)}, the call gives {sorted(map(str, given))}"


def names_in(text: str) -> set[str]:
    """The ``{names}`` of a text. ``ValueError`` for braces that are no names."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _texts(
    file: IO[bytes], keywords: Any, comment_tags: Any, options: Any
) -> Iterator[tuple[int, str, Any, list[str]]]:
    """Babel's interface to a reader of texts: line, function, its texts, comments."""
    for call, name in _calls(ast.parse(file.read())):
        texts = call.args[: 2 if name == "trn" else 1]
        if texts and all(map(_literal, texts)):
            found = tuple(ast.literal_eval(text) for text in texts)
            yield call.lineno, name, found if name == "trn" else found[0], []


def _calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _KEYWORDS:
            yield node, node.func.id


def _literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _key(message: Message) -> str:
    return str(message.id[0] if isinstance(message.id, (tuple, list)) else message.id)


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


_TEXTS: Final[Any] = _texts
"""Babel's own type of such a function says what :func:`extract` gives, not what the function does."""

if __name__ == "__main__":
    sys.exit(main())
