"""What changed in a directory, drawn from what git printed: every form that git has, on a phone's width."""

from bridge.cards.model import Card, Code, Text
from bridge.cards.session.work_tree import (
    PAGE,
    Change,
    Found,
    Tree,
    present_file_diff,
    present_found,
    present_other_file,
    present_text_file,
    present_tree,
    read_numstat,
    read_status,
)

STATUS = """# branch.oid 1db166bb1e866acd1906c662c2701ddaf1b14b26
# branch.head feature/parser
# branch.upstream origin/feature/parser
# branch.ab +2 -1
1 .M N... 100644 100644 100644 814f4a42 814f4a42 src/a file.py
1 A. N... 000000 100644 100644 00000000 b4785957 st.py
1 MM N... 100644 100644 100644 814f4a42 814f4a42 both.py
2 R. N... 100644 100644 100644 61780798 61780798 R100 new name.txt\told name.txt
u UU N... 100644 100644 100644 100644 61780798 61780798 61780798 conflict.py
? notes.md
? "\\303\\274ber.txt"
! ignored.log
"""


def text(card: Card) -> str:
    lines = [line for piece in card.pieces if isinstance(piece, Text) for line in piece.lines]
    return "\n".join("".join(span.text for span in line) for line in lines)


def test_every_form_of_gits_status_is_read() -> None:
    tree = read_status(STATUS)
    assert (tree.branch, tree.ahead, tree.behind) == ("feature/parser", 2, 1)
    assert [(each.path, each.staged, each.unstaged) for each in tree.changes] == [
        ("src/a file.py", "", "M"),
        ("st.py", "A", ""),
        ("both.py", "M", "M"),
        ("new name.txt", "R", ""),
        ("conflict.py", "U", "U"),
        ("notes.md", "", "?"),
        ("über.txt", "", "?"),
    ]


def test_what_is_no_status_gives_an_empty_tree() -> None:
    """Invariant 5."""
    for odd in ("", "fatal: not a git repository", "1 .M", "2 R. short", "# branch.ab nonsense", "?"):
        assert all(change.path == "" for change in read_status(odd).changes)


def test_lines_are_counted_by_file_and_binaries_have_none() -> None:
    assert read_numstat('2\t1\ta.py\n-\t-\tpicture.png\n0\t3\t"\\303\\274.txt"\n\nodd\n') == {
        "a.py": (2, 1),
        "ü.txt": (0, 3),
    }


def test_a_tree_names_its_files_with_a_button_for_each_diff() -> None:
    card = present_tree(Tree("main", (Change("a.py", "", "M", 2, 1), Change("new.md", "", "?")), ahead=1), "s1")
    assert text(card) == "On main · ↑1 · 2 files changed\nM a.py +2 −1\n? new.md"
    assert [(row[0].label, row[0].act and row[0].act.do) for row in card.buttons] == [
        ("a.py", "work_diff"),
        ("new.md", "work_file"),
    ]


def test_many_files_have_pages() -> None:
    changes = tuple(Change(f"{number}.py", "", "M") for number in range(2 * PAGE + 1))
    first, last = present_tree(Tree("main", changes), "s1"), present_tree(Tree("main", changes), "s1", 2)
    assert [button.label for button in first.buttons[-1]] == ["More ›"]
    assert [button.label for button in last.buttons[-1]] == ["‹ Back"]
    assert len(last.buttons) == 2


def test_a_diff_begins_with_its_first_hunk() -> None:
    diff = "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+two\n"
    (code,) = [piece for piece in present_file_diff("a.py", diff, "s1").pieces if isinstance(piece, Code)]
    assert (code.source, code.language, code.spill) == ("@@ -1 +1 @@\n-one\n+two", "diff", "a.py.diff")


def test_a_binary_says_so_and_no_difference_is_said() -> None:
    card = present_file_diff("a.png", "diff --git a/a.png b/a.png\nBinary files a/a.png and b/a.png differ\n", "s1")
    assert any(isinstance(piece, Code) and piece.source.startswith("Binary files") for piece in card.pieces)
    assert "No difference here" in text(present_file_diff("a.py", "", "s1"))


def test_a_file_shows_its_language_and_spills_under_its_own_name() -> None:
    card = present_text_file("src/main.rs", "fn main() {}\n", 13)
    (code,) = [piece for piece in card.pieces if isinstance(piece, Code)]
    assert (code.language, code.spill) == ("rust", "main.rs")


def test_what_was_found_is_opened_and_nothing_found_is_said() -> None:
    card = present_found("a", [Found("src/a.py", 14), Found("src", None, is_directory=True)], "s1")
    assert [row[0].act and row[0].act.do for row in card.buttons] == ["work_file", "work_list"]
    assert "No file is called like “zzz”." in text(present_found("zzz", [], "s1"))


def test_a_file_comes_under_a_name_that_hides_no_ending() -> None:
    path = "docs/an\ninvoice\u202efdp.exe"
    (file,) = present_other_file(path, 4, "application/octet-stream", "s").files
    whole, diff = present_text_file(path, "x", 1).pieces[1], present_file_diff(path, "@@ -1 +1 @@\n+x", "s1").pieces[1]
    assert isinstance(whole, Code)
    assert isinstance(diff, Code)
    name = "an invoice⟨U+202E⟩fdp.exe"
    assert (file.name, whole.spill, diff.spill) == (name, name, f"{name}.diff")
