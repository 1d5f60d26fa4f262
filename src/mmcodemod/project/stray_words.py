"""Launches whose words the program's parser does not take: two behind an option that takes one, where it
takes no plain words, one behind a blank after `--option=`, or none for an option that it requires.
Must-analysis: nothing is said of words that a shell may change. Source: argparse,
`ArgumentParser.parse_args`, which ends the program (code 2) for all of them.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile

from mmcodemod.model.context import Context
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project import versions
from mmcodemod.project.launch_words import in_one_line, is_users
from mmcodemod.project.model import Project
from mmcodemod.project.strict_parsers import Parser
from mmcodemod.project.written_words import written_words

BY_LAUNCHERS = ("help", "local_rank")  # `torch.distributed.launch` adds the latter
_A_WORD = regex(r"[\w./\"']")  # begins what is a word, whatever a shell makes of the rest
_BLANK = regex(r"\\[ \t]+(?:#.*)?$")  # behind the last backslash
_QUOTES = "\"'`"
_PAGES = (".md", ".rst", ".txt", ".ipynb")
_MOST = 400  # lines of one command
_FIXED = regex(r"[\w./:=@%+,-]+")  # a word that stands for itself in every shell


def stray_word(project: Project, context: Context, parser: Parser) -> str:
    """The first word too many behind the program that a launch starts; "" where there is none."""
    given = written_words(project, context)
    if parser.positional:
        return ""
    if torn := _torn(given, parser):
        return torn
    if not all(map(_FIXED.fullmatch, given)):
        return ""
    spans = ((flag, _plain(given[at + 1 :])) for at, flag in enumerate(given) if flag.startswith("--"))
    strays = (words[1] for flag, words in spans if _named(flag) in parser.single and len(words) > 1)
    return next(strays, "")


def adds_rank(context: Context) -> bool:
    """Does the launcher hand `--local_rank` to the program? Source: deepspeed/launcher/launch.py (0.9.5 to
    0.19.8) and torch/distributed/launch.py (1.9 to 2.9), which has it as `--local-rank` since 2.0."""
    words = in_one_line(context).replace("-", "_").split()
    if context.launched_by == "deepspeed":
        return "__no_local_rank" not in words and not any(w.startswith("__launcher") for w in words)
    return "torch.distributed.launch" in words and "__use_env" not in words


def adds_dashed_rank(context: Context) -> bool:
    """Does it hand `--local-rank` to the program, for which `--local_rank` is another option?"""
    by_torch = context.launched_by != "deepspeed" and adds_rank(context)
    return by_torch and versions.below(context, "torch", "2.0") is False


def ends_in_blank(project: Project, context: Context) -> Place | None:
    """The line where a backslash and a blank end the command. A shell makes a word of that, and another
    command of the next line. Pages write remarks there, which nobody copies: of them only what goes on with
    a flag."""
    if context.launcher is None:
        return None
    lines = project.index.text(context.launcher.path).split("\n")[context.launcher.line - 1 :][:_MOST]
    own = next((lines[: i + 1] for i, line in enumerate(lines) if not line.endswith("\\")), [""])
    if context.launcher.path.endswith(_PAGES) and not _goes_on(lines[len(own) - 1 :]):
        return None
    before, backslash, _ = "\n".join(own).rpartition("\\")
    whole = "#" not in own[-1].partition("\\")[0] and not any(before.count(q) % 2 for q in _QUOTES)
    ends = whole and backslash and _BLANK.search(own[-1])
    return Place(context.launcher.path, context.launcher.line + len(own) - 1) if ends else None


def _goes_on(lines: list[str]) -> bool:
    """Is nothing but blanks behind the backslash, and a flag on the line below?"""
    return lines[0].rstrip().endswith("\\") and lines[1:2] != [] and lines[1].lstrip().startswith("-")


def _torn(given: list[str], parser: Parser) -> str:
    """The word that a blank parts from its `--option=`, which is given nothing then; "" where none is."""
    pairs = ((flag, word) for flag, word in pairwise(given) if re.fullmatch(r"--[\w-]+=", flag))
    return next((w for flag, w in pairs if _named(flag) in parser.single and _A_WORD.match(w)), "")


def _plain(words: list[str]) -> list[str]:
    """The words before the next flag; none where the user is to write his own in their place."""
    found = list(takewhile(lambda word: not word.startswith("-"), words))
    return [] if any(map(is_users, found)) else found


def left_out(project: Project, context: Context, parser: Parser) -> str:
    """An option that the program requires and the launch does not give; "" where it gives all, or some words
    may turn into others."""
    given = written_words(project, context)
    if not given or not stand_for_themselves(given, parser):
        return ""
    flags = [_named(word) for word in given if word.startswith("-")]
    wanted = (names for names in parser.required if not set(names) & set(BY_LAUNCHERS))
    return next((names[-1] for names in wanted if not _gives(flags, names)), "")


def stand_for_themselves(given: list[str], parser: Parser) -> bool:
    """Can no word turn into a flag, or into several words?"""
    return all(_FIXED.fullmatch(b) or _is_value(a, b, parser) for a, b in pairwise(["", *given]))


def _is_value(before: str, word: str, parser: Parser) -> bool:
    """Does a word stand where one option takes its value, or is it an option with its value?"""
    alone = before.startswith("--") and _named(before) in parser.single and "=" not in before
    return alone or bool(re.fullmatch(r"--[\w-]+=\S+", word))


def _gives(flags: list[str], names: tuple[str, ...]) -> bool:
    """Is one of the names given, or its beginning, or a letter with its value behind?"""
    return any(
        name.startswith(flag) or (len(name) == 1 and flag[:1] == name) for flag in flags for name in names
    )


def _named(word: str) -> str:
    return word.lstrip("-").partition("=")[0].replace("-", "_")
