"""Functions that do what is written in them when they are called. Must-analysis."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import FunctionFacts

_RUN = frozenset(("main", "record", "wrap", "no_grad", "inference_mode"))  # decorators that run the function


def runs_its_body(facts: FunctionFacts) -> bool:
    """Does calling it run its body?"""
    node = facts.node
    plain = isinstance(node, ast.FunctionDef) and facts.decorators <= _RUN
    return plain and not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(node))
