"""Names of files in diffs: quoted as git does it, and with or without a folder before them (`a/`, `b/`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mmcodemod.model.change import FileChange
from mmcodemod.model.pattern import regex

_PREFIXES = {("a", "b"), ("b", "a"), ("i", "w"), ("c", "i"), ("c", "w"), ("o", "w"), ("w", "i"), ("1", "2")}
"""What git writes before the names of the two sides (diff.mnemonicPrefix)."""

_QUOTED = regex(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = regex(r"\\([0-7]{3}|.)")
_LETTERS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}


@dataclass(frozen=True)
class Named:
    """A change as the diff names it: `sides` are the names with what stands before them ("" where the diff
    has none), `exact` when the names of the change are bare already, `git` when git wrote it."""

    change: FileChange
    sides: tuple[str, str]
    exact: bool
    git: bool


def name_of(text: str) -> str:
    """The name in a line `--- NAME`; a date may follow behind a tab."""
    text = text.rstrip("\r")
    return unquoted(text) if text.startswith('"') else text.split("\t")[0]


def names_of(text: str) -> tuple[str, str]:
    """Both names of a line `diff --git OLD NEW`, "" where spaces make it unclear."""
    quoted = _QUOTED.match(text)
    if quoted:
        return unquoted(quoted[0]), unquoted(text[quoted.end() + 1 :])
    if text.endswith('"') and ' "' in text:
        old, _, new = text.partition(' "')
        return old, unquoted(f'"{new}')
    cuts = (at for at, character in enumerate(text) if character == " ")
    return next(((text[:at], text[at + 1 :]) for at in cuts if _same(text[:at], text[at + 1 :])), ("", ""))


def unquoted(text: str) -> str:
    """A name without its quotes: octal numbers are bytes."""
    found = _QUOTED.fullmatch(text)
    if found is None:
        return text
    encoded = _ESCAPE.sub(lambda m: _byte(m[1]), found[1])
    return encoded.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _byte(escape: str) -> str:
    value = int(escape, 8) if len(escape) == 3 else _LETTERS.get(escape, ord(escape))
    return bytes((value & 255,)).decode("ascii", "surrogateescape")


def bare(found: Sequence[Named]) -> Iterable[FileChange]:
    """The changes with the names of the repository."""
    pairs = [named.sides for named in found if not named.exact]
    both = [pair for pair in pairs if all(pair) and "/dev/null" not in pair]
    one = [name for pair in pairs if pair not in both for name in pair if name not in ("", "/dev/null")]
    strips = all(_prefixed(*pair) for pair in both) and (bool(both) or _all_prefixed(one))
    return [_bare(named, strips) for named in found]


def _bare(named: Named, strips: bool) -> FileChange:
    change = named.change
    if not named.exact and strips:
        change = replace(change, old=_rest(change.old), new=_rest(change.new))
    change = replace(change, old=change.old.removeprefix("./"), new=change.new.removeprefix("./"))
    if not named.git and change.old and change.new:
        return replace(change, old=change.new)  # `diff -u x.py.orig x.py` renames nothing
    return change


def _prefixed(old: str, new: str) -> bool:
    """Do two names of one file differ in what stands before them?"""
    first, second = old.partition("/"), new.partition("/")
    return (first[0], second[0]) in _PREFIXES or (first != second and "" != first[2] == second[2])


def _all_prefixed(names: Sequence[str]) -> bool:
    return bool(names) and all(name.startswith(("a/", "b/")) for name in names)


def _same(old: str, new: str) -> bool:
    return old == new or (_rest(old) == _rest(new) and _prefixed(old, new))


def _rest(name: str) -> str:
    return name.partition("/")[2] if "/" in name else name
