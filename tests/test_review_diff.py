"""Diffs: what git and diff write is read, and applied byte for byte; lines are followed both ways."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from repositories import Repository

from mmcodemod.model.change import FileChange, Hunk
from mmcodemod.model.place import Place
from mmcodemod.review.apply import DoesNotApply, applied, patched, reverse
from mmcodemod.review.diff import LIMIT, BadDiff, parse
from mmcodemod.review.lines import LineMap, Lines
from mmcodemod.source.tree import MemoryTree
from mmcodemod.source.workshop import DIFF_LIMIT


def diff(text):
    return parse(text.encode("utf-8", "surrogateescape"))


NAMES = st.sampled_from(
    ["a.py", "b c.py", "d/e.py", "d/ü.py", 'q"t\t.py', "--- x.py", "d/f/g.json", "x\\y.py"]
)
LINES = st.sampled_from(["x", "", " ", "y = 1", "-- a", "++ b", "@@ -1 +1 @@", "\\ No", "é", "a\rb", "\x0c"])
ENDS = st.sampled_from(["\n", "\n", "\r\n"])


@st.composite
def contents(draw):
    lines = [draw(LINES) + draw(ENDS) for _ in range(draw(st.integers(0, 12)))]
    text = "".join(lines) + draw(st.sampled_from(["", "", "end", "\r"]))
    return text.encode() + draw(st.sampled_from([b"", b"", b"\xff\xfe"]))


TREES = st.dictionaries(NAMES, contents(), max_size=4)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return Repository.made(tmp_path_factory.mktemp("scratch") / "repo", {"begin": ""})


def committed(repository, files):
    """A commit with exactly these files."""
    index = "".join(f"100644 {blob(repository, data)}\t{path}\0" for path, data in sorted(files.items()))
    repository.git("read-tree", "--empty")
    repository.git("update-index", "-z", "--index-info", given=index.encode())
    return repository.git("write-tree").strip()


def blob(repository, data):
    return repository.git("hash-object", "-w", "--stdin", given=data).strip()


def renamed(draw, tree):
    return {draw(NAMES) if draw(st.booleans()) else path: data for path, data in tree.items()}


@st.composite
def versions(draw):
    old = draw(TREES)
    new = {**(renamed(draw, old) if draw(st.booleans()) else old), **draw(TREES)}
    gone = draw(st.sets(st.sampled_from(sorted(new)))) if new else set()
    return old, {path: data for path, data in new.items() if path not in gone}


OPTIONS = st.sampled_from(
    ["", "-M", "-C --find-copies-harder", "-U0", "-U1 -M", "--no-prefix", "--full-index"]
)


@given(versions(), OPTIONS, st.sampled_from(["true", "false"]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_diff_of_git_gives_the_new_tree_back(scratch, trees, options, quotes):
    old, new = trees
    names = (committed(scratch, old), committed(scratch, new))
    command = [
        "git",
        "-c",
        f"core.quotePath={quotes}",
        "-C",
        str(scratch.root),
        "diff-tree",
        "-r",
        "-p",
        "--text",
    ]
    made = subprocess.run([*command, *options.split(), *names], capture_output=True, check=True).stdout
    changes = parse(made)
    assert as_files(applied(MemoryTree(old), changes)) == new
    if not any(change.copied for change in changes):
        assert as_files(applied(MemoryTree(new), reverse(changes))) == old


def as_files(tree):
    return {path: tree.read_bytes(path) for path in tree.paths}


@given(contents(), contents(), st.sampled_from(["-u", "-U0", "-U1"]))
@example(b"end", b"x\nend", "-U0")  # no new file, though it has no old line
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_plain_diff_gives_the_new_file_back(tmp_path, before, after, context):
    for folder, content in (("old", before), ("new", after)):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "x.py").write_bytes(content)
    made = subprocess.run(
        ["diff", "--text", "-r", context, "old", "new"], capture_output=True, cwd=tmp_path
    ).stdout
    changes = parse(made)
    assert as_files(applied(MemoryTree({"x.py": before}), changes)) == {"x.py": after}


@given(contents(), st.booleans())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_plain_diff_makes_and_removes_files(tmp_path, content, makes):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "x.py").unlink(missing_ok=True)
    (tmp_path / ("new" if makes else "old") / "x.py").write_bytes(content)
    command = ["diff", "--text", "-ruN", "old", "new"]
    made = subprocess.run(command, capture_output=True, cwd=tmp_path).stdout
    there = {"x.py": content} if content else {}  # nothing is said of an empty file
    before, after = ({}, there) if makes else (there, {})
    assert as_files(applied(MemoryTree(before), parse(made))) == after


@given(contents(), contents(), st.sampled_from(["-U0", "-U3"]))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lines_that_stay_are_followed_both_ways(tmp_path, before, after, context):
    (tmp_path / "a").write_bytes(before)
    (tmp_path / "b").write_bytes(after)
    made = subprocess.run(["diff", "--text", context, "a", "b"], capture_output=True, cwd=tmp_path).stdout
    lines = LineMap(parse(made)[0].hunks if made else ())
    olds, news = before.split(b"\n"), after.split(b"\n")
    ends = len(olds) - (not olds[-1]), len(news) - (not news[-1])
    for old in range(1, ends[0] + 1):
        new = lines.new(old)
        assert (new is None) == (old in lines.deleted)
        assert new is None or (lines.old(new) == old and olds[old - 1] == news[new - 1])
    for new in range(1, ends[1] + 1):
        assert (lines.old(new) is None) == (new in lines.added)
    assert all(0 <= new <= ends[1] for new in lines.deleted.values())


def one(text):
    (change,) = diff(text)
    return change


def test_what_git_writes_besides_lines():
    assert one("diff --git a/x.py b/x.py\nold mode 100644\nnew mode 100755\n") == FileChange("x.py", "x.py")
    rename = "diff --git a/x y.py b/z.py\nsimilarity index 100%\nrename from x y.py\nrename to z.py\n"
    assert one(rename) == FileChange("x y.py", "z.py")
    assert one(rename.replace("rename", "copy")) == FileChange("x y.py", "z.py", copied=True)
    new = "diff --git a/a b.py b/a b.py\nnew file mode 100644\nindex 0000000..e69de29\n"
    assert one(new) == FileChange("", "a b.py")
    assert one(new.replace("new file", "deleted file")) == FileChange("a b.py", "")
    binary = "diff --git a/w.json b/w.json\nindex 1..2 100644\nBinary files a/w.json and b/w.json differ\n"
    assert one(binary) == FileChange("w.json", "w.json", binary=True)
    literal = "diff --git a/w b/w\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n\nliteral 2\nJc\n\n"
    assert [c.binary for c in diff(literal + binary)] == [True, True]


def test_quoted_names_and_other_prefixes():
    quoted = 'diff --git "a/\\303\\274\\t\\".py" "b/\\303\\274\\t\\".py"\nold mode 100644\nnew mode 100755\n'
    assert one(quoted).new == 'ü\t".py'
    bad = one('diff --git "a/caf\\351.py" "b/caf\\351.py"\nnew file mode 100644\n')
    assert os.fsencode(bad.new) == b"caf\xe9.py"
    hunk = "@@ -1 +1 @@\n-a\n+b\n"
    assert one(f"diff --git i/x.py w/x.py\n--- i/x.py\n+++ w/x.py\n{hunk}").new == "x.py"
    assert one(f"diff --git src/x.py src/x.py\n--- src/x.py\n+++ src/x.py\n{hunk}").new == "src/x.py"
    assert one(f"--- x.py.orig\t2024-01-01 00:00:00\n+++ x.py\t2024-01-01 00:00:00\n{hunk}").old == "x.py"
    assert one(f"--- old/d/x.py\n+++ new/d/x.py\n{hunk}").new == "d/x.py"
    assert one("--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+b\n") == FileChange(
        "", "x.py", (Hunk(0, 0, 1, 1, ("+b",)),)
    )


def test_links_and_submodules_have_no_lines():
    link = "diff --git a/l.py b/l.py\nnew file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/l.py\n"
    assert one(f"{link}@@ -0,0 +1 @@\n+x.py\n") == FileChange("", "l.py", binary=True)
    sub = "diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n"
    assert one(f"{sub}@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n") == FileChange(
        "s", "s", binary=True
    )


def test_a_mail_around_a_diff_is_no_part_of_it():
    mail = "From 1 Mon\nSubject: x\n\n---\n x.py | 2 +-\n\ndiff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n"
    assert len(diff(mail + "@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n\n")) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello\n", "line 1: this is no diff"),
        ("@@ -1 +1 @@\n-a\n+b\n", "line 1: a hunk before"),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n+b\n", "line 3: the diff ends inside this hunk"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n", "line 6: the hunk has more lines"),
        ("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n-b\n", "line 5: the hunk has more lines"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n*b\n", "line 5: a line of a hunk begins with"),
    ],
)
def test_a_broken_diff_is_told_with_its_line(text, said):
    with pytest.raises(BadDiff, match=said.replace("*", r"\*")):
        diff(text)


def test_nothing_is_an_empty_change():
    assert diff("") == diff("\n\n") == ()


def test_a_diff_that_is_too_large_is_refused():
    with pytest.raises(BadDiff, match=f"more than {LIMIT // 1_000_000} MB"):
        parse(b"x" * (LIMIT + 1))
    assert LIMIT == DIFF_LIMIT


def test_other_lines_than_the_diff_shows_are_told():
    change = one("--- a/x.py\n+++ b/x.py\n@@ -2 +2 @@\n-a\n+b\n")
    assert patched(b"1\na\n", change) == b"1\nb\n"
    for other in (b"1\nA\n", b"1\n", b"1\na", b""):
        with pytest.raises(DoesNotApply, match=r"x\.py:2"):
            patched(other, change)
    with pytest.raises(DoesNotApply, match="no such file"):
        applied(MemoryTree({}), [change])
    with pytest.raises(DoesNotApply, match="it is there"):
        applied(MemoryTree({"n.py": b"x\n"}), diff("--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+b\n"))


def test_a_line_that_is_edited_has_a_successor_and_one_that_goes_a_neighbour():
    lines = LineMap(one("--- a/x\n+++ b/x\n@@ -1,5 +1,4 @@\n a\n-b\n-c\n+B\n+C\n-d\n e\n").hunks)
    assert [lines.follow(n) for n in range(1, 6)] == [1, 2, 3, 3, 4]
    gone = LineMap(one("--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n a\n-b\n c\n").hunks)
    assert (gone.new(2), gone.follow(2), gone.deleted) == (None, None, {2: 2})
    every = Lines((FileChange("old.py", "new.py"), FileChange("gone.py", "")))
    assert every.moved(Place("old.py", 3)) == Place("new.py", 3)
    assert every.moved(Place("gone.py", 3)) is None
    assert every.moved(Place("other.py", 3)) == Place("other.py", 3)


def test_the_limit_on_the_diff_of_two_trees(tmp_path, monkeypatch):
    from mmcodemod.source import workshop
    from mmcodemod.source.git import GitError, open_repository

    repository = Repository.made(tmp_path / "repo", {"x.py": "a\n" * 999})
    repository.commit({"x.py": "b\n" * 999})
    monkeypatch.setattr(workshop, "DIFF_LIMIT", 100)
    found = open_repository(Path(repository.root))
    with workshop.opened(found.objects, found.hash) as shop, pytest.raises(GitError, match="too large"):
        shop.diff(found.commit("HEAD~1"), found.commit("HEAD"))
