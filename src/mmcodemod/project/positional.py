"""Words of a launch that a program takes by their place: `train` in `python main.py train`."""

from __future__ import annotations

import ast
from itertools import takewhile

from mmcodemod.model.context import Context
from mmcodemod.model.pattern import regex
from mmcodemod.project.launch_words import given
from mmcodemod.project.model import Project

_FIXED = regex(r"[\w./:=@%+,-]+")  # a word that stands for itself in every shell
_OTHERS = ("add_subparsers", "add_parser", "ArgumentParser")


def is_positional(call: ast.Call) -> bool:
    """Does `add_argument` declare a plain word, which has a place and no name on the command line?"""
    texts = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return bool(texts) and not any(text.startswith("-") for text in texts)


def word_for(project: Project, context: Context, call: ast.Call, function: str) -> str | None:
    """The word that a launch gives for such an argument, before its first flag; None where it does not show,
    behind an argument that takes several, and where there is more than one parser."""
    launch = given(context)
    words = list(takewhile(lambda word: not word.startswith("-"), launch.words)) if launch else []
    places = [c for c in project.calls_of(function, ("add_argument",)) if is_positional(c)]
    upto = places[: places.index(call) + 1] if call in places else []
    one_each = upto and all(k.arg != "nargs" for c in upto for k in c.keywords)
    if not one_each or len(upto) > len(words) or len(project.calls_of(function, _OTHERS)) > 1:
        return None
    word = words[len(upto) - 1]
    return word if _FIXED.fullmatch(word) else None
