"""The baseline: which findings are known, which entries are stale, and what a hostile file may do."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mmcodemod.engine.baseline import BadBaseline, Scope, compare, dump, entries_of, parse
from mmcodemod.model.finding import Finding
from mmcodemod.model.grade import Severity
from mmcodemod.model.place import Place


def finding(path="a.py", line=1, rule="MM201", symbol="f", anchor="x", message="It hangs."):
    return Finding(rule, Place(path, line), message, Severity.ERROR, symbol=symbol, anchor=anchor)


def scope(*paths, base="", ran=lambda code: True, covered=lambda path: True):
    return Scope(base, lambda path: path not in paths, covered, ran)


def split(findings, entries, where):
    found = compare(findings, entries, where)
    return list(found.kept), list(found.known), list(found.stale)


def test_what_is_known_is_known_and_the_rest_is_new():
    old, new = finding(), finding(anchor="y")
    assert split([old, new], entries_of([old]), scope("a.py")) == ([new], [old], [])


def test_moved_lines_and_another_message_are_the_same_finding():
    now = finding(line=40, message="It hangs in other words.")
    assert split([now], entries_of([finding()]), scope("a.py")) == ([], [now], [])


def test_equal_findings_are_counted():
    two = [finding(line=1), finding(line=2)]
    kept, known, stale = split([*two, finding(line=3)], entries_of(two), scope("a.py"))
    assert [f.at.line for f in kept] == [3] and len(known) == 2 and not stale
    kept, known, stale = split(two[:1], entries_of(two), scope("a.py"))
    assert (len(kept), len(known), len(stale)) == (0, 1, 1)


def test_a_renamed_file_keeps_its_entries():
    old = [finding(), finding(anchor="y")]
    new = [replace(f, at=Place("b/c.py", 9)) for f in old]
    found = compare(new, entries_of(old), scope("b/c.py"))
    assert (found.kept, len(found.known), found.stale) == ((), 2, ())


def test_a_copied_file_is_new():
    copy = finding("b.py")
    kept, _, stale = split([finding(), copy], entries_of([finding()]), scope("a.py", "b.py"))
    assert (kept, stale) == ([copy], [])


def test_a_renamed_file_is_not_taken_for_one_that_has_entries_itself():
    entries = entries_of([finding(), finding("b.py", anchor="z")])
    kept, _, stale = split([finding("b.py"), finding("b.py", anchor="z")], entries, scope("b.py"))
    assert [f.anchor for f in kept] == ["x"] and [e.path for e in stale] == ["a.py"]


def test_one_old_file_becomes_one_new_file():
    """A deleted file does not excuse the same fault in two new ones; the same name is the better guess."""
    new = [finding("x/a.py"), finding("b.py")]
    kept, known, stale = split(new, entries_of([finding("old/a.py")]), scope("b.py", "x/a.py"))
    assert ([f.at.path for f in kept], [f.at.path for f in known], stale) == (["b.py"], ["x/a.py"], [])


def test_what_no_run_looked_at_is_not_stale():
    entries = entries_of([finding(), finding("b.py", rule="MM303")])
    assert split([], entries, scope("a.py", "b.py", ran=lambda code: code == "MM201"))[2] == [entries[0]]
    assert split([], entries, scope("a.py", "b.py", covered=lambda path: path == "b.py"))[2] == [entries[1]]


def test_a_tree_that_is_checked_in_part():
    """The same entries hold when a folder below that of the baseline is checked alone."""
    entries = entries_of([finding("pkg/a.py"), finding("top.py")])
    assert split([finding("a.py")], entries, scope("a.py", base="pkg")) == ([], [finding("a.py")], [])
    assert entries_of([finding("a.py")], base="pkg") == entries[:1]


def test_the_file_is_sorted_and_has_no_line_numbers():
    findings = [finding("b.py", 7), finding("a.py", 9, "MM303", "", "k"), finding("a.py", 8)]
    text = dump(entries_of(findings)).decode()
    assert text == dump(entries_of(findings[::-1])).decode()
    data = json.loads(text)
    assert [(e["path"], e["rule"]) for e in data["findings"]] == [
        ("a.py", "MM201"), ("a.py", "MM303"), ("b.py", "MM201"),
    ]  # fmt: skip
    assert list(data["findings"][0]) == ["path", "rule", "symbol", "message", "fingerprint"]
    assert text == dump(entries_of([replace(f, at=Place(f.at.path, 77)) for f in findings])).decode()
    assert data["version"] == 1


def test_there_and_back():
    entries = entries_of([finding("ü\udcff.py", message="mit Umlaut ü"), finding()])
    assert parse(dump(entries), "b.json") == entries


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "an object with"),
        (b'{"version": 2, "findings": []}', "version 2"),
        (b'{"version": 1}', '"findings" is not a list'),
        (b'{"version": 1, "findings": [1]}', "entry 1 is not"),
        (b'{"version": 1, "findings": [{"path": "a", "rule": 3, "fingerprint": "x"}]}', "entry 1 is not"),
        (b'{"version": 1, "findings": [' + b"{}," * 200_000 + b"{}]}", "more than"),
        (b"<<<<<<< HEAD\n", "conflict of a merge"),
    ],
)
def test_a_file_that_is_no_baseline(data, part):
    with pytest.raises(BadBaseline, match=part) as caught:
        parse(data, "b.json")
    assert str(caught.value).startswith("b.json: ")


def test_unknown_members_and_missing_comments_are_fine():
    data = {"version": 1, "more": 1, "findings": [{"path": "a", "rule": "MM1", "fingerprint": "f", "x": 1}]}
    (entry,) = parse(json.dumps(data).encode(), "b.json")
    assert (entry.path, entry.message) == ("a", "")


def test_many_renamed_files_cost_no_time():
    old = [finding(f"old/{i}.py", anchor=str(i)) for i in range(600)]
    new = [finding(f"new/{i}.py", anchor=str(i)) for i in range(600)]
    found = compare(new, entries_of(old), scope(*(f.at.path for f in new)))
    assert len(found.known) == 600 and not found.stale
