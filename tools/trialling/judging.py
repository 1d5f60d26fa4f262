"""What `fix` may do to a tree, as pure functions: each names what is wrong, nothing when all is well."""

from __future__ import annotations

import ast
import difflib
import io
import json
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import yaml

from mmcodemod.facts import jsonspan
from mmcodemod.source.tree import decode

Finding = Mapping[str, Any]  # as the JSON report has it
_AFTER_HASH = re.compile(r"(?:^|(?<=\s))#.*")
_ENDING = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True)
class Entry:
    """One file of a tree: its permissions and its bytes (of a link, where it points)."""

    mode: int
    data: bytes


def tree(before: Mapping[str, Entry], after: Mapping[str, Entry], told: Iterable[str]) -> list[str]:
    """Only the files that the report tells of are changed, in nothing but their text."""
    known = set(told)
    differs = {p for p in {*before, *after} if before.get(p) != after.get(p)}
    wrong = [f"{path}: changed, and not told" for path in sorted(differs - known)]
    wrong += [f"{path}: told as changed, and is not" for path in sorted(known - differs)]
    for path in sorted(known & differs):
        if path not in before or path not in after:
            wrong.append(f"{path}: made or removed")
        elif before[path].mode != after[path].mode:
            wrong.append(f"{path}: the permissions changed")
        else:
            wrong += [f"{path}: {fault}" for fault in file(path, before[path].data, after[path].data)]
    return wrong


def file(path: str, before: bytes, after: bytes) -> list[str]:
    """A changed file is read as before, keeps its comments and its line ends."""
    return [*unread(path, before, after), *lost_comments(path, before, after), *endings(before, after)]


def same(written: Mapping[str, Entry], patched: Mapping[str, Entry]) -> list[str]:
    """The patch that was shown makes the text that was written. (Git sets permissions as the umask says.)"""
    texts = [{path: entry.data for path, entry in each.items()} for each in (written, patched)]
    differs = {path for path in {*written, *patched} if texts[0].get(path) != texts[1].get(path)}
    return [f"{path}: the patch makes another text" for path in sorted(differs)]


# -- reading ---------------------------------------------------------------------------------------------


def unread(path: str, before: bytes, after: bytes) -> list[str]:
    """Each reader that accepted the file still does; Python must be Python."""
    readers = _READERS.get(PurePath(path).suffix, {})
    asked = [(name, reads) for name, reads in readers.items() if reads is _python or reads(before)]
    return [f"is not {name}" for name, reads in asked if not reads(after)]


def _python(data: bytes) -> bool:
    return _does(
        lambda: compile(data, "file", "exec", ast.PyCF_ONLY_AST, dont_inherit=True), ValueError, SyntaxError
    )


def _json(data: bytes) -> bool:
    return _does(lambda: json.loads(data), ValueError)


def _hjson(data: bytes) -> bool:
    return jsonspan.parse(decode("file.json", data)).root is not None


def _yaml(data: bytes) -> bool:
    return _does(lambda: list(yaml.compose_all(data, Loader=yaml.SafeLoader)), yaml.YAMLError)


def _shell(data: bytes) -> bool:
    return subprocess.run(["bash", "-n"], input=data, capture_output=True, check=False).returncode == 0


def _does(read: Callable[[], object], *errors: type[Exception]) -> bool:
    try:
        read()
    except errors:
        return False
    return True


_READERS: dict[str, dict[str, Callable[[bytes], bool]]] = {
    ".py": {"Python": _python},
    ".json": {"strict JSON": _json, "hjson": _hjson},
    ".yaml": {"YAML": _yaml},
    ".yml": {"YAML": _yaml},
    ".sh": {"bash": _shell},
}


# -- comments and line ends ------------------------------------------------------------------------------


def lost_comments(path: str, before: bytes, after: bytes) -> list[str]:
    """Comments of untouched lines stay comments, and none is made there; those of replaced lines come back.

    JSON has none: to take them out of it is what a fix is for.
    """
    if path.endswith(".json"):
        return []
    old, new = comments(path, before), comments(path, after)
    lines = decode(path, before).split("\n"), decode(path, after).split("\n")
    wrong: list[str] = []
    gone: Counter[str] = Counter()
    for tag, i, j, k, m in difflib.SequenceMatcher(None, *lines, autojunk=False).get_opcodes():
        was, now = _of(old, i, j), _of(new, k, m)
        if tag != "equal":
            gone.update(was)
            gone.subtract(now)
        elif was != now:
            wrong.append(f"lines {i + 1} to {j} hold other comments than before")
    return wrong + [f"the comment {text!r} is lost" for text, count in sorted(gone.items()) if count > 0]


def comments(path: str, data: bytes) -> list[tuple[int, str]]:
    """Line (from 1) and text of each comment; outside Python, of all that begins with `#` after a gap."""
    if path.endswith(".py"):
        tokens = tokenize.tokenize(io.BytesIO(data).readline)
        return [(t.start[0], t.string) for t in tokens if t.type == tokenize.COMMENT]
    lines = decode(path, data).split("\n")
    return [(n, f[0].rstrip()) for n, line in enumerate(lines, 1) for f in [_AFTER_HASH.search(line)] if f]


def _of(found: list[tuple[int, str]], start: int, end: int) -> list[str]:
    return [text for line, text in found if start < line <= end]


def endings(before: bytes, after: bytes) -> list[str]:
    """No line end that the file did not have, and the last line ends as it did."""
    wrong = []
    if before and not set(_ENDING.findall(after)) <= set(_ENDING.findall(before)):
        wrong.append("has line ends that it did not have")
    if before.endswith(b"\n") != after.endswith(b"\n"):
        wrong.append("its last line ends in another way")
    return wrong


# -- findings --------------------------------------------------------------------------------------------


def findings(before: list[Finding], fixed: list[Finding], after: list[Finding]) -> list[str]:
    """What was fixed is gone, and no warning or error is new."""
    old, left = _marks(before), _marks(after)
    wrong = [f"{_name(f)}: told as fixed, and is there" for f in fixed if f["fingerprint"] in left]
    loud = [f for f in after if f["severity"] != "info"]
    return wrong + [f"{_name(f)}: new" for f in loud if f["fingerprint"] not in old]


def _marks(found: list[Finding]) -> set[str]:
    return {finding["fingerprint"] for finding in found}


def _name(finding: Finding) -> str:
    return f"{finding['rule']} at {finding['path']}:{finding['line']}"
