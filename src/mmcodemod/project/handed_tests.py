"""Tests around a call in a helper, on what its caller hands over under the same name: they hold in both."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import walk
from mmcodemod.project.arguments import argument
from mmcodemod.project.gradients import GradCall, Gradients
from mmcodemod.project.model import Project

Conditions = dict[str, tuple[ast.expr, bool]]


def handed_tests(project: Project, found: GradCall) -> Conditions:
    """The tests around `found` in the helper that is called directly, none when there are others between."""
    if len(found.via) != 1:
        return {}
    facts, call = project.index.function(found.function), found.via[0][0]
    passed = {name: argument(call, facts, name) for name in facts.parameters.names}
    same = {name for name, value in passed.items() if isinstance(value, ast.Name) and value.id == name}
    same -= facts.body.names.keys()
    tests = project.get(Gradients).conditions(found.function, found.call).items()
    return {text: (test, outcome) for text, (test, outcome) in tests if _names(test) <= same}


def _names(test: ast.expr) -> set[str]:
    return {node.id for node in walk(test) if isinstance(node, ast.Name)}
