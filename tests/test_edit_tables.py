"""Edits by span, case by case: what they make of a text, and what they refuse (None)."""

from __future__ import annotations

import ast

import pytest

from mmcodemod.facts import edit_json, edit_python, edit_shell, edit_yaml
from mmcodemod.facts.shell import parse
from mmcodemod.model.fix import apply_edits


def done(text, edits):
    return None if edits is None else apply_edits(text, edits)


@pytest.mark.parametrize(
    ("text", "keys", "value", "after"),
    [
        ('{"a": 1, "a": 2}', "a", 3, '{"a": 1, "a": 3}'),  # the last counts
        ('{"a": {"b": "auto"}}', "a.b", "auto", '{"a": {"b": "auto"}}'),
        ('{"a": 1}', "b.c", True, '{"a": 1, "b": {"c": true}}'),
        ("{}", "a", None, '{"a": null}'),
        ("{\n  a: text to the end # of the line\n}", "a", 1, "{\n  a: 1\n}"),
        ('{"a": 1.0}', "a", 1, '{"a": 1.0}'),
        ('{"a": 1}', "a", True, '{"a": true}'),
        ('{"a": [1]}', "a", 1, None),
        ('{"a": 1}', "a.b", 1, None),
        ('{"a": 1', "a", 1, None),
        ('{"a": 1}', "a", float("inf"), None),
    ],
)
def test_json(text, keys, value, after):
    assert done(text, edit_json.set_value(text, "f", keys.split("."), value)) == after


def test_json_removal_of_one_of_two():
    assert edit_json.remove('{"a": 1, "a": 2}', "f", ["a"]) is None


SHARED = "base: &b {x: 1, y: {z: 2}}\nrun:\n  <<: *b\n  y: 3\nother: *b\n"


@pytest.mark.parametrize(
    ("text", "keys", "value", "after"),
    [
        ("a: 1 # one\nb:\n  c: 2\n  # last\n", "b.d", "on", 'a: 1 # one\nb:\n  c: 2\n  d: "on"\n  # last\n'),
        ("a: {b: 1}\n", "a.c.d", 0.00001, "a: {b: 1, c: {d: 1.0e-05}}\n"),
        ("a: {}\r\n", "b.c", 1, "a: {}\r\nb:\r\n  c: 1\r\n"),
        ("a:  # none\n", "a", "x", "a: x  # none\n"),
        ("a: &n 1\n", "a", 2, "a: &n 2\n"),
        ("a: 'x' # y\n", "a", "it's", "a: 'it''s' # y\n"),
        ("- a\n", "a", 1, None),
        ("l:\n- a: 1\n", "l.a", 2, None),
        ("a: 1\n---\na: 2\n", "b", 3, "a: 1\nb: 3\n---\na: 2\n"),
        ('{\n  "a": 1 # one\n}', "b", "x", '{\n  "a": 1, # one\n  "b": "x"\n}'),
        ("a: 1\ta # tab\n", "a", 1, "a: 1 # tab\n"),
        ('"a:b": 1\n', "a:b", 2, '"a:b": 2\n'),
        ("on: 1\n", "on", 2, None),  # the key is True
        ("a: |\n  x\n", "a", "y", None),
        ("a: !env X\n", "a", "y", None),
        ("a: |+\n  x\n\n", "b", 1, None),  # the blank line belongs to the text
        (SHARED, "base.x", 2, None),
        (SHARED, "other", 2, None),
        (SHARED, "other.x", 2, None),
        (SHARED, "run.y", 4, SHARED.replace("y: 3", "y: 4")),
        (SHARED, "run.x", 4, SHARED.replace("  y: 3\n", "  y: 3\n  x: 4\n")),  # its own, not the merged one
        (SHARED, "run.x", 1, SHARED),
        (SHARED, "run.x.z", 1, None),
    ],
)
def test_yaml(text, keys, value, after):
    assert done(text, edit_yaml.set_value(text, "f", keys.split("."), value)) == after


