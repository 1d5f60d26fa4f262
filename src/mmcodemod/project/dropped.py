"""Calls whose result nobody takes."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.project.model import Project


def dropped_in(project: Project, function: str) -> set[int]:
    """The ids of the calls that are statements of their own."""
    node = project.index.function(function).node
    return {id(s.value) for s in own_nodes(node) if isinstance(s, ast.Expr)}
