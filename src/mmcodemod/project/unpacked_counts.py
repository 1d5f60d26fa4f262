"""Calls whose result is taken apart into another number of names than the function gives back. Must-analysis:
of a function of the tree each of whose returns writes out its values."""

from __future__ import annotations

import ast
import re

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Tuple
from mmcodemod.model.pattern import regex
from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of

_TAKEN = regex(r"^[ \t]*(\w+(?:[ \t]*,[ \t]*\w+)+)[ \t]*=[ \t]*(?:[\w.]+\.)?(\w+)\(", re.MULTILINE)


def taken(statement: ast.stmt, call: ast.Call) -> int:
    """Into how many names a statement takes the result of a call apart; 0 where it does not."""
    match statement:
        case ast.Assign([ast.Tuple(names)], value) if value is call:
            return 0 if any(isinstance(n, ast.Starred) for n in names) else len(names)
    return 0


def given(facts: FunctionFacts) -> int:
    """How many values each return of a function writes out; 0 where they differ, or do not show."""
    returns = [n.value for n in own_nodes(facts.node) if isinstance(n, ast.Return)]
    counts = {_count(value) for value in returns}
    return counts.pop() if len(counts) == 1 else 0


def _count(value: ast.expr | None) -> int:
    shown = isinstance(value, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in value.elts)
    return len(value.elts) if shown else 0  # type: ignore[union-attr]


def may_differ(project: Project, path: str, named: dict[str, list[str]]) -> bool:
    """The quick question, of a whole file: might one of its calls be such a one? `named`: ids of the
    functions at the top of files, by their plain name."""
    for names, callee in _TAKEN.findall(text_of(project, path)):
        for function in named.get(callee, ()):
            home, _, name = function.partition("::")
            facts = project.index.files[home].functions.get(name)
            returns = facts.body.returns if facts is not None else ()
            if returns and all(isinstance(r, Tuple) for r in returns):
                if names.count(",") + 1 not in {len(r.elts) for r in returns if isinstance(r, Tuple)}:
                    return True
    return False