@pytest.mark.parametrize(
    ("text", "keys", "after"),
    [
        ("a: 1 # one\n# of b\nb: 2\n", "a", "# of b\nb: 2\n"),
        ("a:\n  b: 1 # c\nd: 2\n", "a.b", "a:\n  {} # c\nd: 2\n"),
        ("a: {b: '#', c: 2}\n", "a.b", "a: {c: 2}\n"),
        ("a: {b: 1, c: 2}\n", "a.c", "a: {b: 1}\n"),
        ("a: {\n  b: 1, # one\n  c: 2\n}\n", "a.b", None),  # whose comment?
        ("a: 1\rb: 2\r", "b", "a: 1\r"),
        ("a: &x 1\nb: *x\n", "a", None),
        ("a: &x 1\nb: *x\n", "b", "a: &x 1\n"),
        ("a: 1\na: 2\n", "a", None),
        (SHARED, "run.y", None),  # the merged one would count
        (SHARED, "run.x", None),
    ],
)
def test_yaml_removal(text, keys, after):
    assert done(text, edit_yaml.remove(text, "f", keys.split("."))) == after


def flagged(text, flag, value=..., first=0):
    at = [c.at for c in parse(text).commands if c.words[0].text == "run"][-1]
    if value is ...:
        return done(text, edit_shell.remove_flag(text, "f", at, flag, first))
    return done(text, edit_shell.set_flag(text, "f", at, flag, value, first))


@pytest.mark.parametrize(
    ("text", "value", "after"),
    [
        ("run t.py --x 1 --x 2", "3", "run t.py --x 1 --x 3"),
        ('run t.py --x="a" # c', "b c", 'run t.py --x="b c" # c'),
        ("run t.py \\\n  --y 1 \\\n", "2", "run t.py \\\n  --y 1 \\\n  --x 2 \\\n"),
        ("run t.py \\\r\n\t--y 1\r\n", "2", "run t.py \\\r\n\t--y 1 \\\r\n\t--x 2\r\n"),
        ('(run t.py "$@") 2>&1 | tee log', "a b", "(run t.py --x 'a b' \"$@\") 2>&1 | tee log"),
        ("A=1\nrun t.py --x $A # $A", "2", "A=2\nrun t.py --x $A # $A"),
        ("A='1'\nrun t.py --x \"$A\"", "a b", "A='a b'\nrun t.py --x \"$A\""),
        ("A=1\nrun t.py --x $A", "a b", None),
        ("A=1\nrun t.py --x $A", "*", None),
        ("A=1\necho $A\nrun t.py --x $A", "2", None),
        ("export A=1\nrun t.py --x $A", "2", None),
        ("A=1\nA=3\nrun t.py --x $A", "2", None),
        ("A=1\nsource b.sh\nrun t.py --x $A", "2", None),
        ("A=1\ncat <<E\n$A\nE\nrun t.py --x $A", "2", None),
        ("A=${1:-1}\nrun t.py --x $A", "2", None),
        ("run t.py --x ${A:-1}", "2", None),
        ("run t.py --x $1", "2", None),
        ("run t.py --x d/$A", "2", None),
        ('A="--x 1 --y $B"\nrun t.py $A', "2", 'A="--x 2 --y $B"\nrun t.py $A'),
        ('A=(\n  --x 1 # c\n)\nrun t.py "${A[@]}"', "a b", "A=(\n  --x 'a b' # c\n)\nrun t.py \"${A[@]}\""),
        ("A=(--y)\nA+=(--x=1)\nrun t.py ${A[@]}", "2", "A=(--y)\nA+=(--x=2)\nrun t.py ${A[@]}"),
        ("cat <<E\nrun t.py --x 1\nE\nrun t.py --x 2", "3", "cat <<E\nrun t.py --x 1\nE\nrun t.py --x 3"),
        ("run t.py --y a>log", "2", None),  # `2>log` would be a redirection
        ("run t.py --x 1 2", "3", None),
        ("run --x t.py", "3", None),  # the value, or what is run?
        ("run t.py", "--y", None),
        ("run t.py --x", None, "run t.py --x"),
        ("run t.py --x 1", None, None),
    ],
)
def test_shell(text, value, after):
    assert flagged(text, "--x", value) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("run t.py --x 1 --y", "run t.py --y"),
        ("run t.py \\\n  --x 1 \\\n  --y", "run t.py \\\n  --y"),
        ("run t.py \\\n  --y \\\n  --x=1\n", "run t.py \\\n  --y\n"),
        ("run t.py --x $A/b --y", "run t.py --y"),
        ("run t.py --x $A --y", None),
        ("run t.py --x 1 --x 2", None),
        ('A="--x 1 --y"\nrun t.py $A', 'A="--y"\nrun t.py $A'),
        ('A="--x 1 --y"\nrun t.py $A\nother $A', 'A="--x 1 --y"\nrun t.py $A\nother $A'),
        ('A=(--y\n  --x 1\n)\nrun t.py "${A[@]}"', 'A=(--y\n)\nrun t.py "${A[@]}"'),
    ],
)
def test_shell_removal(text, after):
    assert flagged(text, "--x") == (None if "other" in text else after)


