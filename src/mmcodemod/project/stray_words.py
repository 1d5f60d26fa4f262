"""Words of a launch that no argument takes: two behind an option that takes one, where the program takes no plain
words. Must-analysis: nothing is said of words that a shell may still change.

Source: argparse, `ArgumentParser.parse_args`: "unrecognized arguments" ends the program (code 2).
"""

from __future__ import annotations

import re
from posixpath import basename

from mmcodemod.project.strict_parsers import Parser

_FIXED = re.compile(r"[\w./:=@%+,-]+")  # a word that stands for itself in every shell


def stray_word(command: str, path: str, parser: Parser) -> str:
    """The first word too many behind the program at `path`; "" where there is none."""
    words = command.split()
    start = next((i for i, word in enumerate(words) if basename(word) == basename(path)), len(words))
    given = words[start + 1 :]
    if parser.positional or not all(map(_FIXED.fullmatch, given)):
        return ""
    spans = zip(given, given[1:], given[2:], strict=False)
    return next((third for first, second, third in spans if _is_stray(first, second, third, parser)), "")


def _is_stray(first: str, second: str, third: str, parser: Parser) -> bool:
    single = first.startswith("--") and first.lstrip("-").replace("-", "_") in parser.single
    return single and not second.startswith("-") and not third.startswith("-")
