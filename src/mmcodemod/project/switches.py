"""Parameters of a forward that are switches of the code, and no part of a batch. Must-analysis."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Constant, last_name
from mmcodemod.project.arguments import argument
from mmcodemod.project.model import Project

_FILLS = ("dict", "update")


def is_switch(project: Project, facts: FunctionFacts, name: str) -> bool:
    """`forward(self, images, as_logits=False)`: on or off by default, no code of the tree uses the name as a
    key, so that no batch brings it, and callers that give it write out what they give."""
    default = facts.default(name)
    if not isinstance(default, Constant) or not isinstance(default.value, bool):
        return False
    return not project.once(_is_key, name) and project.once(_is_written_out, facts.id, name)


def _is_written_out(project: Project, function: str, name: str) -> bool:
    facts = project.index.function(function)
    calls = (edge.call for edge in project.callers(function) if edge.call is not None)
    given = (argument(call, facts, name) for call in calls)
    return all(value is None or isinstance(value, ast.Constant) for value in given)


def _is_key(project: Project, name: str) -> bool:
    """Is it written as a string, or as a keyword of `dict` or `update`?"""
    if any(True for _ in project.mentioning(f'"{name}"', f"'{name}'")):
        return True
    calls = (call for facts in project.mentioning(name) for call in facts.body.calls)
    return any(last_name(c) in _FILLS and any(k.arg == name for k in c.keywords) for c in calls)
