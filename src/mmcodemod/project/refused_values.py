"""Values of a launch which an option of the program's parser does not take: none of its `choices`, or no
number where its `type` reads one. Must-analysis: of a word that a shell may change, that the user is to
write, or that stands for several, nothing is said. Source: argparse, `ArgumentParser._get_values`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.called_scripts import SCRIPTS
from mmcodemod.project.launch_words import is_users
from mmcodemod.project.model import Project
from mmcodemod.project.strict_parsers import Parser
from mmcodemod.project.written_choices import written_choices
from mmcodemod.project.written_words import written_words

_FLAG = regex(r"--[A-Za-z][\w-]*")
_FIXED = regex(r"([\"']?)(\w[\w.:/@%+,-]*)\1")  # a word that stands for itself, in quotes or not
_READ = regex(r'"?\$(?:(?P<plain>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})"?')  # a variable
_SOURCES = regex(r"^\s*(?:source|\.|eval)\s", re.MULTILINE)
_TYPES: dict[str, Callable[[str], object]] = {"int": int, "float": float, "str": str, "": str}
_NUMBERS = {"int": "whole number", "float": "number"}


@frozen()
class _Given:
    """An option as the launch writes it, and its value."""

    flag: str
    value: str


def refused_value(project: Project, context: Context, path: str, parser: Parser) -> str:
    """What the parser of a file does not take of the values; "" where it takes all, or where that does not
    show."""
    words = written_words(project, context) if parser.added and not parser.positional else []
    given = _given([_held(project, context, word) for word in words])
    return next((why for one in given if (why := _refusal(project, one, path, parser))), "")


def _held(project: Project, context: Context, word: str) -> str:
    """What a variable of a script holds that one line alone sets; other words as they are."""
    read = _READ.fullmatch(word)
    if read is None or context.launcher is None or not context.launcher.path.endswith(SCRIPTS):
        return word
    name, text = read["plain"] or read["braced"], project.index.text(context.launcher.path)
    told = re.findall(rf"\b{name}\b\s*\+?=|\b(?:for|read|local|declare|unset)\b[^\n;]*\b{name}\b", text)
    lines = re.findall(
        rf"^[ \t]*(?:export[ \t]+)?{name}=([\"']?)([\w.:/@%+,-]+)\1[ \t]*(?:#.*)?$", text, re.M
    )
    return str(lines[0][1]) if len(told) == len(lines) == 1 and not _SOURCES.search(text) else word


def _given(words: list[str]) -> Iterator[_Given]:
    for word, after in pairwise([*words, ""]):
        flag, equals, value = word.partition("=")
        found = _FIXED.fullmatch(value if equals else after)
        if _FLAG.fullmatch(flag) and found and not _is_users(flag, found[2]):
            yield _Given(flag, found[2])


def _is_users(flag: str, value: str) -> bool:
    """Is the user to write something in its place: `N`, `your_data`, the name of the option?"""
    return value.isupper() or is_users(value) or _plain(value) == _plain(flag)


def _plain(word: str) -> str:
    return word.strip("-").replace("_", "-")


def _refusal(project: Project, given: _Given, path: str, parser: Parser) -> str:
    """Why the one option of just that name refuses the value."""
    calls = [call for call in parser.added if given.flag in _texts(call)]
    if len(calls) != 1 or _plain(given.flag).replace("-", "_") not in parser.single:
        return ""
    keywords = {k.arg: k.value for k in calls[0].keywords}
    kind = _kind(keywords.get("type"))
    if kind is None:
        return ""
    value = _read(_TYPES[kind], given.value)
    if value is None:
        several = "/" in given.value and all(
            _read(_TYPES[kind], p) is not None for p in given.value.split("/")
        )
        return "" if several else f"takes a {_NUMBERS[kind]} for `{given.flag}`, not `{given.value}`"
    choices = written_choices(project, path, keywords.get("choices"))
    if not choices or value in choices or _is_several(given.value, choices):
        return ""
    return f"does not have `{given.value}` among the choices of `{given.flag}`"


def _read(kind: Callable[[str], object], word: str) -> object:
    """The value of a word; None where the type does not read it."""
    try:
        return kind(word)
    except ValueError:
        return None


def _kind(node: ast.expr | None) -> str | None:
    """The type that reads the value, "" for none; None where it is another."""
    if node is None:
        return ""
    return node.id if isinstance(node, ast.Name) and node.id in _TYPES else None


def _is_several(value: str, choices: list[object]) -> bool:
    """Does a page write several choices in one word, `left/right`?"""
    parts = re.split(r"[/,]", value)
    return len(parts) > 1 and any(part in map(str, choices) for part in parts)


def _texts(call: ast.Call) -> list[str]:
    return [str(a.value) for a in call.args if isinstance(a, ast.Constant)]
