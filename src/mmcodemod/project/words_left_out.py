"""Whether a launch surely leaves an option out. Must-analysis over the words that the launch is written with:
dots, placeholders, variables, lists and what a script passes on leave it open."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from enum import Enum
from itertools import takewhile
from posixpath import basename

from mmcodemod.model.context import MAX_COMMAND, Context
from mmcodemod.model.pattern import regex
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.model import Project
from mmcodemod.project.stray_words import stand_for_themselves
from mmcodemod.project.strict_parsers import Parser
from mmcodemod.project.written_words import written_words

_ENDS_WORDS = regex(r"[0-9&]?>.*|[|&;].*")  # what a shell keeps for itself: `2>&1`, `| tee log`, `&`


class Left(Enum):
    """How sure it is that a launch leaves an option out."""

    SURELY = "surely"
    AS_WRITTEN = "as written"  # the page wraps the command without a backslash, and gives it in no line
    OPEN = "open"


def left_out(project: Project, context: Context, parser: Parser, added: ast.Call) -> Left:
    """Does the launch give the option neither by its name, nor by the beginning or the letter of it?"""
    if context.option(PASSED_ON).at is not None or len(context.command) >= MAX_COMMAND:
        return Left.OPEN
    words, wrapped = _words(project, context), _wrapped(project, context)
    every = [*words, *wrapped]
    shown = _are_whole(every, parser) if every else _ends_at_program(project, context)
    names = [_named(str(a.value)) for a in added.args if isinstance(a, ast.Constant)]
    means = any(_means(g, name) for g in _given(context, every) for name in names)
    return Left.OPEN if means or not shown else Left.AS_WRITTEN if wrapped else Left.SURELY


def _words(project: Project, context: Context) -> list[str]:
    """The words that the program gets."""
    return list(takewhile(lambda w: not _ENDS_WORDS.fullmatch(w), written_words(project, context)))


def _are_whole(words: list[str], parser: Parser) -> bool:
    """Can no word turn into others, and does none end a text that a later line may extend?"""
    quoted = any(word.count(quote) % 2 for word in words for quote in "\"'")
    return not quoted and stand_for_themselves(words, parser)


def _lines(project: Project, context: Context) -> list[str]:
    assert context.launcher is not None
    return project.index.text(context.launcher.path).splitlines()[context.launcher.line - 1 :]


def _wrapped(project: Project, context: Context) -> list[str]:
    """The words of the lines below the launch that begin with a flag, where it ends with its program."""
    if context.launcher is None or not _ends_at_program(project, context):
        return []
    below = takewhile(lambda line: line.lstrip().startswith("--"), _lines(project, context)[1:])
    return [word.rstrip("\\") for line in below for word in line.split()]


def _ends_at_program(project: Project, context: Context) -> bool:
    """Does the line of the launch end with the program, and the next one not go on but with flags?"""
    if context.launcher is None or context.entry is None:
        return False
    line, after = (*_lines(project, context)[:2], "", "")[:2]
    words = [w for w in line.split() if not _ENDS_WORDS.fullmatch(w)]
    module = context.entry.path.removesuffix(".py").replace("/", ".")
    last = basename(words[-1].strip("`")) if words else ""
    goes_on = _indent(after) > _indent(line) and not after.lstrip().startswith("--")
    named = last in (basename(context.entry.path), module)
    return named and not goes_on and not re.match(r"\s*(?:-\w|[\[<.…])", after)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip()) if line.strip() else 0


def _given(context: Context, words: Iterable[str]) -> set[str]:
    """The options that the launch gives, also by what it takes from variables and configurations."""
    return {*context.options, *(_named(word) for word in words if word.startswith("-"))}


def _named(word: str) -> str:
    return word.lstrip("-").partition("=")[0].replace("-", "_")


def _means(given: str, name: str) -> bool:
    return bool(given) and (name.startswith(given) or (len(name) == 1 and given[:1] == name))
