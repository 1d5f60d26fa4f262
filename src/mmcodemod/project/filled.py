"""Objects whose fields the flags of a launch fill and whose class the tree does not show: a plain
`transformers.TrainingArguments`, or a class of a package that a parser of that package makes. Must-analysis:
wherever the object may come from, a parser made it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from mmcodemod.model.pattern import regex
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound, External, Value

_PARSES = "::HfArgumentParser.parse_"
_FOREIGN = regex(r"(?:^|\.)\w*(?:Arg|Args|Argument|Arguments|Trl)Parser\w*\(\)\.parse\w*")
"""`ArgumentParserPlus().parse`: a parser of another package, which makes objects of given classes."""


def filled_by_flags(project: Project, origins: Sequence[Origin]) -> bool:
    """Does the object come from a parser that makes a flag of each field?"""
    return bool(origins) and all(_parsed(project, origin) for origin in origins)


def _parsed(project: Project, origin: Origin) -> bool:
    call = origin.expr.value if isinstance(origin.expr, ast.Subscript) else origin.expr
    if not isinstance(call, ast.Call):
        return False
    called = project.values(call.func, origin.function)
    return bool(called) and all(_parses(v) for v in called)


def _parses(called: Value) -> bool:
    if isinstance(called, External):
        return bool(_FOREIGN.search(called.name))
    return isinstance(called, Bound) and is_stub(called.function) and _PARSES in called.function
