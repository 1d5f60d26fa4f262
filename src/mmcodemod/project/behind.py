"""The expressions that a value comes from, by the names in it. May-analysis inside one function."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import walk
from mmcodemod.project.model import Project

MAX_STEPS = 5


def behind(project: Project, function: str, expr: ast.expr) -> list[ast.expr]:
    """An expression, and what the names in it are given, or those of that."""
    sources = project.resolver.body(function).names
    found, new, seen = [expr], [expr], set[str]()
    for _ in range(MAX_STEPS):
        names = {n.id for e in new for n in walk(e) if isinstance(n, ast.Name)} - seen
        seen |= names
        new = [source.expr for name in sorted(names) for source in sources.get(name, ())]
        found += new
    return found
