"""What `env` in front of a program changes of the variables that the program sees."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace

from mmcodemod.facts.shellvalues import Word
from mmcodemod.model.pattern import regex

_BEFORE = ("nohup", "exec", "time", "command", "setsid", "nice")
_ASSIGNMENT = regex(r"([A-Za-z_]\w*)=")
_VALUED = ("-C", "--chdir", "-S", "--split-string", "--argv0")
_UNSETS = ("-u", "--unset")
_CLEARS = ("-", "-i", "--ignore-environment")


def environment(words: Sequence[Word], env: dict[str, Word]) -> dict[str, Word]:
    """The variables that the program behind `env` sees, of a command whose shell exports `env`."""
    at = next((i for i, w in enumerate(words[:8]) if posixpath.basename(w.text) not in _BEFORE), 0)
    if not words or posixpath.basename(words[at].text) != "env":
        return env
    seen, at = dict(env), at + 1
    while at < len(words):
        taken = _option(words, at, seen) if words[at].text.startswith("-") else _assigned(words[at], seen)
        if not taken:
            break
        at += taken
    return seen


def _option(words: Sequence[Word], at: int, seen: dict[str, Word]) -> int:
    """How many words the option at `at` takes; what it hides goes out of `seen`."""
    name, equals, value = words[at].text.partition("=")
    if name in _CLEARS:
        seen.clear()
    elif name in _UNSETS:
        seen.pop(value if equals else words[at + 1].text if words[at + 1 :] else "", None)
        return 1 if equals else 2
    elif re.match(r"-u[A-Za-z_]", name):
        seen.pop(name[2:], None)
    return 2 if name in _VALUED and not equals else 1


def _assigned(word: Word, seen: dict[str, Word]) -> int:
    """`NAME=value`, which goes into `seen`."""
    first = next((p for p in word.pieces if p.text), None)
    found = _ASSIGNMENT.match(word.text)
    if found is None or first is None or first.unknown or len(first.text) < found.end():
        return 0
    line, column = first.at
    rest = replace(first, text=first.text[found.end() :], at=(line, column + found.end()))
    pieces = tuple(rest if p is first else p for p in word.pieces)
    seen[found[1]] = replace(word, text=word.text[found.end() :], pieces=pieces)
    return 1
