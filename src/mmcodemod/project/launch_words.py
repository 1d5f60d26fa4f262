"""The words that a launch gives to its program, and the folder in which it starts, by how it names it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import normpath

from mmcodemod.model.context import MAX_COMMAND, Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex

_PARTS = (".py", "/__main__.py")
_ELSEWHERE = ("/", "~", "$", "..")
_OPEN = regex(r"[$<>*?{}`()\[\]|]")  # of words that the user fills in
_USERS = regex(r"your|my|path|name|file|xxx|foo|bar|example|some|custom|placeholder|user|todo", re.IGNORECASE)
_GENERIC = regex(r"config|cfg|conf|model|train|training|test|eval|finetune|new|default|local", re.IGNORECASE)


@frozen()
class Given:
    """`words` behind the program; `base`: the folder of the tree where a relative path begins."""

    words: tuple[str, ...]
    base: str

    def flags(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each flag with its values, behind "=" or as further words; "" has the words before the first."""
        name, values = "", list[str]()
        for word in self.words:
            if word.startswith("-"):
                yield name, tuple(values)
                name, equals, value = word.partition("=")
                values = [value] if equals else []
            else:
                values.append(word)
        yield name, tuple(values)


def in_one_line(context: Context) -> str:
    """The words of a launch with blanks between them, and none in them: what a substitution runs, and what
    stands in a variable of the environment, are no words of the launch."""
    return " ".join("_".join(word.split()) for word in context.words)


def given(context: Context) -> Given | None:
    """What a launch gives; None where the command is cut off, or does not name a file of the tree by a path
    from the folder where it starts."""
    if context.entry is None or len(context.command) >= MAX_COMMAND:
        return None
    words = [word.strip("\"'") for word in in_one_line(context).split()]
    for at in range(len(words)):
        for end in _ends(words, at):
            if f"/{context.entry.path}".endswith(f"/{end}"):
                return Given(tuple(words[at + 1 :]), context.entry.path[: -len(end)].rstrip("/"))
    return None


def _ends(words: Sequence[str], at: int) -> list[str]:
    """The files that a word may mean, as a path or as a module behind `-m`."""
    if words[at - 1] in ("-m", "--module") and at:
        return [words[at].replace(".", "/") + part for part in _PARTS]
    word = words[at]
    return [normpath(word)] if word.endswith(".py") and not word.startswith(_ELSEWHERE) else []


def is_own(path: str) -> bool:
    """Is it a path that the user is to write, or that lies on another machine?"""
    return is_placeholder(path) or all(map(_GENERIC.fullmatch, _words(_stem(path))))


def is_placeholder(path: str) -> bool:
    """As `is_own`, of a program: `train.py` is a name, not a word for what the user has."""
    shown = _stem(path).isupper() or is_users(path)
    return shown or path.startswith(_ELSEWHERE) or bool(_OPEN.search(path))


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def is_users(word: str) -> bool:
    """Does it name something of the user's (`your`, `path`, `my_data`)?"""
    return any(map(_USERS.fullmatch, _words(word)))


def _words(path: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+", path) if word]
