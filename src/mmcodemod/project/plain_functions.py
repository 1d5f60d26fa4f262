"""Functions that do what is written in them when they are called. Must-analysis."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.project.model import Project

_RUN = frozenset(("main", "record", "wrap", "no_grad", "inference_mode"))  # decorators that run the function


def runs_its_body(project: Project, facts: FunctionFacts) -> bool:
    """Does calling it run its body? Every launch that comes by asks."""
    return project.once(_runs_its_body, facts)


def _runs_its_body(_: Project, facts: FunctionFacts) -> bool:
    node = facts.node
    plain = isinstance(node, ast.FunctionDef) and facts.decorators <= _RUN
    return plain and not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(node))
