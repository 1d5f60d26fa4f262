"""Tries edits on files as they are found: every answer is counted, every edit is checked."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import yaml
from test_edits import equal, written

from mmcodemod.facts import edit_json, edit_python, edit_shell, edit_yaml, jsonspan
from mmcodemod.facts.node import Node
from mmcodemod.facts.shell import parse
from mmcodemod.facts.spans import values
from mmcodemod.model.fix import Edit, apply_edits
from mmcodemod.source.tree import UnreadableFile, decode

NEW = "edited # value"
BARE = "edited-value"
MOST = 25  # places of one file
Counts = Counter[tuple[str, str]]


def tried(name: str, data: bytes, counts: Counts) -> None:
    """Edit all places of one file that are read, one at a time, up to MOST of them."""
    try:
        text = decode(name, data)
    except UnreadableFile:
        return
    for ends, attempt in _ATTEMPTS.items():
        if name.endswith(ends):
            counts[ends[0], "files"] += 1
            attempt(text, data, counts)


def _count(counts: Counts, kind: str, what: str, edits: tuple[Edit, ...] | None) -> bool:
    counts[kind, f"{what} {'refused' if edits is None else 'edited' if edits else 'as it is'}"] += 1
    return bool(edits)


def _json(text: str, data: bytes, counts: Counts) -> None:
    root, read = jsonspan.parse(text).root, _strict if jsonspan.parse(text).strict else _lenient
    if root is None:
        counts[".json", "not read"] += 1
        return
    for path in _paths(root):
        edits = edit_json.set_value(text, "f", path, NEW)
        if _count(counts, ".json", "set", edits):
            after = decode("f", written(data, edits))
            assert equal(read(after), _with(read(text), path, NEW if read is _strict else repr(NEW)))
            assert edit_json.set_value(after, "f", path, NEW) == ()
        edits = edit_json.remove(text, "f", path)
        if _count(counts, ".json", "remove", edits):
            after = decode("f", written(data, edits))
            assert equal(read(after), _with(read(text), path))
            assert edit_json.remove(after, "f", path) == ()


def _strict(text: str) -> object:
    return json.loads(text)


def _lenient(text: str) -> object:
    root = jsonspan.parse(text).root
    assert root is not None
    return values(root)


def _yaml(text: str, data: bytes, counts: Counts) -> None:
    try:
        said = next(yaml.safe_load_all(text), None)
    except yaml.YAMLError:
        said = None
    if not isinstance(said, dict):
        counts[".yaml", "not read"] += 1
        return
    for path in _keys(said):
        edits = edit_yaml.set_value(text, "f", path, NEW)
        if _count(counts, ".yaml", "set", edits):
            after = decode("f", written(data, edits))
            assert _same(next(yaml.safe_load_all(after)), _with(said, path, NEW))
            assert edit_yaml.set_value(after, "f", path, NEW) == ()
        edits = edit_yaml.remove(text, "f", path)
        if _count(counts, ".yaml", "remove", edits):
            after = decode("f", written(data, edits))
            assert _same(next(yaml.safe_load_all(after)), _with(said, path))
            assert edit_yaml.remove(after, "f", path) == ()


def _same(one: object, other: object) -> bool:
    return repr(_sorted(one)) == repr(_sorted(other))


def _sorted(value: object) -> object:
    if isinstance(value, dict):
        return sorted(((repr(key), _sorted(item)) for key, item in value.items()), key=lambda pair: pair[0])
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _shell(text: str, data: bytes, counts: Counts) -> None:
    for number, command in enumerate(parse(text).commands):
        flags = {
            w.text.partition("=")[0]: w for w in command.words if w.text.startswith("--") and len(w.text) > 2
        }
        if not flags:
            continue
        for flag in [*list(flags)[:MOST], "--added-by-test"]:
            edits = edit_shell.set_flag(text, "f", command.at, flag, BARE)
            what = "set" if flag in flags else "add"
            if _count(counts, ".sh", what, edits):
                after = decode("f", written(data, edits))
                again = parse(after).commands[number]
                words = [w.text for w in again.words]
                assert f"{flag}={BARE}" in words or (flag, BARE) in pairwise(words)
                assert edit_shell.set_flag(after, "f", again.at, flag, BARE) == ()
            edits = edit_shell.remove_flag(text, "f", command.at, flag)
            if _count(counts, ".sh", "remove", edits):
                again = parse(decode("f", written(data, edits))).commands[number]
                assert flag not in [w.text.partition("=")[0] for w in again.words]


def _python(text: str, data: bytes, counts: Counts) -> None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    names = [
        t.id for s in tree.body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)
    ]
    for name in dict.fromkeys(names[:MOST]):
        for path in _places(tree, name):
            edits = edit_python.set_value(text, "f.py", path, NEW)
            if _count(counts, ".py", "set", edits):
                after = written(data, edits)
                assert edit_python.set_value(decode("f.py", after), "f.py", path, NEW) == ()
                assert _statements_changed(tree, ast.parse(after)) == 1
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.keywords]
    for call in calls[:MOST]:
        edits = edit_python.set_keyword(text, "f.py", call, call.keywords[0].arg or "", NEW)
        if _count(counts, ".py", "keyword", edits):
            after = ast.parse(apply_edits(text, edits or ()))
            assert any(isinstance(n, ast.Constant) and n.value == NEW for n in ast.walk(after))


def _statements_changed(before: ast.Module, after: ast.Module) -> int:
    assert len(before.body) == len(after.body)
    return sum(ast.dump(one) != ast.dump(two) for one, two in zip(before.body, after.body))


def _places(tree: ast.Module, name: str) -> list[tuple[str, ...]]:
    """The name, and keywords below it."""
    held = [s.value for s in tree.body if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == name]
    inner = [k.arg for v in held if isinstance(v, ast.Call) for k in v.keywords if k.arg]
    return [(name,), *((name, key) for key in inner[:5]), *([(name, "added")] if inner else [])]


def _paths(node: Node, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = [(*above, m.key) for m in node.members] + [(*above, "added")] * (node.kind == "object")
    for member in node.members:
        found += _paths(member.node, (*above, member.key))
    return found[:MOST]


def _keys(said: object, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for key, inner in said.items() if isinstance(said, dict) else ():
        if isinstance(key, str):
            found += [(*above, key), *_keys(inner, (*above, key))]
    return (found + [(*above, "added")] * isinstance(said, dict))[:MOST]


_GONE = object()


def _with(value: object, path: tuple[str, ...], new: object = _GONE) -> object:
    """A copy with another value at a path."""
    if not path:
        return new
    assert isinstance(value, dict)
    copied = {key: item for key, item in value.items() if key != path[0]}
    if len(path) > 1 or new is not _GONE:
        copied[path[0]] = _with(value.get(path[0], {}), path[1:], new)
    return copied


_ATTEMPTS = {(".json",): _json, (".yaml", ".yml"): _yaml, (".sh",): _shell, (".py",): _python}


def summary(counts: Counts) -> Iterator[str]:
    for (kind, what), times in sorted(counts.items()):
        yield f"{kind} {what}: {times}"