def test_a_pattern_is_no_command():
    text = 'case "$1" in\n  --x) y ;;\nesac\n'
    at = (2, 3)
    assert [c.words[0].text for c in parse(text).commands] == ["y"]
    assert edit_shell.set_flag(text, "f", at, "--x", "1") is None
    assert edit_shell.set_flag(text, "f", at, "--z", "1") is None


def test_the_launcher_keeps_its_own_flags():
    text = "run --x 1 t.py --x 2"
    assert flagged(text, "--x", "3", first=3) == "run --x 1 t.py --x 3"
    assert flagged("run --x 1 t.py", "--x", "3", first=3) == "run --x 1 t.py --x 3"


@pytest.mark.parametrize(
    ("text", "keys", "value", "after"),
    [
        ("é = 'ü'; n = 4  # é\n", "n", 8, "é = 'ü'; n = 8  # é\n"),
        ("n: int = -4\r\n", "n", None, "n: int = None\r\n"),
        ('d = dict(a=dict(b="x"))\n', "d.a.b", "y", 'd = dict(a=dict(b="y"))\n'),
        ("d = {'a': 1, 'a': 2}\n", "d.a", 3, "d = {'a': 1, 'a': 3}\n"),
        ("d = dict(\n    a=1,  # one\n)\n", "d.b", 2, "d = dict(\n    a=1,  # one\n    b=2,\n)\n"),
        ("d = Args(\n    a,\n    b=1\n)\n", "d.c", "x", "d = Args(\n    a,\n    b=1,\n    c='x'\n)\n"),
        ("d = dict()\n", "d.b", 2, "d = dict(b=2)\n"),
        ("d = dict(a=(1))\n", "d.b", 2, "d = dict(a=(1), b=2)\n"),
        ("d = {'a': (1)}\n", "d.b", 2, None),
        ("d = dict(a=n)\n", "d.a", 2, None),
        ("d = dict(a=f'{n}')\n", "d.a", 2, None),
        ("d = dict(**base)\n", "d.a", 2, None),
        ("d = {'a': 1, **base}\n", "d.a", 2, None),
        ("n = 4\nn += 1\n", "n", 2, None),
        ("n = m = 4\n", "n", 2, None),
        ("if x:\n    n = 4\n", "n", 2, None),
        ("n = 4\nfor n in x:\n    pass\n", "n", 2, None),
        ("n = 4\ndef f():\n    global n\n", "n", 2, None),
        ("n = 4\ndef f():\n    n = 3\n", "n", 2, "n = 2\ndef f():\n    n = 3\n"),
        ("d = dict(a=1)\nd['a'] = 3\n", "d.a", 2, None),
        ("d = dict(a=1)\nd.update(a=3)\n", "d.a", 2, None),
        ("d = dict(a=1\n", "d.a", 2, None),
    ],
)
def test_python(text, keys, value, after):
    assert done(text, edit_python.set_value(text, "f.py", keys.split("."), value)) == after


def test_keyword_of_one_call():
    text = "def f():\n    return g('ü', a=1)(a=2)\n"
    calls = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call)]
    after = [done(text, edit_python.set_keyword(text, "f.py", call, "a", 3)) for call in calls]
    assert after == [text.replace("a=2", "a=3"), text.replace("a=1", "a=3")]
