"""Words of a launch that no argument takes: two behind an option that takes one, where the program takes no
plain words. Must-analysis: nothing is said of words that a shell may still change.

Source: argparse, `ArgumentParser.parse_args`: "unrecognized arguments" ends the program (code 2).
"""

from __future__ import annotations

import re
from posixpath import basename

from mmcodemod.model.context import Context
from mmcodemod.project.model import Project
from mmcodemod.project.strict_parsers import Parser

_FIXED = re.compile(r"[\w./:=@%+,-]+")  # a word that stands for itself in every shell
_MOST = 60  # lines of one command


def stray_word(project: Project, context: Context, parser: Parser) -> str:
    """The first word too many behind the program that a launch starts; "" where there is none."""
    path = context.entry.path if context.entry else ""
    words = _written(project, context)
    start = next((i for i, word in enumerate(words) if basename(word) == basename(path)), len(words))
    given = words[start + 1 :]
    if parser.positional or not all(map(_FIXED.fullmatch, given)):
        return ""
    spans = zip(given, given[1:], given[2:], strict=False)
    return next((third for first, second, third in spans if _is_stray(first, second, third, parser)), "")


def _written(project: Project, context: Context) -> list[str]:
    """The words of the launch as its file has them, quotes and all."""
    if context.launcher is None:
        return []
    lines = project.index.text(context.launcher.path).splitlines()[context.launcher.line - 1 :][:_MOST]
    last = next((i for i, line in enumerate(lines) if not line.rstrip().endswith("\\")), len(lines))
    return " ".join(line.rstrip().rstrip("\\") for line in lines[: last + 1]).split()


def _is_stray(first: str, second: str, third: str, parser: Parser) -> bool:
    single = first.startswith("--") and first.lstrip("-").replace("-", "_") in parser.single
    return single and not second.startswith("-") and not third.startswith("-")
